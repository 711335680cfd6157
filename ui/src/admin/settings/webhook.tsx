import { useEffect, useId, useState } from 'react';
import { call } from '../../shared/api/client';
import type { SystemSettings } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Asked, Failure, intoSight, useAction } from '../common/action';
import { CopyButton } from '../common/copy-button';
import { useRefresh } from '../common/use-read';
import { useSettings } from './settings-page';
import { Trial } from './trial';

const WAIT_MS = 20_000;

/** The signing key is shown once. It changes at once, without 'Salva', and only for the address that is saved. */
export function Signature() {
  const { values, saved } = useSettings<'system'>();
  const refresh = useRefresh();
  const [key, setKey] = useState<string | null>(null);
  const action = useAction();
  const hint = useId();
  const stored = saved.webhookSecretSet;
  // The form learns of a new key a moment after it is shown.
  const signed = stored || key !== null;
  const unsaved = values.webhookUrl !== saved.webhookUrl;
  // A key that was dropped meanwhile must not be copied any more.
  useEffect(() => (stored ? () => setKey(null) : undefined), [stored]);

  const renew = async () => {
    const { secret } = await call('post', '/settings/webhook/secret', {});
    await refresh('/settings/system');
    void refresh('/logs');
    setKey(secret);
  };
  const remove = async () => {
    await call('delete', '/settings/webhook/secret', {});
    void refresh();
    setKey(null);
    return 'Le chiamate non sono più firmate.';
  };

  return (
    <Stack as="section" gap={2} aria-label="Firma delle chiamate">
      <Text strong>Firma delle chiamate</Text>
      <Text small tone="muted">
        {signed
          ? 'Attiva: chi riceve può verificare che le chiamate partano da qui (Standard Webhooks). La chiave non viene mai più mostrata.'
          : 'Non attiva. Con una chiave, chi riceve può verificare che le chiamate partano da qui (Standard Webhooks).'}
      </Text>
      <div role="status">
        {' '}
        {key ? (
          <Message ref={intoSight} kind="success" title="Nuova chiave di firma">
            <p>Copiala adesso nel programma che riceve: non la vedrai più.</p>
            <Text strong mono whole>
              <code>{key}</code>
            </Text>
            <Row>
              <CopyButton text={key} label="Copia la chiave" />
              <Button variant="quiet" onClick={() => setKey(null)}>
                Ho finito
              </Button>
            </Row>
          </Message>
        ) : null}
      </div>
      <Failure of={action} title="Chiave di firma non modificata" />
      <Row>
        <Asked
          of={action}
          label={signed ? 'Genera un’altra chiave' : 'Genera una chiave di firma'}
          title="Genera un’altra chiave di firma"
          confirmLabel="Genera"
          variant="secondary"
          blocked={unsaved}
          describedBy={unsaved ? hint : undefined}
          unasked={!signed}
          work={renew}
        >
          <p>
            Per 24 ore le chiamate portano sia la firma di prima sia quella nuova; poi vale solo la nuova.
            Entro allora copiala nel programma che riceve.
          </p>
        </Asked>
        {signed ? (
          <Asked of={action} label="Togli la firma" confirmLabel="Togli" variant="quiet" work={remove}>
            <p>Le chiamate non saranno più firmate: un programma che verifica la firma le rifiuterà.</p>
          </Asked>
        ) : null}
      </Row>
      {unsaved ? (
        <Text small tone="muted" id={hint}>
          Prima salva l’indirizzo: una chiave vale per quello salvato, e con un altro viene cancellata.
        </Text>
      ) : null}
    </Stack>
  );
}

export function WebhookTest() {
  const { webhookUrl, webhookApiKey, webhookPayload } = useSettings<'system'>().values;
  return (
    <Trial
      label="Test Webhook"
      busyLabel="Test in corso..."
      hint="Invia una segnalazione inventata all’indirizzo scritto qui sopra, anche se non è ancora salvato."
      failed="Errore durante il test webhook"
      blocked={webhookUrl.trim() === ''}
      ask={() => {
        const body = { webhookUrl, webhookApiKey, webhookPayload } as SystemSettings;
        return call('post', '/settings/webhook/test', { body, timeoutMs: WAIT_MS });
      }}
    />
  );
}
