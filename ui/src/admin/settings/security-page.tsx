import { useMemo } from 'react';
import type { Security } from '../../shared/api/schema';
import { Card } from '../../shared/ui/card';
import { RecoveredNotice, SaveBar } from '../common/edits/save-bar';
import { type EditsForm, useEdits } from '../common/edits/use-edits';
import { isProblem } from '../common/errors';
import { useLeaveGuard } from '../common/leave-guard';
import { DesktopPermission } from '../notices/desktop-permission';
import { NumberSetting, SwitchSetting } from './fields';
import { ListSetting } from './list-setting';
import { LockoutDialog } from './lockout-dialog';
import { Log } from './log-card';
import { messages } from './messages';
import { PasswordForm } from './password-form';
import { useSaveSecurity, useSecurity } from './queries';
import { RetentionStanding } from './retention-standing';
import { SealCard } from './seal-card';
import { changesFor, formOf, type SecurityForm } from './sections';
import { cardsClass, SettingsPage, stackClass } from './settings-page';
import { WarningsCard } from './warnings-card';

export function SecurityPage() {
  return (
    <SettingsPage
      title={messages.security.title}
      subtitle="Chi entra nel pannello, che cosa deve contenere una segnalazione, che cosa resta registrato"
      section={useSecurity()}
    >
      {(security) => <SecurityEditor security={security} />}
    </SettingsPage>
  );
}

function SecurityEditor({ security }: { security: Security }) {
  const save = useSaveSecurity();
  const saved = useMemo(() => formOf(security), [security]);
  const form = useEdits<SecurityForm>({
    name: 'security',
    saved,
    send: async (changes, confirmed) => formOf(await save(changesFor(changes, security), confirmed)),
    success: messages.security.saved,
  });
  useLeaveGuard(
    form.dirty,
    'Hai modificato le impostazioni di sicurezza. Se esci adesso, le modifiche vanno perse.',
  );
  const lockout = isProblem(form.failure, 'esclusione') ? form.failure : null;

  return (
    <>
      <RecoveredNotice form={form} />
      <div className={cardsClass} ref={form.area}>
        <WarningsCard security={security} />
        <Card title="Autenticazione Admin">
          <div className={stackClass}>
            <PasswordForm />
            <hr />
            <Access form={form} />
          </div>
        </Card>
        <SealCard />
        <Card title="Validazioni Segnalazioni">
          <Rules form={form} />
        </Card>
        <Card title="Logging e Monitoraggio">
          <Logging form={form} />
        </Card>
        <Card title="Gestione Dati">
          <div className={stackClass}>
            <NumberSetting
              form={form}
              name="autoArchiveDays"
              label="Archiviazione automatica"
              unit="giorni"
              hint="Le segnalazioni risolte passano ad Archiviata da sole, dopo questi giorni."
            />
            <NumberSetting
              form={form}
              name="reportRetentionDays"
              label="Conservazione delle segnalazioni"
              unit="giorni (0: senza limite)"
              hint="Passati questi giorni dall’arrivo, le segnalazioni aperte da qualcuno e poi risolte o archiviate vengono cancellate per sempre. Il pannello avvisa 14 giorni prima, anche quando questo numero cambia. Quelle nuove, in lavorazione o mai aperte restano."
            />
            <RetentionStanding />
          </div>
        </Card>
      </div>
      <SaveBar
        form={lockout ? { ...form, failure: null } : form}
        failureTitle={messages.saveFailed}
        fields={(key) => key in form.values}
      />
      <LockoutDialog
        problem={lockout}
        onCancel={form.dismissFailure}
        onAdd={(address) => {
          form.dismissFailure();
          form.set('allowedIPs', [form.values.allowedIPs, address].join(', '));
        }}
        onSave={() => form.save(true)}
      />
    </>
  );
}

function Access({ form }: { form: EditsForm<SecurityForm> }) {
  return (
    <>
      <NumberSetting
        form={form}
        name="sessionTimeout"
        label="Uscita automatica"
        unit="minuti senza attività"
        hint="In ogni caso la sessione finisce dopo 12 ore."
      />
      <SwitchSetting
        form={form}
        name="enableRateLimiting"
        label="Limita i tentativi di accesso (5 tentativi max)"
        hint="Dopo 5 password sbagliate in 15 minuti, da quell’indirizzo bisogna aspettare."
      />
      <ListSetting
        name="allowedIPs"
        label="Indirizzi IP autorizzati"
        hint="Indirizzi singoli o intervalli, per esempio 203.0.113.7 oppure 192.0.2.0/24. Chi si collega da altri indirizzi non entra nel pannello; la chat resta aperta a tutti."
        listLabel="Indirizzi autorizzati"
        empty="Nessun indirizzo nell’elenco: si entra da ovunque."
        placeholder="Indirizzo o intervallo"
        single
        value={form.values.allowedIPs}
        error={form.errors.allowedIPs}
        onChange={(value) => form.set('allowedIPs', value)}
        onPending={(pending) => form.setPending('allowedIPs', pending)}
      />
    </>
  );
}

function Rules({ form }: { form: EditsForm<SecurityForm> }) {
  return (
    <div className={stackClass}>
      <NumberSetting
        form={form}
        name="minReportLength"
        label="Lunghezza minima del racconto"
        unit="caratteri"
      />
      <NumberSetting form={form} name="minWordCount" label="Parole minime del racconto" unit="parole" />
      <ListSetting
        name="forbiddenWords"
        label="Parole vietate"
        hint="Se il racconto ne contiene una, anche dentro un’altra parola, l’assistente risponde che non può dare consigli legali e ripete la domanda."
        listLabel="Elenco delle parole vietate"
        empty="Nessuna parola vietata."
        placeholder="Parola o frase"
        value={form.values.forbiddenWords}
        error={form.errors.forbiddenWords}
        onChange={(value) => form.set('forbiddenWords', value)}
        onPending={(pending) => form.setPending('forbiddenWords', pending)}
      />
      <NumberSetting
        form={form}
        name="maxReportsPerDay"
        label="Soglia giornaliera di segnalazioni"
        unit="al giorno"
        hint="È una soglia di allerta, non un limite: le segnalazioni oltre questo numero arrivano comunque."
      />
    </div>
  );
}

function Logging({ form }: { form: EditsForm<SecurityForm> }) {
  return (
    <div className={stackClass}>
      <SwitchSetting
        form={form}
        name="enableNotifications"
        label="Avvisa delle nuove segnalazioni"
        hint="Un numero nel titolo della finestra e, dove il browser lo consente, una notifica sul desktop. L’avviso non dice nulla della segnalazione."
      />
      {form.values.enableNotifications ? <DesktopPermission /> : null}
      <hr />
      <SwitchSetting
        form={form}
        name="enableLogging"
        label="Registra gli accessi al pannello"
        hint="Chi entra, quali segnalazioni apre, che cosa cambia. Mai il contenuto di una segnalazione, mai chi la scrive."
      />
      <NumberSetting
        form={form}
        name="logRetentionDays"
        label="Conservazione del registro"
        unit="giorni"
        hint="Le voci più vecchie vengono cancellate da sole."
      />
      <hr />
      <Log />
    </div>
  );
}
