import { useState } from 'react';
import { DEPARTMENTS, type DepartmentKey, GENERAL } from '../common/departments';
import type { EditsForm } from '../common/edits/use-edits';
import styles from './email-routing.module.css';
import { NumberSetting, SelectSetting, SwitchSetting, TextSetting } from './fields';
import { entriesOf } from './list';
import { ListSetting } from './list-setting';
import type { EmailForm } from './sections';
import { stackClass } from './settings-page';

const MODES = [
  { value: 'smart', label: 'Analisi del contenuto' },
  { value: 'keywords', label: 'Parole chiave' },
  { value: 'manual', label: 'Manuale' },
] as const;

const MEANING: Readonly<Record<EmailForm['routingMode'], string>> = {
  smart:
    'Legge tutto il racconto e sceglie il reparto più vicino. L’analisi avviene qui sul server: il testo non va da nessuna parte.',
  keywords:
    'Il primo reparto, nell’ordine qui sotto, di cui il racconto contiene una parola chiave, anche dentro un’altra parola.',
  manual: `Nessuna scelta automatica: va tutto a ${GENERAL.name}, e i reparti si assegnano a mano.`,
};

/** Which desk a report goes to. */
export function EmailRouting({ form }: { form: EditsForm<EmailForm> }) {
  const { routingMode } = form.values;
  return (
    <div className={stackClass}>
      <SwitchSetting
        form={form}
        name="enableDepartmentRouting"
        label="Smista le segnalazioni ai reparti"
        hint={`Spento, le email vanno tutte al destinatario delle impostazioni di base.`}
      />
      <SelectSetting
        form={form}
        name="routingMode"
        label="Come si sceglie il reparto"
        options={MODES}
        hint={MEANING[routingMode]}
      />
      {routingMode === 'smart' ? (
        <NumberSetting
          form={form}
          name="routingThreshold"
          label="Soglia"
          unit="%"
          hint={`Se nessun reparto è almeno così probabile, la segnalazione va a ${GENERAL.name}.`}
        />
      ) : null}
      <TextSetting
        form={form}
        name="emailFallback"
        type="email"
        label={`Email di ${GENERAL.name}`}
        hint="Per le segnalazioni che nessun reparto riconosce. Se è vuota, vanno al destinatario delle impostazioni di base."
      />
      <ul className={styles.departments} aria-label="Reparti">
        {DEPARTMENTS.map(({ key, name }) => (
          <li key={key}>
            <Department form={form} department={key} name={name} />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface DepartmentProps {
  form: EditsForm<EmailForm>;
  department: DepartmentKey;
  name: string;
}

function Department({ form, department, name }: DepartmentProps) {
  const email = `dept_${department}_email` as const;
  const keywords = `dept_${department}_keywords` as const;
  const wrong = form.errors[email] !== undefined || form.errors[keywords] !== undefined;
  const [opened, setOpened] = useState(false);
  const count = entriesOf(form.values[keywords]).length;
  return (
    <details
      className={styles.department}
      // What is wrong inside must be seen, and be able to take the focus.
      open={opened || wrong}
      onToggle={(event) => setOpened(event.currentTarget.open)}
    >
      <summary className={styles.summary}>
        <span className={styles.name}>{name}</span>
        <span className={styles.facts}>
          {form.values[email] || 'nessuna email'} · {count === 1 ? '1 parola' : `${count} parole`}
        </span>
      </summary>
      <div className={styles.fields}>
        <TextSetting
          form={form}
          name={email}
          type="email"
          label={`Email di ${name}`}
          hint="Se è vuota, le sue segnalazioni vanno all’indirizzo della redazione."
        />
        <ListSetting
          name={keywords}
          label={`Parole chiave di ${name}`}
          listLabel={`Elenco delle parole chiave di ${name}`}
          empty="Nessuna parola chiave."
          placeholder="Parola o frase"
          value={form.values[keywords]}
          error={form.errors[keywords]}
          onChange={(value) => form.set(keywords, value)}
          onPending={(pending) => form.setPending(keywords, pending)}
        />
      </div>
    </details>
  );
}
