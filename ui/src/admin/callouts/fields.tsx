/** The fields of a callout besides its questions. */
import type { Callout, CalloutPersonal, Need } from '../../shared/api/schema';
import { instantOf, localOf } from '../../shared/lib/dates';
import { Checkbox } from '../../shared/ui/checkbox';
import { Row, Stack } from '../../shared/ui/layout';
import { type Option, SelectField } from '../../shared/ui/select';
import { Switch } from '../../shared/ui/switch';
import { AreaField, TextField } from '../../shared/ui/text-field';
import { optionsOf, useDepartments } from '../common/departments';
import { LabelChip, useLabels } from '../common/labels/labels';
import { useRights } from '../common/session/session-context';
import styles from './callouts.module.css';
import { titled } from './draft';

export interface FieldsProps {
  now: Callout;
  /** It was open, and its address is known to the public. */
  fixed: boolean;
  /** The attributes by which an error is shown at its field and leads to it. */
  field: (name: string) => { name: string; error: string | undefined };
  type: (change: Partial<Callout>) => void;
}

/** The texts before and after the questions, each with its label, what helps to write it, and whether it has a line only. */
const TEXTS = {
  before: [
    ['title', 'Titolo', 'Lo legge il pubblico, in cima alla pagina.', true],
    ['slug', 'Indirizzo', 'Dopo l’apertura non cambia più.', true],
    ['intro', 'Introduzione', 'Che cosa cercate e perché: si legge prima della prima domanda.', false],
  ],
  after: [
    ['thanks', 'Ringraziamento', 'Vuoto: il saluto della chat.', false],
    ['closedText', 'Testo a inchiesta chiusa', 'Per chi apre il link quando è chiusa.', false],
  ],
} as const;

export function Texts({ of, now, field, type, fixed }: FieldsProps & { of: keyof typeof TEXTS }) {
  return (
    <Stack gap={4}>
      {TEXTS[of].map(([name, label, hint, line]) => {
        const onValue = (value: string) =>
          type(name === 'title' && !fixed ? titled(now, value) : { [name]: value });
        const props = { label, hint, value: now[name], onValue, ...field(name) };
        const Field = line ? TextField : AreaField;
        return fixed && name === 'slug' ? null : <Field key={name} {...props} />;
      })}
    </Stack>
  );
}

export const NEEDS: readonly Option<Need>[] = [
  { value: 'required', label: 'Obbligatorio' },
  { value: 'optional', label: 'Facoltativo' },
  { value: 'off', label: 'Non si chiede' },
];

const PERSONAL = Object.entries({
  nome: 'Nome',
  cognome: 'Cognome',
  telefono: 'Telefono',
  email: 'Email',
  indirizzo: 'Indirizzo di casa',
}) as [keyof CalloutPersonal, string][];

/** The labels of the fields by their dotted names. */
export const LABELS: ReadonlyMap<string, string> = new Map([
  ...[...TEXTS.before, ...TEXTS.after].map(([name, label]) => [name, label] as const),
  ...PERSONAL.map(([name, label]) => [`personal.${name}`, label] as const),
  ['account', 'Racconto'],
  ['attachments', 'File'],
  ['department', 'Reparto'],
  ['opensAt', 'Apre il'],
  ['closesAt', 'Chiude il'],
  ['labels', 'Etichette'],
]);

export function Asks({ now: { personal, account, attachments }, type }: FieldsProps) {
  const need = (label: string, value: Need, onValue: (need: Need) => void) => (
    <SelectField key={label} options={NEEDS} {...{ label, value, onValue }} />
  );
  return (
    <Stack gap={4}>
      <div className={styles.needs}>
        {need('Racconto', account, (to) => type({ account: to }))}
        {PERSONAL.map(([name, label]) =>
          need(label, personal[name], (to) => type({ personal: { ...personal, [name]: to } })),
        )}
      </div>
      <p>Chi non lascia il nome compare come «Anonimo».</p>
      <Switch
        label="Si possono allegare file"
        checked={attachments}
        onChange={(on) => type({ attachments: on })}
      />
    </Stack>
  );
}

export function Department({ now, field, type }: FieldsProps) {
  const { administers } = useRights();
  const { seen } = useDepartments();
  const routed: Option<string>[] = administers ? [{ value: '', label: 'Secondo lo smistamento' }] : [];
  return (
    <SelectField
      label="Reparto"
      hint="Riceve le risposte; chi ne fa parte può modificare l’inchiesta."
      {...field('department')}
      value={now.department ?? ''}
      options={[...routed, ...optionsOf(seen)]}
      onValue={(desk) => type({ department: desk || null })}
    />
  );
}

export function Timing({ now, field, type }: FieldsProps) {
  const labels = useLabels();
  const moment = (name: 'opensAt' | 'closesAt', label: string, hint: string) => (
    <TextField
      {...{ label, hint, ...field(name) }}
      type="datetime-local"
      value={now[name] ? localOf(now[name]) : ''}
      onValue={(typed) => type({ [name]: typed ? instantOf(typed) : null })}
    />
  );
  const choose = (id: number) => (chosen: boolean) =>
    type({ labels: [...now.labels.filter((other) => other !== id), ...(chosen ? [id] : [])].toSorted() });
  return (
    <Stack gap={4}>
      {moment('opensAt', 'Apre il', 'Vuoto: appena la apri.')}
      {moment('closesAt', 'Chiude il', 'Vuoto: finché non la chiudi.')}
      <Row role="group" aria-label="Etichette che ricevono le risposte">
        {labels.map((label) => (
          <Checkbox key={label.id} checked={now.labels.includes(label.id)} onChange={choose(label.id)}>
            <LabelChip label={label} />
          </Checkbox>
        ))}
      </Row>
    </Stack>
  );
}
