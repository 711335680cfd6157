import { useState } from 'react';
import { Card } from '../../shared/ui/card';
import { Confirm } from '../../shared/ui/confirm';
import { SettingsCard } from './controls';
import { EMAIL_CONTROLS as CONTROLS } from './email-controls';
import { Departments } from './email-departments';
import { EmailTestButton, useEmailTest } from './email-test';
import { MemoryCard } from './memory-card';
import { messages } from './messages';
import { RoutingTrial } from './routing-trial';
import { type EmailSection, useSettingsForm } from './section';
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
  const form = useSettingsForm('email', email, messages.email.saved);
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
        <p>{messages.email.failedTestQuestion}</p>
      </Confirm>
    </>
  );
}
