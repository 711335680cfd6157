import { useState } from 'react';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { Spinner } from '../../shared/ui/spinner';
import { StatusMessage } from '../../shared/ui/status-message';
import type { EditsForm } from '../common/edits/use-edits';
import { FaultText } from '../common/error-card';
import { isProblem, refusalOf } from '../common/errors';
import { messages } from './messages';
import { testWebhook } from './queries';
import type { SystemForm } from './sections';
import styles from './webhook-card.module.css';

/** Calls the webhook once with an invented report, as the form has it, saved or not. */
export function WebhookTest({ form }: { form: EditsForm<SystemForm> }) {
  const [testing, setTesting] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);
  const [news, setNews] = useState<{ text: string } | null>(null);
  const { webhookUrl, webhookApiKey, webhookPayload } = form.values;

  const run = async () => {
    setTesting(true);
    setFailure(null);
    setNews(null);
    try {
      const { success, message } = await testWebhook({ webhookUrl, webhookApiKey, webhookPayload });
      if (success) {
        setNews({ text: message });
      } else {
        setFailure(message);
      }
    } catch (error) {
      if (isProblem(error, 'dati-non-validi')) {
        form.refuse(error.errors);
        setFailure(refusalOf(error) || error);
      } else {
        setFailure(error);
      }
    } finally {
      setTesting(false);
    }
  };

  return (
    <div className={styles.signature}>
      <div className={styles.buttons}>
        <Button
          inactive={testing || webhookUrl.trim() === ''}
          icon={testing ? <Spinner /> : undefined}
          onClick={() => void run()}
        >
          {testing ? 'Test in corso...' : 'Test Webhook'}
        </Button>
      </div>
      <p className={styles.hint}>
        Invia una segnalazione inventata all’indirizzo scritto qui sopra, anche se non è ancora salvato.
      </p>
      {failure ? (
        <Message kind="error" title={messages.webhook.testFailed} onDismiss={() => setFailure(null)}>
          {typeof failure === 'string' ? <p>{failure}</p> : <FaultText error={failure} />}
        </Message>
      ) : null}
      <StatusMessage message={news} onDone={() => setNews(null)} />
    </div>
  );
}
