import { useState } from 'react';
import { useLocation, useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import { newKey } from '../../shared/lib/send-key';
import { type Option, SelectField } from '../../shared/ui/select';
import { AreaField, TextField } from '../../shared/ui/text-field';
import { useAction } from '../common/action';
import { errorsOf, isProblem } from '../common/errors';
import { FormDialog } from '../common/form-dialog';
import { paths, type Trail } from '../common/paths';
import { EMPTY_ENTRY, ENTRY_FIELDS } from '../common/report-fields';
import { useRights } from '../common/session/session-context';
import { useRefresh } from '../common/use-read';
import styles from './entry-dialog.module.css';

type Origin = 'telefono' | 'lettera' | 'di persona';
const ORIGINS: readonly Option<Origin>[] = [
  { value: 'telefono', label: 'Per telefono' },
  { value: 'lettera', label: 'Per lettera' },
  { value: 'di persona', label: 'Di persona' },
];

async function isSeen(id: string): Promise<boolean> {
  try {
    await call('get', '/reports/{id}', { path: { id }, background: true });
    return true;
  } catch (error) {
    return !isProblem(error, 'non-trovato');
  }
}

export default function EntryDialog({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState(EMPTY_ENTRY);
  const [origine, setOrigine] = useState<Origin>('telefono');
  // Every attempt has one key: a report whose answer got lost is not stored twice.
  const [key] = useState(newKey);
  const action = useAction();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const { search } = useLocation();
  const { who } = useRights();
  const { eta, ...texts } = values;
  const years = eta.trim();
  const notYears = /^\d{0,3}$/.test(years) ? {} : { eta: 'Scrivi l’età in cifre.' };
  const wrong: Readonly<Record<string, string>> = { ...errorsOf(action.failure), ...notYears };
  const set = (name: keyof typeof EMPTY_ENTRY) => (text: string) =>
    setValues((before) => ({ ...before, [name]: text }));
  const save = async () => {
    const age = years === '' ? {} : { eta: Math.min(Number(years), 255) };
    const { id } = await call('post', '/reports', { body: { ...texts, ...age, origine, key } });
    // Where it belongs the program decides, which may be out of sight.
    const away = who !== null && who.departments.length > 0 && !(await isSeen(id));
    void refresh();
    onClose();
    if (away) {
      navigate({ search }, { replace: true, state: { away } satisfies Trail });
    } else {
      navigate(paths.report(id));
    }
  };
  return (
    <FormDialog
      title="Nuova segnalazione"
      className={styles.entry}
      of={action}
      failed="Segnalazione non salvata"
      label="Salva"
      blocked={'eta' in notYears}
      onSubmit={() => !('eta' in notYears) && void action.run(save)}
      onClose={onClose}
    >
      <AreaField
        label="Racconto"
        error={wrong.segnalazione}
        rows={6}
        value={values.segnalazione}
        onValue={set('segnalazione')}
      />
      <div className={styles.who}>
        {ENTRY_FIELDS.map(({ name, label }) => (
          <TextField key={name} label={label} error={wrong[name]} value={values[name]} onValue={set(name)} />
        ))}
        <SelectField
          label="Come è arrivata"
          error={wrong.origine}
          value={origine}
          options={ORIGINS}
          onValue={setOrigine}
        />
      </div>
    </FormDialog>
  );
}
