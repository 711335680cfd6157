import type { Security } from '../../shared/api/schema';
import { isProblem } from '../common/errors';
import { SettingsCard } from './controls';
import { LockoutDialog } from './lockout-dialog';
import { Log } from './log-card';
import { messages } from './messages';
import { PasswordForm } from './password-form';
import { RetentionStanding } from './retention-standing';
import { SealCard } from './seal-card';
import { useSettingsForm } from './section';
import { SECURITY_CONTROLS as CONTROLS } from './security-controls';
import { SettingsEditor, SettingsPage } from './settings-page';
import { WarningsCard } from './warnings-card';

export function SecurityPage() {
  return (
    <SettingsPage
      name="security"
      subtitle="Chi entra nel pannello, che cosa deve contenere una segnalazione, che cosa resta registrato"
    >
      {(security) => <SecurityEditor security={security} />}
    </SettingsPage>
  );
}

function SecurityEditor({ security }: { security: Security }) {
  const form = useSettingsForm('security', security, messages.security.saved);
  const lockout = isProblem(form.failure, 'esclusione') ? form.failure : null;
  const allow = (address: string) => {
    const list = [form.form.getValues('allowedIPs'), address].join(', ');
    form.dismissFailure();
    form.form.setValue('allowedIPs', list, { shouldDirty: true });
  };
  return (
    <>
      <SettingsEditor form={form} about="le impostazioni di sicurezza" bar={lockout ? { failure: null } : {}}>
        <WarningsCard security={security} />
        <SettingsCard
          title="Autenticazione Admin"
          of={CONTROLS}
          card="access"
          before={
            <>
              <PasswordForm />
              <hr />
            </>
          }
        />
        <SealCard />
        <SettingsCard title="Validazioni Segnalazioni" of={CONTROLS} card="rules" />
        <SettingsCard title="Logging e Monitoraggio" of={CONTROLS} card="logging">
          <hr />
          <Log />
        </SettingsCard>
        <SettingsCard title="Gestione Dati" of={CONTROLS} card="data">
          <RetentionStanding />
        </SettingsCard>
      </SettingsEditor>
      <LockoutDialog
        problem={lockout}
        onCancel={form.dismissFailure}
        onAdd={allow}
        onSave={() => form.save(true)}
      />
    </>
  );
}
