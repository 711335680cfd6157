import { useState } from 'react';
import { Card } from '../../shared/ui/card';
import { Confirm } from '../../shared/ui/confirm';
import { Stack, Text } from '../../shared/ui/layout';
import { DEPARTMENTS, type DepartmentKey } from '../common/departments';
import { Setting, SettingsCard } from './controls';
import { EMAIL_CONTROLS as CONTROLS, EMAIL_CONTROLS } from './email-controls';
import styles from './email-departments.module.css';
import { EmailTestButton, useEmailTest } from './email-test';
import { entriesOf } from './list-input';
import { MemoryCard } from './memory-card';
import { RoutingTrial } from './routing-trial';
import { type EmailSection, useSettings, useSettingsForm } from './section';
import { SettingsEditor, SettingsPage } from './settings-page';

export function EmailPage() {
  return (
    <SettingsPage
      name="email"
      subtitle="Chi riceve le segnalazioni, quale server le spedisce, a quale reparto vanno"
    >
      {(email) => <EmailEditor email={email} />}
    </SettingsPage>
  );
}

function EmailEditor({ email }: { email: EmailSection }) {
  const form = useSettingsForm('email', email, 'Impostazioni email salvate con successo!');
  const test = useEmailTest(form, email);
  const [asking, setAsking] = useState(false);
  return (
    <>
      <SettingsEditor
        form={form}
        about="le impostazioni email"
        // What is about to be saved did not work when it was tried: that is asked about first.
        bar={test.failed() ? { save: () => setAsking(true) } : {}}
      >
        <SettingsCard title="Impostazioni di base" of={CONTROLS} card="basics" />
        <SettingsCard title="Server SMTP" of={CONTROLS} card="server">
          <hr />
          <EmailTestButton test={test} />
        </SettingsCard>
        <SettingsCard title="Smistamento ai reparti" of={CONTROLS} card="routing">
          <Departments />
        </SettingsCard>
        <Card title="Prova dello smistamento">
          <RoutingTrial email={email} />
        </Card>
        <Card title="Che cosa ricorda lo smistamento">
          <MemoryCard smart={email.enableDepartmentRouting && email.routingMode === 'smart'} />
        </Card>
      </SettingsEditor>
      <Confirm
        open={asking}
        title="Il test email è fallito"
        confirmLabel="Salva comunque"
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          form.save();
        }}
      >
        <p>
          Il test email è fallito. Vuoi salvare comunque le impostazioni? Le email potrebbero non funzionare
          correttamente.
        </p>
      </Confirm>
    </>
  );
}

/** Address and keywords of each department. */
export function Departments() {
  return (
    <Stack as="ul" gap={2} aria-label="Reparti">
      {DEPARTMENTS.map(({ key, name }) => (
        <li key={key}>
          <Department department={key} name={name} />
        </li>
      ))}
    </Stack>
  );
}

function Department({ department, name }: { department: DepartmentKey; name: string }) {
  const email = `dept_${department}_email` as const;
  const keywords = `dept_${department}_keywords` as const;
  const { form, values } = useSettings<'email'>();
  const { errors } = form.formState;
  const [opened, setOpened] = useState(false);
  const count = entriesOf(values[keywords]).length;
  return (
    <details
      className={styles.department}
      // What is wrong inside must be seen, and be able to take the focus.
      open={opened || errors[email] !== undefined || errors[keywords] !== undefined}
      onToggle={(event) => setOpened(event.currentTarget.open)}
    >
      <summary className={styles.summary}>
        <strong>{name}</strong>
        <Text as="span" tone="muted" small>
          {values[email] || 'nessuna email'} · {count === 1 ? '1 parola' : `${count} parole`}
        </Text>
      </summary>
      <Stack gap={6} className={styles.fields}>
        <Setting name={email} control={EMAIL_CONTROLS[email]} />
        <Setting name={keywords} control={EMAIL_CONTROLS[keywords]} />
      </Stack>
    </details>
  );
}
