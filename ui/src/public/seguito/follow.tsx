import { useCallback, useEffect, useRef, useState } from 'react';
import type { Receipt } from '../../shared/api/schema';
import { type Boot, ownKey } from '../../shared/lib/boot';
import { now } from '../../shared/lib/clock';
import { openStore, readJson, writeJson } from '../../shared/lib/storage';
import { Announcer, announce } from '../../shared/ui/announcer';
import { useSteadyFocus } from '../../shared/ui/use-steady-focus';
import { Act } from '../act';
import { leaveFiles } from '../attach/files';
import { Pin } from '../chat/pin';
import { Header } from '../header';
import { usePart } from '../use-part';
import { CodeForm } from './code-form';
import styles from './follow.module.css';
import { OwnDataActs, OwnFiles, Withdrawing } from './own';
import { Progress } from './progress';
import { type Draft, isAsking, Thread } from './thread';
import { isOpen, isOver, leave, look, reasonOf } from './visit';

/** Milliseconds between two looks at what the newsroom may have written. */
const PERIOD = 15_000;
const MINUTE = 60_000;
/** Minutes before its end at which the visit says so. */
const NEAR = 5;

const LOST = ' I file che non avevi ancora inviato sono stati cancellati: allegali di nuovo.';

/** A page that the browser kept, and shows again on going back, asks first whether the visit still lasts. */
const reloadIfKept = (event: PageTransitionEvent) => event.persisted && window.location.reload();

function useVisit() {
  const [receipt, setReceipt] = useState<Receipt | null>(null);
  const [reason, setReason] = useState('');
  const [resuming, setResuming] = useState(isOpen);
  const visiting = receipt !== null || resuming;
  // While a file is on its way the visit goes on, also out of sight.
  const sending = useRef(false);
  const count = receipt?.messages.length;
  const known = useRef(count);
  useEffect(() => {
    if (
      known.current !== undefined &&
      count !== undefined &&
      count > known.current &&
      receipt?.messages.at(-1)?.from === 'redazione'
    ) {
      announce('C’è un nuovo messaggio.');
    }
    known.current = count;
  }, [count, receipt]);

  /** The visit ended by itself: why, and what went with it. */
  const over = useCallback((error: unknown) => {
    const lost = leaveFiles(true, true) || sending.current;
    setReceipt(null);
    setReason(`${reasonOf(error)}${lost ? LOST : ''}`);
  }, []);

  useEffect(() => {
    window.addEventListener('pageshow', reloadIfKept);
    return () => window.removeEventListener('pageshow', reloadIfKept);
  }, []);

  useEffect(() => {
    if (!visiting) {
      return;
    }
    const gone = new AbortController();
    const ask = async () => {
      if (document.hidden && !sending.current) {
        return;
      }
      try {
        setReceipt(await look(gone.signal));
      } catch (error) {
        if (!gone.signal.aborted && isOver(error)) {
          over(error);
        }
      }
      setResuming(false);
    };
    void ask();
    const timer = setInterval(ask, PERIOD);
    document.addEventListener('visibilitychange', ask, gone);
    return () => {
      clearInterval(timer);
      gone.abort();
    };
  }, [visiting, over]);

  const close = () => {
    setReceipt(null);
    setResuming(false);
    setReason('');
    leave().catch(() => setReason('Non siamo riusciti a chiudere la visita: riprova, o chiudi il browser.'));
  };
  return { receipt, setReceipt, resuming, reason, close, over, sending };
}

/** Minutes that are left of the visit, also while no answer comes. */
function useMinutesLeft(receipt: Receipt | null): number {
  const [present, setPresent] = useState(now);
  const [end, setEnd] = useState(present);
  useEffect(() => {
    if (receipt !== null) {
      setPresent(now());
      setEnd(now() + receipt.secondsLeft * 1000);
    }
    const timer = setInterval(() => setPresent(now()), PERIOD);
    return () => clearInterval(timer);
  }, [receipt]);
  const minutes = Math.max(0, Math.ceil((end - present) / MINUTE));
  const near = receipt !== null && minutes > 0 && minutes <= NEAR;
  useEffect(() => {
    if (near) {
      announce(`La visita finisce tra ${NEAR} minuti. Se scrivi un messaggio, continua.`);
    }
  }, [near]);
  return minutes;
}

const NOTHING: Draft = { text: '', answers: {} };

type KeptDraft = Draft & { report: string };

/** What was typed to a report; nothing where it was to another. */
const ofReport = (draft: KeptDraft, { data_creazione }: Receipt): Draft =>
  draft.report === data_creazione ? draft : NOTHING;

const isDraft = (kept: unknown): kept is KeptDraft =>
  typeof kept === 'object' && kept !== null && 'report' in kept && 'text' in kept && 'answers' in kept;

/** What was typed and not sent. It outlives a visit that ends by itself, and a page that a phone puts away. */
function useDraft() {
  const key = `${ownKey('seguito')}_draft`;
  const [draft, setDraft] = useState<KeptDraft>(() => {
    const kept = readJson(openStore('sessionStorage'), key);
    return isDraft(kept) ? kept : { ...NOTHING, report: '' };
  });
  useEffect(() => {
    const store = openStore('sessionStorage');
    if (draft.report === '') {
      store?.removeItem(key);
    } else {
      writeJson(store, key, draft);
    }
  }, [key, draft]);
  return [draft, setDraft] as const;
}

/** `typed`: what stood in the box before this script arrived. */
export function Follow({ boot, typed = '' }: { boot: Boot; typed?: string }) {
  const { receipt, setReceipt, resuming, reason, close, over, sending } = useVisit();
  const minutes = useMinutesLeft(receipt);
  useSteadyFocus();
  const [draft, setDraft] = useDraft();
  const [early, setEarly] = useState(typed);
  const visited = receipt !== null;
  useEffect(() => {
    if (visited) {
      setEarly('');
    }
  }, [visited]);
  const end = () => {
    setDraft({ ...NOTHING, report: '' });
    close();
  };
  return (
    <div className={styles.page}>
      <Header
        branding={boot.branding}
        exit={boot.quickExitUrl ?? ''}
        onLeave={() => leaveFiles(true, true)}
        line={receipt ? <Left minutes={minutes} /> : <p>La tua segnalazione</p>}
      >
        {receipt && (
          <Act quiet onClick={end}>
            Esci
          </Act>
        )}
      </Header>
      <main className={styles.main}>
        {boot.receipts === false ? (
          <p>Qui in questo momento non si può seguire una segnalazione.</p>
        ) : receipt !== null ? (
          <Visit
            receipt={receipt}
            onReceipt={setReceipt}
            onOver={over}
            limits={boot.attachments ?? null}
            sending={sending}
            draft={ofReport(draft, receipt)}
            onDraft={(change) =>
              setDraft((before) => ({
                ...ofReport(before, receipt),
                ...change,
                report: receipt.data_creazione,
              }))
            }
          />
        ) : (
          resuming || <CodeForm reason={reason} typed={early} onReceipt={setReceipt} />
        )}
        <Announcer label="Novità" />
      </main>
    </div>
  );
}

function Left({ minutes }: { minutes: number }) {
  return (
    <p>
      <span className={styles.still}>Ancora </span>
      <span>{`${minutes} min`}</span>
    </p>
  );
}

function Visit(props: Omit<Parameters<typeof Thread>[0], 'asked'>) {
  const asked = usePart(props.receipt.messages.some(isAsking), () => import('./asked'));
  return (
    <>
      {props.receipt.help && (
        <div className={styles.help}>
          <Pin texts={[props.receipt.help]} />
        </div>
      )}
      <Progress receipt={props.receipt} />
      <Thread {...props} asked={asked} />
      {asked && <asked.Permissions {...props} />}
      {props.receipt.attachments.length > 0 && <OwnFiles {...props} />}
      <OwnDataActs onOver={props.onOver} />
      <Withdrawing {...props} />
    </>
  );
}
