/** One letter to many reporters, written where one stands. Must never send what was not confirmed, nor lose what did not go. */
import { SendHorizontal } from 'lucide-react';
import { useState } from 'react';
import { SendKey } from '../../shared/lib/send-key';
import { counted, formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Form } from '../../shared/ui/form';
import { AreaField } from '../../shared/ui/text-field';
import { type Asked, useAsking } from '../callouts/asking';
import { Failure, Send, useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import styles from './letter.module.css';

interface LetterProps {
  /** How many read it, with their codes. */
  readers: number;
  /** The names of those who have no code. */
  others: readonly string[];
  /** What sending does beside. */
  consequence?: string;
  /** What the button says after `Invia a 4`. */
  act?: string;
  text: string;
  onText: (text: string) => void;
  asked: Asked;
  /** A repeated call with the same key sends to no one twice. */
  onSend: (text: string, key: string) => Promise<unknown>;
  onClose: () => void;
}

export function Letter({
  readers,
  others,
  consequence,
  act = '',
  text,
  onText,
  asked,
  onSend,
  onClose,
}: LetterProps) {
  const [key] = useState(() => new SendKey());
  const action = useAction();
  const asking = useAsking(asked, action.failure);
  const { questions } = asked;
  const asks = questions.length > 0 ? ` con ${counted(questions.length, 'domanda', 'domande')}` : '';
  const blocked = text.trim() === '' || readers === 0;
  const send = async () => {
    await onSend(text, key.of(JSON.stringify([text, questions])));
    key.arrived();
  };
  return (
    <Form
      className={styles.letter}
      label="Scrivi a tutti"
      gap={2}
      onSubmit={() => void (blocked || action.run(send))}
    >
      <Failure of={action} title="Messaggio non inviato" />
      <p className={styles.addressees}>
        <SendHorizontal aria-hidden="true" />
        <b>A {counted(readers, 'persona', 'persone')}</b>
        <span>
          {readers > 1 ? 'ognuna ' : ''}lo legge con il suo codice
          {others.length > 0 ? `. Senza codice, e quindi senza messaggio: ${others.join(', ')}` : ''}
        </span>
      </p>
      <AreaField
        label={<span className="visually-hidden">Messaggio</span>}
        ref={focusOnce}
        rows={3}
        placeholder={asks ? 'Due parole, prima delle domande' : undefined}
        aria-keyshortcuts="Control+Enter"
        error={errorsOf(action.failure).text}
        value={text}
        onValue={onText}
        onKeyDown={({ key: pressed, ctrlKey, metaKey, currentTarget }) => {
          if (pressed === 'Enter' && (ctrlKey || metaKey)) {
            currentTarget.form?.requestSubmit();
          } else if (pressed === 'Escape') {
            onClose();
          }
        }}
      />
      {asking.list}
      <div className={styles.sending}>
        {asking.more}
        <p>{consequence}</p>
        <Button variant="quiet" onClick={onClose}>
          Lascia stare
        </Button>
        <Send busy={action.busy} variant="primary" blocked={blocked}>
          {`Invia${readers > 0 ? ` a ${formatNumber(readers)}` : ''}${asks}${act}`}
        </Send>
      </div>
    </Form>
  );
}

/** As soon as it is there, one writes. */
const focusOnce = (box: HTMLTextAreaElement | null) => box?.focus({ preventScroll: true });
