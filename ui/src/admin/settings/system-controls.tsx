import { Shield } from 'lucide-react';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { ColorSetting } from './color-setting';
import type { Controls } from './controls';
import { LogoSetting } from './logo-setting';
import styles from './notice-preview.module.css';
import { type Sections, useSettings } from './section';

function PreviewOfForm() {
  const { privacyNotice, privacyUrl } = useSettings<'system'>().values;
  return <NoticePreview text={privacyNotice} url={privacyUrl} />;
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

type Card = 'interface' | 'notice' | 'backup' | 'webhook';

export const SYSTEM_CONTROLS: Controls<Sections['system'], Card> = {
  productName: {
    card: 'interface',
    kind: 'text',
    label: 'Nome del prodotto',
    hint: 'Nel titolo delle pagine e nei nomi dei file esportati.',
  },
  assistantName: {
    card: 'interface',
    kind: 'text',
    label: 'Nome dell’assistente',
    hint: 'Con cui la chat si presenta: è il segnaposto {name} delle frasi.',
  },
  organizationName: {
    card: 'interface',
    kind: 'text',
    label: 'Nome della redazione',
    hint: 'Nel titolo e nel pannello: è il segnaposto {org} delle frasi.',
    below: LogoSetting,
  },
  logoUrl: {
    card: 'interface',
    kind: 'text',
    type: 'url',
    label: 'Indirizzo del logo',
    hint: 'In alternativa al file: il server lo scarica una volta sola, quando salvi, e poi lo mostra da qui. Se lo svuoti, il logo scaricato sparisce.',
  },
  primaryColor: {
    card: 'interface',
    kind: 'own',
    control: ColorSetting,
    label: 'Colore principale',
    hint: 'Pulsanti, bolle di chi scrive, collegamenti. Nessun colore è vietato: dove non si leggerebbe, viene schiarito o scurito da solo.',
  },
  darkMode: {
    card: 'interface',
    kind: 'switch',
    label: 'Tema scuro',
    hint: 'Per il pannello e per la pagina pubblica, appena salvi.',
  },
  privacyNotice: {
    card: 'notice',
    kind: 'area',
    label: 'Testo',
    hint: 'Si legge prima della prima domanda. Con ogni segnalazione si conserva quale versione del testo era in vigore.',
  },
  privacyUrl: {
    card: 'notice',
    kind: 'text',
    type: 'url',
    label: 'Collegamento all’informativa completa',
    hint: 'Indirizzo completo, che inizia con https://. Se è vuoto, il collegamento non compare.',
    below: PreviewOfForm,
  },
  backupFrequency: {
    card: 'backup',
    kind: 'select',
    label: 'Backup automatico',
    options: {
      disabled: 'Mai',
      daily: 'Ogni giorno',
      weekly: 'Ogni settimana',
      monthly: 'Ogni mese',
    },
  },
  enableWebhook: {
    card: 'webhook',
    kind: 'switch',
    label: 'Webhook attivo',
    hint: 'Ogni segnalazione appena salvata viene inviata a un altro programma. Se non risponde, il server riprova da solo.',
  },
  webhookUrl: {
    card: 'webhook',
    kind: 'text',
    type: 'url',
    label: 'Indirizzo del webhook',
    hint: 'Indirizzo completo, che inizia con https://.',
    below: MovedWebhook,
  },
  webhookPayload: {
    card: 'webhook',
    kind: 'select',
    label: 'Che cosa inviare',
    options: {
      full: 'Tutta la segnalazione',
      thin: 'Solo l’avviso: identificativo e collegamento, nessun dato personale',
    },
  },
  webhookApiKey: {
    card: 'webhook',
    kind: 'secret',
    label: 'Chiave API',
    noun: 'la chiave',
    hint: 'Se chi riceve la chiede: viaggia nell’intestazione Authorization: Bearer.',
  },
};

/** The privacy notice as it stands above the first question. The link is only shown: it may not be an address yet. */
function NoticePreview({ text, url }: { text: string; url: string }) {
  return (
    <Stack as="section" gap={2} aria-label="Anteprima dell’informativa">
      <Text strong>Anteprima</Text>
      <Row nowrap align="start" className={styles.notice}>
        <Shield aria-hidden="true" />
        <div>
          {text.trim() === '' ? <em>Il testo è vuoto.</em> : <Text kept>{text}</Text>}
          {url === '' ? null : <span className={styles.link}>Leggi l’informativa completa</span>}
        </div>
      </Row>
    </Stack>
  );
}
