import { useId, useState } from 'react';
import { call } from '../../shared/api/client';
import { Button } from '../../shared/ui/button';
import { Confirm } from '../../shared/ui/confirm';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Asked, Failure, News, Send, useAction } from '../common/action';
import { CopyButton } from '../common/copy-button';
import { isProblem, refusalOf, ToldError } from '../common/errors';
import { useSectionChanged, useSettings } from './section';

/**
 * The key with which calls are signed: made by the server, shown once. It changes at once, without 'Salva', and only for
 * the address that is saved.
 */
export function Signature({ signed }: { signed: boolean }) {
  const { values, saved } = useSettings<'system'>();
  const changed = useSectionChanged('system');
  const [asking, setAsking] = useState(false);
  const [key, setKey] = useState<string | null>(null);
  const [wasSigned, setWasSigned] = useState(signed);
  const action = useAction();
  const hint = useId();
  const unsaved = values.webhookUrl !== saved.webhookUrl;

  if (wasSigned !== signed) {
    setWasSigned(signed);
    if (!signed) {
      // Whoever copied the key on the screen would verify calls that are not signed with it.
      setKey(null);
    }
  }

  const renew = async () => {
    const { secret } = await call('post', '/settings/webhook/secret', {});
    changed();
    setKey(secret);
    return null;
  };
  const remove = async () => {
    await call('delete', '/settings/webhook/secret', {});
    changed();
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
      {key ? <NewKey secret={key} onDone={() => setKey(null)} /> : null}
      <Failure of={action} title="Chiave di firma non modificata" />
      <Row>
        {/* One button for both, so that the focus stays on it. */}
        <Button
          inactive={action.busy || unsaved}
          aria-describedby={unsaved ? hint : undefined}
          onClick={() => (signed ? setAsking(true) : void action.run(renew))}
        >
          {signed ? 'Genera un’altra chiave' : 'Genera una chiave di firma'}
        </Button>
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
      <News of={action} />
      <Confirm
        open={asking}
        title="Genera un’altra chiave di firma"
        confirmLabel="Genera"
        onCancel={() => setAsking(false)}
        onConfirm={() => {
          setAsking(false);
          void action.run(renew);
        }}
      >
        <p>
          Per 24 ore le chiamate portano sia la firma di prima sia quella nuova; poi vale solo la nuova. Entro
          allora copiala nel programma che riceve.
        </p>
      </Confirm>
    </Stack>
  );
}

function NewKey({ secret, onDone }: { secret: string; onDone: () => void }) {
  return (
    <Message kind="success" title="Nuova chiave di firma">
      <p>Copiala adesso nel programma che riceve: non la vedrai più.</p>
      <Text strong mono whole>
        <code>{secret}</code>
      </Text>
      <Row>
        <CopyButton text={secret} label="Copia la chiave" />
        <Button variant="quiet" onClick={onDone}>
          Ho finito
        </Button>
      </Row>
    </Message>
  );
}

/** Longest wait for a test: the server gives the other side 10 s, in milliseconds. */
const TEST_MS = 20_000;

/** Calls the webhook once with an invented report, as the form has it, saved or not. */
export function WebhookTest() {
  const { values, refuse } = useSettings<'system'>();
  const { webhookUrl, webhookApiKey, webhookPayload } = values;
  const action = useAction();

  const test = async () => {
    try {
      // The generated type marks fields with a default as present; a test needs only those of the webhook.
      const body = { webhookUrl, webhookApiKey, webhookPayload } as never;
      const answer = await call('post', '/settings/webhook/test', { body, timeoutMs: TEST_MS });
      if (answer.success) {
        return answer.message;
      }
      throw new ToldError(answer.message);
    } catch (error) {
      if (isProblem(error, 'dati-non-validi')) {
        refuse(error.errors);
        throw new ToldError(refusalOf(error));
      }
      throw error;
    }
  };

  return (
    <Stack gap={2}>
      <Row>
        <Send
          busy={action.busy}
          blocked={webhookUrl.trim() === ''}
          busyLabel="Test in corso..."
          onClick={() => void action.run(test)}
        >
          Test Webhook
        </Send>
      </Row>
      <Text small tone="muted">
        Invia una segnalazione inventata all’indirizzo scritto qui sopra, anche se non è ancora salvato.
      </Text>
      <Failure of={action} title="Errore durante il test webhook" />
      <News of={action} />
    </Stack>
  );
}
