import { Shield } from 'lucide-react';
import { useState } from 'react';
import { call } from '../../shared/api/client';
import type { SystemInfo } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { Asked, Failure, useAction } from '../common/action';
import { announceBranding } from '../common/branding-keeper';
import { CopyButton } from '../common/copy-button';
import { Loaded } from '../common/loaded';
import { useRead } from '../common/use-read';
import type { Sections } from './api';
import { BackupNow, ServerBackups } from './backups';
import { ColorSetting } from './color-setting';
import type { Cards } from './controls';
import { HealthCard } from './health-card';
import { LogoSetting } from './logo-setting';
import { useSettings } from './settings-page';
import { TaskPage } from './task-page';
import { Signature, WebhookTest } from './webhook';

const CARDS = {
  'system/names': {
    productName: {
      label: 'Nome del prodotto',
      hint: 'Nel titolo delle pagine e nei nomi dei file esportati.',
    },
    assistantName: {
      label: 'Nome dell’assistente',
      hint: 'Con cui la chat si presenta: è il segnaposto {name} delle frasi.',
    },
    organizationName: {
      label: 'Nome della redazione',
      hint: 'Nel titolo e nel pannello: è il segnaposto {org} delle frasi.',
    },
  },
  'system/look': {
    logoUrl: {
      type: 'url',
      label: 'Indirizzo del logo',
      hint: 'In alternativa al file: il server lo scarica una volta sola, quando salvi, e poi lo mostra da qui. Se lo svuoti, il logo scaricato sparisce.',
    },
    primaryColor: {
      own: ColorSetting,
      label: 'Colore principale',
      hint: 'Pulsanti, bolle di chi scrive, link. Nessun colore è vietato: dove non si leggerebbe, viene schiarito o scurito da solo.',
    },
    darkMode: {
      label: 'Tema scuro',
      hint: 'Dove non decide il dispositivo.',
    },
    deviceTheme: {
      label: 'Come il dispositivo',
      hint: 'Chat e pannello sono chiari o scuri come il telefono o il computer. Nel pannello ognuno può scegliere per sé.',
    },
  },
  'system/quick-exit': {
    quickExit: {
      label: '«Esci in fretta» nella chat',
      hint: 'Chi non vuole essere visto mentre scrive cancella tutto con un tocco e passa a un altro sito.',
    },
    quickExitUrl: {
      type: 'url',
      label: 'Sito su cui si esce',
      hint: 'Indirizzo completo, che inizia con https://. Meglio un sito che chiunque può avere aperto, come il meteo: non deve far pensare alla segnalazione.',
    },
  },
  'system/embed': {
    embedOrigins: {
      label: 'Siti che possono mostrare la chat',
      hint: 'Solo https:// e il nome, per esempio https://www.esempio.it: la chat compare dentro una loro pagina. Il pannello non si può mai incorporare.',
      list: {
        name: 'Siti che possono mostrare la chat',
        empty: 'Nessuno: la chat si apre solo al suo indirizzo.',
        placeholder: 'https://www.esempio.it',
        single: true,
      },
      below: Snippet,
    },
  },
  'system/receipts': {
    receiptsEnabled: {
      label: 'Dai un codice a chi segnala',
      hint: 'Con il codice, mostrato alla fine, si torna a vedere a che punto è la segnalazione, a leggere i messaggi della redazione e a risponderle.',
    },
    promiseFirstDays: {
      label: 'Promessa: letta entro',
      unit: 'giorni',
      hint: 'Chi segnala lo legge alla fine della chat e quando torna con il codice. 0: nessuna promessa.',
    },
    promiseOutcomeDays: {
      label: 'Promessa: saprà com’è andata entro',
      unit: 'giorni',
      hint: 'Vale la promessa del giorno in cui la segnalazione è arrivata, anche se qui poi cambia.',
    },
    replyTemplates: {
      type: 'area',
      label: 'Risposte pronte',
      hint: 'Si scelgono quando si scrive a chi ha segnalato. Una riga vuota le separa.',
    },
  },
  'system/privacy': {
    privacyNotice: {
      type: 'area',
      label: 'Testo',
      hint: 'Si legge prima della prima domanda. Con ogni segnalazione si conserva quale versione del testo era in vigore.',
    },
    privacyUrl: {
      type: 'url',
      label: 'Link all’informativa completa',
      hint: 'Indirizzo completo, che inizia con https://. Se è vuoto, il link non compare.',
      below: NoticePreview,
    },
  },
  'system/attachments': {
    attachmentsEnabled: {
      label: 'Allegati nella chat',
      hint: 'Chi scrive può aggiungere foto, video, audio, PDF e documenti al suo racconto. Il server li conserva sigillati, e quelli di chi non conclude spariscono dopo un giorno.',
    },
    attachmentMaxMb: { label: 'Dimensione massima di un file', unit: 'MB' },
    attachmentsPerReport: { label: 'File per segnalazione', unit: 'al massimo' },
    attachmentsTotalGb: {
      label: 'Spazio per gli allegati',
      unit: 'GB in tutto',
      hint: 'Quando è pieno non se ne accettano altri, e le segnalazioni continuano ad arrivare.',
    },
  },
  'system/backup': {
    backupFrequency: {
      label: 'Backup automatico',
      options: {
        disabled: 'Mai',
        daily: 'Ogni giorno',
        weekly: 'Ogni settimana',
        monthly: 'Ogni mese',
      },
    },
  },
  'system/webhook': {
    enableWebhook: {
      label: 'Webhook attivo',
      hint: 'Ogni segnalazione appena salvata viene inviata a un altro programma. Se non risponde, il server riprova da solo.',
    },
    webhookUrl: {
      type: 'url',
      label: 'Indirizzo del webhook',
      hint: 'Indirizzo completo, che inizia con https://.',
      below: MovedWebhook,
    },
    webhookPayload: {
      label: 'Che cosa inviare',
      options: {
        full: 'Tutta la segnalazione',
        thin: 'Solo l’avviso: numero e link, nessun dato personale',
      },
    },
    webhookApiKey: {
      label: 'Chiave API',
      noun: 'la chiave',
      hint: 'Se chi riceve la chiede: viaggia nell’intestazione Authorization: Bearer.',
    },
  },
} satisfies Cards<Sections['system']>;

/** The snippet that another site puts into its page; it works for the sites that are saved. */
function Snippet() {
  const { saved } = useSettings<'system'>();
  if (saved.embedOrigins === '') {
    return null;
  }
  const page = `${window.location.origin}${import.meta.env.BASE_URL}?embed`;
  const html = `<iframe src="${page}" title="Segnalazioni" allow="microphone" style="width:100%;height:44rem;border:0"></iframe>`;
  return (
    <Stack as="section" gap={2} align="start" aria-label="Codice da incollare">
      <Text strong>Codice da incollare nella pagina del sito</Text>
      <Text mono whole>
        <code>{html}</code>
      </Text>
      <CopyButton text={html} label="Copia il codice" />
    </Stack>
  );
}

/** The privacy notice as it stands above the first question. The link is only shown: it may not be an address yet. */
function NoticePreview() {
  const { privacyNotice, privacyUrl } = useSettings<'system'>().values;
  return (
    <Stack as="section" gap={2} aria-label="Anteprima dell’informativa">
      <Text strong>Anteprima</Text>
      <Stack boxed>
        <Text as={Row} tone="muted" small nowrap align="start">
          <Shield />
          <div>
            {privacyNotice.trim() === '' ? <em>Il testo è vuoto.</em> : <Text kept>{privacyNotice}</Text>}
            {privacyUrl === '' ? null : <u>Leggi l’informativa completa</u>}
          </div>
        </Text>
      </Stack>
    </Stack>
  );
}

/** Key and signature were entered for the saved address. */
function MovedWebhook() {
  const { values, saved } = useSettings<'system'>();
  const secrets = saved.webhookApiKeySet || saved.webhookSecretSet;
  return secrets && saved.webhookUrl !== '' && values.webhookUrl !== saved.webhookUrl ? (
    <Message kind="warning">
      <p>
        Con un altro indirizzo, la chiave e la firma salvate vengono cancellate: erano per quello di prima.
      </p>
    </Message>
  ) : null;
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

const RELOAD_MS = 1500;

function Reset() {
  const action = useAction();
  const [done, setDone] = useState(false);
  const reset = async () => {
    await call('delete', '/settings', {});
    setDone(true);
    announceBranding();
    setTimeout(() => window.location.reload(), RELOAD_MS);
    return 'Impostazioni ripristinate ai valori predefiniti!';
  };
  return (
    <Card>
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
          <p>
            Chi può accedere non cambia: la password della redazione resta attiva o disattivata com’è, il
            secondo fattore resta obbligatorio se lo è, l’elenco degli indirizzi ammessi resta, e le sessioni
            non durano più di adesso.
          </p>
        </Asked>
      </Stack>
    </Card>
  );
}

const AROUND = {
  'system/look': { head: <LogoSetting /> },
  'system/backup': {
    above: (
      <Card>
        <BackupNow />
      </Card>
    ),
    title: 'Backup fatti dal server',
    foot: <ServerBackups />,
  },
  'system/webhook': {
    foot: (
      <>
        <Signature />
        <WebhookTest />
      </>
    ),
  },
  'system/health': {
    bare: (
      <Stack gap={6}>
        <HealthCard />
        <Card title="Informazioni di Sistema">
          <Information />
        </Card>
      </Stack>
    ),
  },
  'system/reset': { bare: <Reset /> },
};

export const SystemPage = () => <TaskPage section="system" cards={CARDS} around={AROUND} />;
