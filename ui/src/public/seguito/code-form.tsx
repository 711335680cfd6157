/** The code, as people type it from paper: how it is written is the server's to forgive. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { Receipt } from '../../shared/api/schema';
import { Act } from '../act';
import styles from './follow.module.css';
import { open, reasonOf } from './visit';

type Props = { reason: string; typed: string; onReceipt: (receipt: Receipt) => void };

export function CodeForm({ reason, typed, onReceipt }: Props) {
  const [code, setCode] = useState(typed);
  const [failure, setFailure] = useState(reason);
  const [busy, setBusy] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => setFailure(reason), [reason]);
  useEffect(() => {
    if (typed !== '') {
      box.current?.focus();
    }
  }, [typed]);

  const send = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) {
      return;
    }
    setBusy(true);
    setFailure('');
    try {
      onReceipt(await open(code));
    } catch (error) {
      setFailure(reasonOf(error));
      setBusy(false);
      box.current?.focus();
    }
  };
  return (
    <form className={styles.enter} onSubmit={send}>
      <h2>Segui la tua segnalazione</h2>
      <label htmlFor="code">Il tuo codice</label>
      <input
        id="code"
        ref={box}
        className={styles.box}
        value={code}
        onChange={(event) => setCode(event.target.value)}
        autoComplete="off"
        autoCapitalize="characters"
        spellCheck={false}
        placeholder="XXXXX-XXXXX-XXXXX-XXXXX"
        aria-describedby="code-hint code-failure"
        aria-invalid={failure !== '' || undefined}
      />
      <p id="code-failure" className={styles.wrong} role="alert">
        {failure}
      </p>
      <p id="code-hint" className={styles.quiet}>
        Lo hai visto alla fine della segnalazione: 20 lettere e cifre. Maiuscole, spazi e trattini non
        contano.
      </p>
      <Act type="submit" main>
        {busy ? 'Attendi…' : 'Apri'}
      </Act>
      <a className="button" data-quiet="" href={import.meta.env.BASE_URL}>
        Nuova segnalazione
      </a>
    </form>
  );
}
