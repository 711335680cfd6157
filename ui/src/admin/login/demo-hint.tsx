import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import styles from './demo-hint.module.css';

interface DemoHintProps {
  password: string;
  /** Puts the password into the form. */
  onFill: () => void;
}

/** In the demonstration anybody may come in: the password stands beside the box that asks for it. */
export function DemoHint({ password, onFill }: DemoHintProps) {
  return (
    <Message
      kind="info"
      title="Modalità dimostrativa"
      actions={<Button onClick={onFill}>Inserisci la password</Button>}
    >
      <p>Le segnalazioni sono inventate e nulla viene conservato.</p>
      <p>
        Password: <code className={styles.password}>{password}</code>
      </p>
    </Message>
  );
}
