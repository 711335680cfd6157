/** One message to everybody of a story, through their codes: in sight at once, taken back while nobody has read it. */
import { useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { BulkMessage, MessagesSent, Story } from '../../shared/api/schema';
import { SendKey } from '../../shared/lib/send-key';
import { counted, formatNumber } from '../../shared/lib/text';
import { announce } from '../../shared/ui/announcer';
import { Card } from '../../shared/ui/card';
import { Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { AreaField } from '../../shared/ui/text-field';
import { Failure, Send, useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import { FormDialog } from '../common/form-dialog';
import { Time } from '../common/list/list';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { useRefresh } from '../common/use-read';
import styles from './stories.module.css';

/** Writing to many takes a while. */
const TIMEOUT_MS = 600_000;
const CHARS = 5000;

export type Addressed = Pick<Story, 'id' | 'title' | 'reports'>;
export type Sent = MessagesSent & Pick<Story, 'title'>;

interface WriteProps {
  to: Addressed;
  onSent: (sent: Sent) => void;
  onClose: () => void;
}

export function WriteToAll({ to: { id, title, reports }, onSent, onClose }: WriteProps) {
  const [text, setText] = useState('');
  const [key] = useState(() => new SendKey());
  const action = useAction();
  const refresh = useRefresh();
  const send = async () => {
    const body = { story: id, text, key: key.of(text) };
    const sent = await call('post', '/messages/bulk', { body, timeoutMs: TIMEOUT_MS });
    key.arrived();
    onSent({ ...sent, title });
    onClose();
    announce(sentText(sent.sent));
    void refresh('/messages/bulk', '/reports');
  };
  return (
    <FormDialog
      title="Scrivi a tutti"
      of={action}
      failed="Messaggio non inviato"
      label={reports === 1 ? 'Invia' : `Invia a ${formatNumber(reports)}`}
      blocked={text.trim() === ''}
      onSubmit={() => action.run(send)}
      onClose={onClose}
    >
      <p>
        «{title}», {counted(reports, 'segnalazione', 'segnalazioni')}. Ognuno lo legge con il suo codice; chi
        non lo ha resta fuori, e dopo l’invio vedi chi.
      </p>
      <AreaField
        label="Messaggio"
        rows={6}
        maxLength={CHARS}
        aria-keyshortcuts="Control+Enter"
        error={errorsOf(action.failure).text}
        value={text}
        onValue={setText}
        onKeyDown={({ key, ctrlKey, metaKey, currentTarget }) => {
          if (key === 'Enter' && (ctrlKey || metaKey) && text.trim() !== '') {
            currentTarget.form?.requestSubmit();
          }
        }}
      />
    </FormDialog>
  );
}

const sentText = (n: number) => (n === 0 ? 'Non inviato a nessuno' : `Inviato a ${formatNumber(n)}`);

function TakeBack({ batch, onDone }: { batch: string; onDone?: () => void }) {
  const action = useAction();
  const refresh = useRefresh();
  const undo = async () => {
    const { undone } = await call('post', '/messages/bulk/{batch}/undo', { path: { batch } });
    announce(counted(undone, 'messaggio ritirato', 'messaggi ritirati'));
    onDone?.();
    await refresh('/messages/bulk', '/reports');
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

/** The outcome of a message to all, until it is closed. */
export function SentNotice({ sent, onClose }: { sent: Sent; onClose: () => void }) {
  const { batch, sent: n, refused, title } = sent;
  return (
    <Message
      kind={refused.length > 0 ? 'warning' : 'success'}
      title={`${sentText(n)} · ${title}`}
      actions={n > 0 ? <TakeBack batch={batch} onDone={onClose} /> : undefined}
      onDismiss={onClose}
    >
      {refused.map(({ id, name, detail }) => (
        <p key={id}>
          <Link to={paths.report(id)}>{name || id}</Link>: {detail}
        </p>
      ))}
    </Message>
  );
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
            <details className={styles.readers}>
              <summary>{`Letto da ${formatNumber(read)}, risposto da ${formatNumber(answered)}`}</summary>
              <table>
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
            </details>
            {edits && read === 0 ? <TakeBack batch={batch} /> : null}
          </Stack>
        ))}
      </Stack>
    </Card>
  );
}
