import { type ReactNode, useMemo } from 'react';
import type { SystemInfo } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Card } from '../../shared/ui/card';
import { Field } from '../../shared/ui/field';
import { Skeleton } from '../../shared/ui/skeleton';
import { TextArea } from '../../shared/ui/text-area';
import { RecoveredNotice, SaveBar } from '../common/edits/save-bar';
import { type EditsForm, useEdits } from '../common/edits/use-edits';
import { ErrorCard } from '../common/error-card';
import { useLeaveGuard } from '../common/leave-guard';
import { BackupCard } from './backup-card';
import { ColorSetting } from './color-setting';
import { Setting, SwitchSetting, TextSetting } from './fields';
import { HealthCard } from './health-card';
import { LogoSetting } from './logo-setting';
import { messages } from './messages';
import { NoticePreview } from './notice-preview';
import { useSaveSystem, useSystem, useSystemInfo } from './queries';
import { ResetCard } from './reset-card';
import { changesFor, formOf, type SystemForm, type SystemSection } from './sections';
import { cardsClass, SettingsPage, stackClass } from './settings-page';
import styles from './system-page.module.css';
import { WebhookCard } from './webhook-card';

export function SystemPage() {
  return (
    <SettingsPage
      title={messages.system.title}
      subtitle="Stato del sistema, nomi e aspetto, informativa sulla privacy, backup, webhook"
      section={useSystem()}
    >
      {(system) => <SystemEditor system={system} />}
    </SettingsPage>
  );
}

function SystemEditor({ system }: { system: SystemSection }) {
  const save = useSaveSystem();
  const saved = useMemo(() => formOf(system), [system]);
  const form = useEdits<SystemForm>({
    name: 'system',
    saved,
    send: async (changes) => formOf(await save(changesFor(changes, system))),
    success: messages.system.saved,
  });
  useLeaveGuard(
    form.dirty,
    'Hai modificato le impostazioni di sistema. Se esci adesso, le modifiche vanno perse.',
  );

  return (
    <>
      <RecoveredNotice form={form} />
      <div className={cardsClass} ref={form.area}>
        <HealthCard />
        <Card title="Personalizzazione Interfaccia">
          <Interface form={form} />
        </Card>
        <Card title="Informativa sulla privacy">
          <Notice form={form} />
        </Card>
        <BackupCard form={form} />
        <WebhookCard
          form={form}
          savedUrl={system.webhookUrl}
          keyStored={system.webhookApiKeySet}
          signed={system.webhookSecretSet}
        />
        <Card title="Informazioni di Sistema">
          <Information />
        </Card>
        <ResetCard onReset={form.discard} />
      </div>
      <SaveBar form={form} failureTitle={messages.saveFailed} fields={(key) => key in form.values} />
    </>
  );
}

function Interface({ form }: { form: EditsForm<SystemForm> }) {
  return (
    <div className={stackClass}>
      <TextSetting
        form={form}
        name="productName"
        label="Nome del prodotto"
        hint="Nel titolo delle pagine e nei nomi dei file esportati."
      />
      <TextSetting
        form={form}
        name="assistantName"
        label="Nome dell’assistente"
        hint="Con cui la chat si presenta: è il segnaposto {name} delle frasi."
      />
      <TextSetting
        form={form}
        name="organizationName"
        label="Nome della redazione"
        hint="Nel titolo e nel pannello: è il segnaposto {org} delle frasi."
      />
      <LogoSetting />
      <TextSetting
        form={form}
        name="logoUrl"
        type="url"
        label="Indirizzo del logo"
        hint="In alternativa al file: il server lo scarica una volta sola, quando salvi, e poi lo mostra da qui. Se lo svuoti, il logo scaricato sparisce."
      />
      <ColorSetting form={form} />
      <SwitchSetting
        form={form}
        name="darkMode"
        label="Tema scuro"
        hint="Per il pannello e per la pagina pubblica, appena salvi."
      />
    </div>
  );
}

function Notice({ form }: { form: EditsForm<SystemForm> }) {
  const { privacyNotice, privacyUrl } = form.values;
  return (
    <div className={stackClass}>
      <Setting name="privacyNotice">
        <Field
          label="Testo"
          hint="Si legge prima della prima domanda. Con ogni segnalazione si conserva quale versione del testo era in vigore."
          error={form.errors.privacyNotice}
        >
          {(control) => (
            <TextArea
              {...control}
              rows={5}
              value={privacyNotice}
              onChange={(event) => form.set('privacyNotice', event.target.value)}
            />
          )}
        </Field>
      </Setting>
      <TextSetting
        form={form}
        name="privacyUrl"
        type="url"
        label="Collegamento all’informativa completa"
        hint="Indirizzo completo, che inizia con https://. Se è vuoto, il collegamento non compare."
      />
      <NoticePreview text={privacyNotice} url={privacyUrl} />
    </div>
  );
}

const ARCHIVE: Readonly<Record<SystemInfo['database'], string>> = {
  online: 'In funzione',
  demo: 'In memoria: nulla viene conservato',
  unavailable: 'Non raggiungibile',
};

function Information() {
  const info = useSystemInfo();
  if (info.isError) {
    return (
      <ErrorCard title="Il server non ha risposto" error={info.error} onRetry={() => void info.refetch()} />
    );
  }
  if (!info.data) {
    return <Skeleton lines={3} />;
  }
  const { version, commit, built, database } = info.data;
  return (
    <dl className={styles.facts}>
      <Fact name="Versione">
        <span>{version}</span> <span className={styles.commit}>({commit})</span>
      </Fact>
      <Fact name="Ambiente">{database === 'demo' ? 'Demo' : 'Produzione'}</Fact>
      <Fact name="Ultimo aggiornamento">{formatDateTime(built)}</Fact>
      <Fact name="Archivio">{ARCHIVE[database]}</Fact>
    </dl>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
