/** The messages to everybody of a story, who has read and answered them, and how they are taken back. */
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { BulkMessage, MessagesSent, ReportRow } from '../../shared/api/schema';
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
import styles from './story-page.module.css';

/** Writing to many takes a while. */
export const TIMEOUT_MS = 600_000;

/** Sends a letter to a story. A repeated call with the same key sends to no one twice. */
export const sendToStory = (story: string, text: string, key: string) =>
  call('post', '/messages/bulk', { body: { story, text, key }, timeoutMs: TIMEOUT_MS });

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

const yes = (is: boolean) => (is ? 'Sì' : 'No');

/** The messages sent to all reporters of a story, with their readers and answers. */
export function BulkMessages({ bulkMessages }: { bulkMessages: readonly BulkMessage[] }) {
  const { edits } = useRights();
  return bulkMessages.length === 0 ? null : (
    <Card title="Messaggi a tutti">
      <Stack as="ul" lined>
        {bulkMessages.map(({ batch, text, at, author, sent, read, answered, reports }) => (
          <Stack as="li" key={batch} gap={2}>
            <Text kept>{text}</Text>
            <Text small tone="muted">
              <Time at={at} /> {author ? `· ${author.name} ` : ''}· inviato a {formatNumber(sent)}
            </Text>
            <Details summary={`Letto da ${formatNumber(read)}, risposto da ${formatNumber(answered)}`}>
              <table className={styles.readers}>
                <thead>
                  <tr>
                    <th scope="col">Chi</th>
                    <th scope="col">Ha letto</th>
                    <th scope="col">Ha risposto</th>
                  </tr>
                </thead>
                <tbody>
                  {reports.map((one) => (
                    <tr key={one.id}>
                      <th scope="row">
                        <Link to={paths.report(one.id)}>{one.name || one.id}</Link>
                      </th>
                      <td>{yes(one.read)}</td>
                      <td>{yes(one.answered)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </Details>
            {edits && read === 0 ? <TakeBack batch={batch} /> : null}
          </Stack>
        ))}
      </Stack>
    </Card>
  );
}
