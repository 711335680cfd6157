import { useEffect, useState } from 'react';
import { call } from '../../shared/api/client';
import type { SystemInfo } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Stack, Text } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { Asked, Failure, useAction } from '../common/action';
import { announceBranding } from '../common/branding-keeper';
import { Loaded } from '../common/loaded';
import { useRead } from '../common/use-read';
import { BackupNow } from './backup-now';
import { SettingsCard } from './controls';
import { HealthCard } from './health-card';
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
  const form = useSettingsForm('system', system, 'Impostazioni di sistema salvate con successo!');
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

/** How long the good news stays before the page is loaded anew, in milliseconds. */
const RELOAD_MS = 1500;

/** Puts every setting back to its default. `onReset`: nothing typed on this page is worth keeping any more. */
export function ResetCard({ onReset }: { onReset: () => void }) {
  const [done, setDone] = useState(false);
  const action = useAction();

  useEffect(() => {
    if (!done) {
      return;
    }
    const timer = setTimeout(() => window.location.reload(), RELOAD_MS);
    return () => clearTimeout(timer);
  }, [done]);

  const reset = async () => {
    await call('delete', '/settings', {});
    announceBranding();
    onReset();
    setDone(true);
    return null;
  };

  return (
    <Card title="Ripristino">
      <Stack align="start">
        <p>
          Riporta tutte le impostazioni ai valori predefiniti. Password, registro degli accessi, tentativi di
          accesso e frasi della chat restano come sono.
        </p>
        <Failure of={action} title="Errore durante il ripristino delle impostazioni" />
        <Asked
          of={action}
          label="Ripristina le impostazioni"
          confirmLabel="Ripristina"
          blocked={done}
          work={reset}
        >
          <p>
            Sei sicuro di voler ripristinare tutte le impostazioni ai valori predefiniti? Questa azione non
            può essere annullata.
          </p>
        </Asked>
        <div role="status">
          {done ? (
            <Text tone="success" strong>
              Impostazioni ripristinate ai valori predefiniti!
            </Text>
          ) : null}
        </div>
      </Stack>
    </Card>
  );
}
