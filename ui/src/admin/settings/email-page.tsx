import { useMemo, useState } from 'react';
import { Card } from '../../shared/ui/card';
import { Confirm } from '../../shared/ui/confirm';
import { MailLacks } from '../common/deliveries/mail-lacks';
import { RecoveredNotice, SaveBar } from '../common/edits/save-bar';
import { type EditsForm, useEdits } from '../common/edits/use-edits';
import { useLeaveGuard } from '../common/leave-guard';
import { EmailRouting } from './email-routing';
import { EmailServer } from './email-server';
import { SelectSetting, SwitchSetting, TextSetting } from './fields';
import { lacksOf } from './mail-lacks';
import { MemoryCard } from './memory-card';
import { messages } from './messages';
import { useEmail, useSaveEmail } from './queries';
import { RoutingTrial } from './routing-trial';
import { changesFor, type EmailForm, type EmailSection, formOf } from './sections';
import { cardsClass, SettingsPage, stackClass } from './settings-page';
import { useEmailTest } from './use-email-test';

export function EmailPage() {
  return (
    <SettingsPage
      title={messages.email.title}
      subtitle="Chi riceve le segnalazioni, quale server le spedisce, a quale reparto vanno"
      section={useEmail()}
    >
      {(email) => <EmailEditor email={email} />}
    </SettingsPage>
  );
}

function EmailEditor({ email }: { email: EmailSection }) {
  const save = useSaveEmail();
  const saved = useMemo(() => formOf(email), [email]);
  const form = useEdits<EmailForm>({
    name: 'email',
    saved,
    send: async (changes) => formOf(await save(changesFor(changes, email))),
    success: messages.email.saved,
  });
  const test = useEmailTest(form, email);
  const [asking, setAsking] = useState(false);
  useLeaveGuard(
    form.dirty,
    'Hai modificato le impostazioni email. Se esci adesso, le modifiche vanno perse.',
  );

  return (
    <>
      <RecoveredNotice form={form} />
      <div className={cardsClass} ref={form.area}>
        <Card title="Impostazioni di base">
          <Basics form={form} />
        </Card>
        <Card title="Server SMTP">
          <EmailServer form={form} test={test} />
        </Card>
        <Card title="Smistamento ai reparti">
          <EmailRouting form={form} />
        </Card>
        <Card title="Prova dello smistamento">
          <RoutingTrial form={form} email={email} />
        </Card>
        <Card title="Che cosa ricorda lo smistamento">
          <MemoryCard smart={email.enableDepartmentRouting && email.routingMode === 'smart'} />
        </Card>
      </div>
      <SaveBar
        // What is about to be saved did not work when it was tried: that is asked about first.
        form={test.failed ? { ...form, save: () => setAsking(true) } : form}
        failureTitle={messages.saveFailed}
        fields={(key) => key in form.values}
      />
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

const CONTENT = [
  { value: 'completa', label: 'Completa: tutti i dati della segnalazione' },
  { value: 'avviso', label: 'Solo avviso: reparto, data e collegamento al pannello' },
] as const;

function Basics({ form }: { form: EditsForm<EmailForm> }) {
  return (
    <div className={stackClass}>
      <SwitchSetting
        form={form}
        name="emailAutoSend"
        label="Invia una email per ogni segnalazione"
        hint="Parte da sola appena la segnalazione è salvata. Se il server di posta non risponde, viene ritentata."
      />
      <MailLacks lacks={lacksOf(form.values)} />
      <TextSetting
        form={form}
        name="emailRecipient"
        type="email"
        label="Destinatario"
        hint="Chi riceve le segnalazioni che non vanno a un reparto, e le email di prova."
      />
      <TextSetting
        form={form}
        name="emailFrom"
        type="email"
        label="Mittente"
        hint="L’indirizzo da cui partono le email: di solito quello dell’utente del server SMTP."
      />
      <TextSetting
        form={form}
        name="emailSubject"
        label="Oggetto"
        hint="Segnaposto: {department} è il reparto, {date} la data, {product} il nome del prodotto, {id} il numero."
      />
      <SelectSetting
        form={form}
        name="emailContent"
        label="Che cosa contiene"
        options={CONTENT}
        hint="Una email non è cifrata come l’archivio: con «Solo avviso» i dati di chi scrive restano nel pannello."
      />
    </div>
  );
}
