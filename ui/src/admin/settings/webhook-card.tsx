import { useId, useState } from 'react';
import type { WebhookPayload } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Confirm } from '../../shared/ui/confirm';
import { Message } from '../../shared/ui/message';
import type { Option } from '../../shared/ui/select';
import { StatusMessage } from '../../shared/ui/status-message';
import { CopyButton } from '../common/copy-button';
import type { EditsForm } from '../common/edits/use-edits';
import { FaultText } from '../common/error-card';
import { SecretSetting, SelectSetting, SwitchSetting, TextSetting } from './fields';
import { messages } from './messages';
import { useSigningKey } from './queries';
import type { SystemForm } from './sections';
import { stackClass } from './settings-page';
import styles from './webhook-card.module.css';
import { WebhookTest } from './webhook-test';

const PAYLOADS: readonly Option<WebhookPayload>[] = [
  { value: 'full', label: 'Tutta la segnalazione' },
  { value: 'thin', label: 'Solo l’avviso: identificativo e collegamento, nessun dato personale' },
];

interface WebhookCardProps {
  form: EditsForm<SystemForm>;
  /** Address that is saved: what is stored as a secret was entered for it. */
  savedUrl: string;
  /** The server holds a key to send. */
  keyStored: boolean;
  /** The server signs its calls. */
  signed: boolean;
}

/** Announces each report to another program: where, with what, and how that program knows that it was us. */
export function WebhookCard({ form, savedUrl, keyStored, signed }: WebhookCardProps) {
  const moved = savedUrl !== '' && form.values.webhookUrl !== savedUrl;
  return (
    <Card title="API e integrazioni">
      <div className={stackClass}>
        <SwitchSetting
          form={form}
          name="enableWebhook"
          label="Webhook attivo"
          hint="Ogni segnalazione appena salvata viene inviata a un altro programma. Se non risponde, il server riprova da solo."
        />
        <TextSetting
          form={form}
          name="webhookUrl"
          type="url"
          label="Indirizzo del webhook"
          hint="Indirizzo completo, che inizia con https://."
        />
        {moved && (keyStored || signed) ? (
          <Message kind="warning">
            <p>
              Con un altro indirizzo, la chiave e la firma salvate vengono cancellate: erano per quello di
              prima.
            </p>
          </Message>
        ) : null}
        <SelectSetting form={form} name="webhookPayload" label="Che cosa inviare" options={PAYLOADS} />
        <SecretSetting
          form={form}
          name="webhookApiKey"
          stored={keyStored}
          label="Chiave API"
          noun="la chiave"
          hint="Se chi riceve la chiede: viaggia nell’intestazione Authorization: Bearer."
        />
        <Signature signed={signed} unsaved={form.values.webhookUrl !== savedUrl} />
        <WebhookTest form={form} />
      </div>
    </Card>
  );
}

/**
 * The key with which calls are signed: made by the server, shown once. It changes at once, without 'Salva'.
 * `unsaved`: the address in the form is another than the saved one, for which a key would be made.
 */
function Signature({ signed, unsaved }: { signed: boolean; unsaved: boolean }) {
  const { renew, remove } = useSigningKey();
  const [asking, setAsking] = useState<'renew' | 'remove' | null>(null);
  const [busy, setBusy] = useState(false);
  const [key, setKey] = useState<string | null>(null);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);
  const [wasSigned, setWasSigned] = useState(signed);
  const hint = useId();

  if (wasSigned !== signed) {
    setWasSigned(signed);
    if (!signed) {
      // Whoever copied the key on the screen would verify calls that are not signed with it.
      setKey(null);
    }
  }

  const run = async (change: () => Promise<void>) => {
    setAsking(null);
    setBusy(true);
    setFailure(null);
    setNews(null);
    try {
      await change();
    } catch (error) {
      setFailure(error);
    } finally {
      setBusy(false);
    }
  };
  const make = () => run(async () => setKey(await renew()));
  const drop = () =>
    run(async () => {
      await remove();
      setKey(null);
      setNews({ text: messages.webhook.unsigned });
    });

  return (
    <section className={styles.signature} aria-label="Firma delle chiamate">
      <p className={styles.label}>Firma delle chiamate</p>
      <p className={styles.hint}>
        {signed
          ? 'Attiva: chi riceve può verificare che le chiamate partano da qui (Standard Webhooks). La chiave non viene mai più mostrata.'
          : 'Non attiva. Con una chiave, chi riceve può verificare che le chiamate partano da qui (Standard Webhooks).'}
      </p>
      {key ? (
        <Message kind="success" title="Nuova chiave di firma">
          <p>Copiala adesso nel programma che riceve: non la vedrai più.</p>
          <p className={styles.key}>
            <code>{key}</code>
          </p>
          <div className={styles.buttons}>
            <CopyButton text={key} label="Copia la chiave" />
            <Button variant="quiet" onClick={() => setKey(null)}>
              Ho finito
            </Button>
          </div>
        </Message>
      ) : null}
      {failure ? (
        <Message kind="error" title={messages.webhook.keyFailed} onDismiss={() => setFailure(null)}>
          <FaultText error={failure} />
        </Message>
      ) : null}
      <div className={styles.buttons}>
        <Button
          inactive={busy || unsaved}
          aria-describedby={unsaved ? hint : undefined}
          onClick={() => (signed ? setAsking('renew') : void make())}
        >
          {signed ? 'Genera un’altra chiave' : 'Genera una chiave di firma'}
        </Button>
        {signed ? (
          <Button variant="quiet" inactive={busy} onClick={() => setAsking('remove')}>
            Togli la firma
          </Button>
        ) : null}
      </div>
      {unsaved ? (
        <p className={styles.hint} id={hint}>
          Prima salva l’indirizzo: una chiave vale per quello salvato, e con un altro viene cancellata.
        </p>
      ) : null}
      <StatusMessage message={news} onDone={() => setNews(null)} />
      <Confirm
        open={asking === 'renew'}
        title="Genera un’altra chiave di firma"
        confirmLabel="Genera"
        onCancel={() => setAsking(null)}
        onConfirm={() => void make()}
      >
        <p>
          Per 24 ore le chiamate portano sia la firma di prima sia quella nuova; poi vale solo la nuova. Entro
          allora copiala nel programma che riceve.
        </p>
      </Confirm>
      <Confirm
        open={asking === 'remove'}
        title="Togli la firma"
        confirmLabel="Togli"
        onCancel={() => setAsking(null)}
        onConfirm={() => void drop()}
      >
        <p>Le chiamate non saranno più firmate: un programma che verifica la firma le rifiuterà.</p>
      </Confirm>
    </section>
  );
}
