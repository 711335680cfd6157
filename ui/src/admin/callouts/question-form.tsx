/** The fields of the question that is open, below its text. */
import type { ReactNode } from 'react';
import { Checkbox } from '../../shared/ui/checkbox';
import { SelectField } from '../../shared/ui/select';
import { TextField } from '../../shared/ui/text-field';
import styles from './callouts.module.css';
import * as draft from './draft';
import { AddOption, type FormProps, Options } from './options';

/** `children`: what is done with the question as a whole. */
export function QuestionForm({ children, ...props }: FormProps & { children: ReactNode }) {
  const { question, at, field, put } = props;
  const { kind, help, required } = question;
  const place = `questions.${at}`;
  const limit = (name: 'min' | 'max', label: string) => (
    <TextField
      {...{ label, type: 'number', ...field(`${place}.${name}`) }}
      value={String(question[name] ?? '')}
      onValue={(typed) => put({ [name]: typed ? Math.trunc(Number(typed)) : null })}
    />
  );
  return (
    <div className={styles.form}>
      <SelectField
        label="Risposta"
        {...field(`${place}.kind`)}
        value={kind}
        options={draft.KINDS}
        onValue={(value) => put(draft.withKind(question, value))}
      />
      <TextField
        label="Aiuto sotto la domanda"
        placeholder="facoltativo"
        {...field(`${place}.help`)}
        value={help}
        onValue={(value) => put({ help: value })}
      />
      {kind === 'text' || kind === 'number' ? (
        <>
          {limit('min', kind === 'text' ? 'Caratteri, da' : 'Numero, da')}
          {limit('max', 'a')}
        </>
      ) : null}
      {draft.isListed(kind) || kind === 'yes_no' ? <Options {...props} /> : null}
      <div className={styles.tools}>
        {draft.isListed(kind) ? <AddOption {...props} /> : null}
        <Checkbox checked={required} onChange={(value) => put({ required: value })}>
          Obbligatoria
        </Checkbox>
        {children}
      </div>
    </div>
  );
}
