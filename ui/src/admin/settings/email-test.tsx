import { Send as Plane } from 'lucide-react';
import { useId } from 'react';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Send } from '../common/action-button';
import { Failure, News } from '../common/action-news';
import type { EmailTest } from './use-email-test';

/** The button that tries the mail server. */
export function EmailTestButton({ test: { possible, run, action } }: { test: EmailTest }) {
  const hint = useId();
  return (
    <Stack>
      <Text small tone="muted" id={hint}>
        {possible
          ? 'Spedisce una email di prova al destinatario, con i dati qui sopra così come sono, anche non salvati.'
          : 'Per la prova servono server, utente e password.'}
      </Text>
      <Row>
        <Send
          busy={action.busy}
          blocked={!possible}
          busyLabel="Invio in corso…"
          icon={<Plane aria-hidden="true" />}
          aria-describedby={hint}
          onClick={run}
        >
          Test Email
        </Send>
        <News of={action} />
      </Row>
      <Failure of={action} title="Email di prova non inviata" />
    </Stack>
  );
}
