import { useEffect, useRef, useState } from 'react';
import { messages } from '../../shared/messages';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Message } from '../../shared/ui/message';
import { useSession, useSessionState } from './session-context';
import type { Warning } from './session-store';

/** Asks, a minute before the session ends for want of activity, whether somebody is still there (WCAG 2.2.1). */
export function SessionWarning() {
  const state = useSessionState();
  const store = useSession();
  const stay = useRef<HTMLButtonElement>(null);
  const [asking, setAsking] = useState(false);
  const [unheard, setUnheard] = useState(false);
  const warning = state.status === 'active' ? state.warning : null;
  const [dismissed, setDismissed] = useState<number | null>(null);

  const extend = async () => {
    setAsking(true);
    setUnheard(!(await store.stay()));
    setAsking(false);
  };
  const close = () => {
    if (warning?.extendable) {
      void extend();
    } else {
      setDismissed(warning?.endsAt ?? null);
    }
  };

  return (
    <Dialog
      open={warning !== null && warning.endsAt !== dismissed}
      title="La sessione sta per scadere"
      onCancel={close}
      initialFocus={stay}
      actions={
        <Button ref={stay} variant="primary" inactive={asking} onClick={close}>
          {warning?.extendable ? 'Resta collegato' : 'Ho capito'}
        </Button>
      }
    >
      {warning ? <WarningText warning={warning} /> : null}
      {unheard ? <Message kind="error">{messages.network}</Message> : null}
    </Dialog>
  );
}

function WarningText({ warning }: { warning: Warning }) {
  const seconds = useSecondsTo(warning.endsAt);
  return (
    <>
      <p>
        {warning.extendable
          ? 'Per proteggere i dati di chi ci scrive, il pannello si chiude quando nessuno lo usa.'
          : 'La sessione ha raggiunto la durata massima. Salva il lavoro: tra poco dovrai effettuare di nuovo il login.'}
      </p>
      <p aria-hidden="true">
        Tempo rimasto: <strong>{seconds} s</strong>
      </p>
    </>
  );
}

function useSecondsTo(instant: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((instant - now) / 1000));
}
