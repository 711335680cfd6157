/** One report as its reporter follows it, and the box to write in. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Message, Receipt } from '../../shared/api/schema';
import { formatDate, formatDateTime } from '../../shared/lib/dates';
import { announce } from '../../shared/ui/announcer';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Fact, Facts } from '../../shared/ui/facts';
import { Field } from '../../shared/ui/field';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextArea } from '../../shared/ui/text-input';
import styles from './follow.module.css';
import { isOver, reasonOf, write } from './visit';

const MEANING: Readonly<Record<Receipt['state'], string>> = {
  Ricevuta: 'È arrivata alla redazione.',
  'In lavorazione': 'La redazione ci sta lavorando.',
  Conclusa: 'La redazione ha concluso il suo lavoro.',
};

interface Props {
  receipt: Receipt;
  /** What stands in the box. */
  draft: string;
  onDraft: (text: string) => void;
  onReceipt: (receipt: Receipt) => void;
  onOver: (reason: string) => void;
}

export function Thread(props: Props) {
  const { receipt } = props;
  const heading = useRef<HTMLDivElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <>
      <div ref={heading} tabIndex={-1} className={styles.state}>
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

function Writing({ receipt, draft: text, onDraft, onReceipt, onOver }: Props) {
  const [failure, setFailure] = useState('');
  const [busy, setBusy] = useState(false);
  // What comes after the visit is over must not open it again.
  const gone = useRef(new AbortController());
  useEffect(() => () => gone.current.abort(), []);
  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (busy || text.trim() === '') {
      return;
    }
    setBusy(true);
    setFailure('');
    try {
      const now = await write(text.trim(), receipt.messages.length, gone.current.signal);
      if (gone.current.signal.aborted) {
        return;
      }
      onReceipt(now);
      onDraft('');
      announce('Messaggio inviato.');
    } catch (error) {
      if (gone.current.signal.aborted) {
        return;
      }
      if (isOver(error)) {
        onOver(reasonOf(error));
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
      <Row>
        <Button type="submit" variant="primary" inactive={busy || text.trim() === ''}>
          {busy ? 'Invio…' : 'Invia'}
        </Button>
      </Row>
    </Stack>
  );
}
