import type { SystemInfo } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Text } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { Loaded } from '../common/loaded';
import { useRead } from '../common/use-read';
import { BackupNow } from './backup-now';
import { SettingsCard } from './controls';
import { HealthCard } from './health-card';
import { messages } from './messages';
import { ResetCard } from './reset-card';
import { type Sections, useSettingsForm } from './section';
import { ServerBackups } from './server-backups';
import { SettingsEditor, SettingsPage } from './settings-page';
import { SYSTEM_CONTROLS as CONTROLS } from './system-controls';
import { Signature, WebhookTest } from './webhook';

export function SystemPage() {
  return (
    <SettingsPage
      name="system"
      subtitle="Stato del sistema, nomi e aspetto, informativa sulla privacy, backup, webhook"
    >
      {(system) => <SystemEditor system={system} />}
    </SettingsPage>
  );
}

function SystemEditor({ system }: { system: Sections['system'] }) {
  const form = useSettingsForm('system', system, messages.system.saved);
  return (
    <SettingsEditor form={form} about="le impostazioni di sistema">
      <HealthCard />
      <SettingsCard title="Personalizzazione Interfaccia" of={CONTROLS} card="interface" />
      <SettingsCard title="Informativa sulla privacy" of={CONTROLS} card="notice" />
      <SettingsCard title="Backup e manutenzione" of={CONTROLS} card="backup" before={<BackupNow />}>
        <ServerBackups />
      </SettingsCard>
      <SettingsCard title="API e integrazioni" of={CONTROLS} card="webhook">
        <Signature signed={system.webhookSecretSet} />
        <WebhookTest />
      </SettingsCard>
      <Card title="Informazioni di Sistema">
        <Information />
      </Card>
      <ResetCard onReset={form.discard} />
    </SettingsEditor>
  );
}

const ARCHIVE: Readonly<Record<SystemInfo['database'], string>> = {
  online: 'In funzione',
  demo: 'In memoria: nulla viene conservato',
  unavailable: 'Non raggiungibile',
};

function Information() {
  return (
    <Loaded
      query={useRead('/system', { background: true })}
      failed="Il server non ha risposto"
      loading="Caricamento delle informazioni…"
      placeholder={<Skeleton lines={3} tall />}
    >
      {({ version, commit, built, database }) => (
        <Facts layout="narrow">
          <Fact name="Versione">
            <span>{version}</span>{' '}
            <Text as="span" tone="muted">
              ({commit})
            </Text>
          </Fact>
          <Fact name="Ambiente">{database === 'demo' ? 'Demo' : 'Produzione'}</Fact>
          <Fact name="Ultimo aggiornamento">{formatDateTime(built)}</Fact>
          <Fact name="Archivio">{ARCHIVE[database]}</Fact>
        </Facts>
      )}
    </Loaded>
  );
}
