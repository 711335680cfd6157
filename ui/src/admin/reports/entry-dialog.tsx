/** A report that came by telephone, by letter or in person, taken down by staff. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { newKey } from '../../shared/lib/send-key';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Field } from '../../shared/ui/field';
import { Stack } from '../../shared/ui/layout';
import { type Option, SelectField } from '../../shared/ui/select';
import { TextArea, TextInput } from '../../shared/ui/text-input';
import { Failure, useAction } from '../common/action';
import { isProblem } from '../common/errors';
import { paths } from '../common/paths';

type Origin = 'telefono' | 'lettera' | 'di persona';
const ORIGINS: readonly Option<Origin>[] = [
  { value: 'telefono', label: 'Per telefono' },
  { value: 'lettera', label: 'Per lettera' },
  { value: 'di persona', label: 'Di persona' },
];

const FIELDS = [
  { name: 'nome', label: 'Nome' },
  { name: 'cognome', label: 'Cognome' },
  { name: 'telefono', label: 'Telefono (facoltativo)' },
  { name: 'email', label: 'E-mail (facoltativa)' },
  { name: 'indirizzo', label: 'Indirizzo (facoltativo)' },
  { name: 'eta', label: 'Età (facoltativa)' },
] as const;
type Name = (typeof FIELDS)[number]['name'] | 'segnalazione';
const NOTHING: Readonly<Record<Name, string>> = {
  nome: '',
  cognome: '',
  telefono: '',
  email: '',
  indirizzo: '',
  eta: '',
  segnalazione: '',
};

export default function EntryDialog({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState(NOTHING);
  const [origine, setOrigine] = useState<Origin>('telefono');
  // The same for each attempt: one whose answer got lost is not stored twice.
  const [key] = useState(newKey);
  const [wrong, setWrong] = useState<Readonly<Record<string, string>>>({});
  const action = useAction();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useId();
  const set = (name: Name) => (event: { target: { value: string } }) =>
    setValues((before) => ({ ...before, [name]: event.target.value }));
  const save = () =>
    void action.run(async () => {
      const { eta, ...texts } = values;
      const years = eta.trim();
      if (years !== '' && !/^\d{1,3}$/.test(years)) {
        setWrong({ eta: 'Scrivi l’età in cifre.' });
        return null;
      }
      const age = years === '' ? {} : { eta: Math.min(Number(years), 255) };
      try {
        const { id } = await call('post', '/reports', { body: { ...texts, ...age, origine, key } });
        void client.invalidateQueries();
        onClose();
        navigate(paths.report(id));
      } catch (error) {
        if (!isProblem(error, 'dati-non-validi')) {
          throw error;
        }
        setWrong(error.errors);
      }
      return null;
    });
  return (
    <Dialog
      open
      title="Nuova segnalazione"
      onCancel={onClose}
      actions={
        <>
          <Button onClick={onClose}>Annulla</Button>
          <Button type="submit" form={form} variant="primary" inactive={action.busy}>
            {action.busy ? 'Salvataggio…' : 'Salva'}
          </Button>
        </>
      }
    >
      <Stack
        as="form"
        gap={3}
        id={form}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          setWrong({});
          save();
        }}
      >
        <SelectField
          label="Come è arrivata"
          error={wrong.origine}
          value={origine}
          options={ORIGINS}
          onValue={setOrigine}
        />
        {FIELDS.map(({ name, label }) => (
          <Field key={name} label={label} error={wrong[name]}>
            {(of) => <TextInput {...of} value={values[name]} autoComplete="off" onChange={set(name)} />}
          </Field>
        ))}
        <Field label="Racconto" error={wrong.segnalazione}>
          {(of) => <TextArea {...of} rows={8} value={values.segnalazione} onChange={set('segnalazione')} />}
        </Field>
        <Failure of={action} title="Segnalazione non salvata" />
      </Stack>
    </Dialog>
  );
}
