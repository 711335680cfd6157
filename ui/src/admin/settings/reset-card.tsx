import { useEffect, useState } from 'react';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Confirm } from '../../shared/ui/confirm';
import { Message } from '../../shared/ui/message';
import { FaultText } from '../common/error-card';
import { messages } from './messages';
import { resetSettings } from './queries';
import styles from './reset-card.module.css';

/** How long the good news stays before the page is loaded anew, in milliseconds. */
const RELOAD_MS = 1500;

/** Puts every setting back to its default. `onReset`: nothing typed on this page is worth keeping any more. */
export function ResetCard({ onReset }: { onReset: () => void }) {
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);
  const [failure, setFailure] = useState<unknown>(null);

  useEffect(() => {
    if (!done) {
      return;
    }
    const timer = setTimeout(() => window.location.reload(), RELOAD_MS);
    return () => clearTimeout(timer);
  }, [done]);

  const run = async () => {
    setAsking(false);
    setBusy(true);
    setFailure(null);
    try {
      await resetSettings();
      onReset();
      setDone(true);
    } catch (error) {
      setFailure(error);
      setBusy(false);
    }
  };

  return (
    <Card title="Ripristino">
      <div className={styles.reset}>
        <p>
          Riporta tutte le impostazioni ai valori predefiniti. Password, registro degli accessi, tentativi di
          accesso e frasi della chat restano come sono.
        </p>
        {failure ? (
          <Message kind="error" title={messages.reset.failed} onDismiss={() => setFailure(null)}>
            <FaultText error={failure} />
          </Message>
        ) : null}
        <Button variant="danger" inactive={busy} onClick={() => setAsking(true)}>
          Ripristina le impostazioni
        </Button>
        <div role="status" className={styles.done}>
          {done ? <p>{messages.reset.done}</p> : null}
        </div>
      </div>
      <Confirm
        open={asking}
        title="Ripristina le impostazioni"
        confirmLabel="Ripristina"
        onCancel={() => setAsking(false)}
        onConfirm={() => void run()}
      >
        <p>{messages.reset.question}</p>
      </Confirm>
    </Card>
  );
}
