import { useEffect, useState } from 'react';
import { call } from '../../shared/api/client';
import { Card } from '../../shared/ui/card';
import { Stack, Text } from '../../shared/ui/layout';
import { Asked } from '../common/action-button';
import { Failure } from '../common/action-news';
import { announceBranding } from '../common/branding-keeper';
import { useAction } from '../common/use-action';
import { messages } from './messages';

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
        <Failure of={action} title={messages.reset.failed} />
        <Asked
          of={action}
          label="Ripristina le impostazioni"
          confirmLabel="Ripristina"
          blocked={done}
          work={reset}
        >
          <p>{messages.reset.question}</p>
        </Asked>
        <div role="status">
          {done ? (
            <Text tone="success" strong>
              {messages.reset.done}
            </Text>
          ) : null}
        </div>
      </Stack>
    </Card>
  );
}
