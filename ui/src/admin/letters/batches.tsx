/** Messages to many: how they are sent, whom they did not reach, who has read and answered them, how they are taken back. */
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { BulkMessage, MessagesSent, MessageToMany, ReportRow } from '../../shared/api/schema';
import { counted, formatNumber } from '../../shared/lib/text';
import { Card } from '../../shared/ui/card';
import { Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Failure, Send, useAction } from '../common/action';
import { Details } from '../common/fold';
import { Time } from '../common/list/list';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { useRefresh } from '../common/use-read';
import { Replies } from './replies';

/** Writing to many takes a while. */
export const TIMEOUT_MS = 600_000;

export const UNSENT = 'Hai scritto un messaggio e non l’hai inviato. Se esci adesso, va perso.';

/** Sends a letter. A repeated call with the same key sends to no one twice. */
export const sendToMany = (body: MessageToMany) =>
  call('post', '/messages/bulk', { body, timeoutMs: TIMEOUT_MS });

/** Takes a letter back while no one has read it; gives what is told of that. */
export async function takeBack(batch: string): Promise<string> {
  const { undone } = await call('post', '/messages/bulk/{batch}/undo', { path: { batch } });
  return takenBackText(undone);
}

export const takenBackText = (undone: number): string =>
  counted(undone, 'messaggio ritirato', 'messaggi ritirati');

export const sentText = (sent: number): string =>
  sent === 0 ? 'Non inviato a nessuno' : `Inviato a ${formatNumber(sent)}`;

/** Whom a letter did not reach. Reporters without a code were named before. */
export const unreached = (
  { refused }: Pick<MessagesSent, 'refused'>,
  reports: readonly Pick<ReportRow, 'id' | 'code'>[],
) => refused.filter(({ id }) => !reports.some((one) => one.id === id && !one.code));

function TakeBack({ batch }: { batch: string }) {
  const action = useAction();
  const refresh = useRefresh();
  const undo = async () => {
    const told = await takeBack(batch);
    await refresh('/messages/bulk', '/reports');
    return told;
  };
  return (
    <div>
      <Send busy={action.busy} onClick={() => void action.run(undo)}>
        Annulla l’invio
      </Send>
      <Failure of={action} title="Invio non annullato" />
    </div>
  );
}

interface UnreachedProps {
  refused: MessagesSent['refused'];
  onClose: () => void;
}

/** Whom a letter did not reach, and why, until it is closed. */
export function Unreached({ refused, onClose }: UnreachedProps) {
  return refused.length > 0 ? (
    <Message kind="warning" title="Il messaggio non è arrivato a tutti" onDismiss={onClose}>
      {refused.map(({ id, name, detail }) => (
        <p key={id}>
          <Link to={paths.report(id)}>{name || id}</Link>: {detail}
        </p>
      ))}
    </Message>
  ) : null;
}

interface BulkMessagesProps {
  title: string;
  bulkMessages: readonly BulkMessage[];
}

/** Messages sent to many, with their readers and answers. */
export function BulkMessages({ title, bulkMessages }: BulkMessagesProps) {
  const { edits } = useRights();
  return bulkMessages.length === 0 ? null : (
    <Card title={title}>
      <Stack as="ul" lined>
        {bulkMessages.map((message) => (
          <Stack as="li" key={message.batch} gap={2}>
            <Text kept>{message.text}</Text>
            <Text small tone="muted">
              <Time at={message.at} /> {message.author ? `· ${message.author.name} ` : ''}
              {message.questions > 0 ? `· ${counted(message.questions, 'domanda', 'domande')} ` : ''}
              {`· inviato a ${formatNumber(message.sent)}`}
            </Text>
            <Details summary={summaryOf(message)} late>
              <Replies message={message} />
            </Details>
            {edits && message.read === 0 ? <TakeBack batch={message.batch} /> : null}
          </Stack>
        ))}
      </Stack>
    </Card>
  );
}

const summaryOf = ({ questions, read, answered }: BulkMessage) =>
  `${questions > 0 ? 'Risposte: letto' : 'Letto'} da ${formatNumber(read)}, risposto da ${formatNumber(answered)}`;
