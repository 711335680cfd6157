import { useRef } from 'react';
import { type Control, useController } from 'react-hook-form';
import type { Phrases } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Field } from '../../shared/ui/field';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextArea } from '../../shared/ui/text-input';
import styles from './phrase-field.module.css';
import { type Phrase, PLACEHOLDERS } from './sections';

/** Longest phrase, in characters (PRODUCT.md §2). */
const PHRASE_MAX = 2000;

interface PhraseFieldProps {
  phrase: Phrase;
  control: Control<Phrases>;
  onFocus: () => void;
}

export function PhraseField({ phrase, control, onFocus }: PhraseFieldProps) {
  const { field, fieldState } = useController({ control, name: phrase.key });
  const value = field.value as string;
  const box = useRef<HTMLTextAreaElement>(null);
  const length = [...value].length;

  const insert = (text: string) => {
    const area = box.current;
    if (area) {
      area.setRangeText(text, area.selectionStart, area.selectionEnd, 'end');
      field.onChange(area.value);
      area.focus();
    }
  };

  return (
    <Stack gap={2} className={styles.phrase}>
      <Field label={phrase.label} hint={phrase.hint} error={fieldState.error?.message}>
        {(described) => (
          <TextArea
            {...described}
            ref={box}
            rows={3}
            value={value}
            onChange={field.onChange}
            onFocus={onFocus}
          />
        )}
      </Field>
      <Row justify="between" align="start" gap={1}>
        <Row as="fieldset" gap={2} className={styles.insert}>
          <legend className="visually-hidden">Inserisci un segnaposto in «{phrase.label}»</legend>
          {Object.entries(PLACEHOLDERS).map(([name, meaning]) => (
            <button
              key={name}
              type="button"
              className={styles.chip}
              title={meaning}
              onClick={() => insert(`{${name}}`)}
            >
              <span className="visually-hidden">Inserisci </span>
              {`{${name}}`}
            </button>
          ))}
        </Row>
        <Text tone={length > PHRASE_MAX ? 'danger' : 'muted'} small digits>
          {formatNumber(length)} / {formatNumber(PHRASE_MAX)}
          <span className="visually-hidden"> caratteri</span>
        </Text>
      </Row>
    </Stack>
  );
}
