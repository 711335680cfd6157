import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import type { Attachment, Message, Receipt } from '../../shared/api/schema';
import { formatDate, formatDateTime } from '../../shared/lib/dates';
import { sizeOf } from '../../shared/lib/file-size';
import { SendKey } from '../../shared/lib/send-key';
import { announce } from '../../shared/ui/announcer';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Field } from '../../shared/ui/field';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextArea } from '../../shared/ui/text-input';
import { type Item, isUnderWay, type Limits, leaveFiles } from '../attach/files';
import { usePart } from '../use-part';
import styles from './follow.module.css';
import { isOver, reasonOf, write } from './visit';

const MEANING: Readonly<Record<Receipt['state'], string>> = {
  Ricevuta: 'È arrivata alla redazione.',
  'In lavorazione': 'La redazione ci sta lavorando.',
  Conclusa: 'La redazione ha concluso il suo lavoro.',
};

interface Props {
  receipt: Receipt;
  limits: Limits | null;
  /** Set while a file is on its way. */
  sending: RefObject<boolean>;
  draft: string;
  onDraft: (text: string) => void;
  onReceipt: (receipt: Receipt) => void;
  onOver: (error: unknown) => void;
}

export function Thread(props: Props) {
  const { receipt } = props;
  const heading = useRef<HTMLDivElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <div ref={heading} tabIndex={-1}>
        <Card title={receipt.state}>
          <Stack>
            <p>
              {MEANING[receipt.state]}
              {receipt.state === 'Ricevuta' && receipt.opened ? ' È stata letta.' : ''}
            </p>
            <Facts>
              <Fact name="Inviata il">
                <time dateTime={receipt.data_creazione}>{formatDate(receipt.data_creazione)}</time>
              </Fact>
            </Facts>
          </Stack>
        </Card>
      </div>
      <Card title="Messaggi">
        <Stack gap={4}>
          <Messages messages={receipt.messages} />
          <Writing {...props} />
        </Stack>
      </Card>
      {receipt.attachments.length > 0 && (
        <Card title="I tuoi file">
          <Sent files={receipt.attachments} />
        </Card>
      )}
    </>
  );
}

function Messages({ messages }: { messages: readonly Message[] }) {
  if (messages.length === 0) {
    return <Text tone="muted">Nessun messaggio. Se la redazione ti scrive, lo leggi qui.</Text>;
  }
  return (
    <ol className={styles.messages}>
      {messages.map(({ from, text, at }) => (
        <li key={`${at} ${from}`} className={styles.message} data-from={from}>
          <Text small strong>
            {from === 'redazione' ? 'La redazione' : 'Tu'}
            {' · '}
            <time dateTime={at}>{formatDateTime(at)}</time>
          </Text>
          <Text kept>{text}</Text>
        </li>
      ))}
    </ol>
  );
}

function Sent({ files }: { files: readonly Attachment[] }) {
  return (
    <Stack as="ul" lined>
      {files.map(({ n, name, size, at }) => (
        <li key={n}>
          <Text strong>{name}</Text>
          <Text tone="muted" small digits>
            {sizeOf(size)}, {formatDate(at)}
          </Text>
        </li>
      ))}
    </Stack>
  );
}

function Writing({ receipt, limits, sending, draft: text, onDraft, onReceipt, onOver }: Props) {
  const { conversation } = receipt;
  const wanted = limits !== null && conversation !== null;
  const Attach = usePart(wanted, () => import('../attach/attach'))?.Attach;
  const [files, setFiles] = useState<readonly Item[]>([]);
  const [round, setRound] = useState(0);
  const hold = useRef<(() => boolean) | null>(null);
  const attached = files.filter(({ state }) => state === 'done').map(({ name }) => name);
  // A file needs no words: then the message names it.
  const message = text.trim() || (attached.length > 0 ? `Allego: ${attached.join(', ')}` : '');
  // The same message keeps its key, however often it is sent.
  const [key] = useState(() => new SendKey());
  useEffect(() => {
    sending.current = files.some(isUnderWay);
    return () => {
      sending.current = false;
    };
  }, [files, sending]);
  const [failure, setFailure] = useState('');
  const [busy, setBusy] = useState(false);
  // What comes after the visit is over must not open it again.
  const gone = useRef(new AbortController());
  useEffect(() => () => gone.current.abort(), []);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || message === '' || hold.current?.()) {
      return;
    }
    setBusy(true);
    setFailure('');
    try {
      const now = await write(message, key.of(message), gone.current.signal);
      if (gone.current.signal.aborted) {
        return;
      }
      key.arrived();
      leaveFiles(false, true);
      setRound((before) => before + 1);
      onReceipt(now);
      onDraft('');
      announce('Messaggio inviato.');
    } catch (error) {
      if (gone.current.signal.aborted) {
        return;
      }
      if (isOver(error)) {
        onOver(error);
        return;
      }
      setFailure(reasonOf(error));
    }
    setBusy(false);
  };
  return (
    <Stack as="form" onSubmit={send}>
      <Field label="Scrivi alla redazione" error={failure}>
        {(control) => (
          <TextArea
            {...control}
            rows={4}
            maxLength={5000}
            value={text}
            onChange={(event) => onDraft(event.target.value)}
          />
        )}
      </Field>
      {Attach && limits !== null && conversation !== null && (
        <Attach key={round} limits={limits} token={conversation} last later hold={hold} onItems={setFiles} />
      )}
      <Row>
        <Button type="submit" variant="primary" inactive={busy || message === ''}>
          {busy ? 'Invio…' : 'Invia'}
        </Button>
      </Row>
    </Stack>
  );
}
