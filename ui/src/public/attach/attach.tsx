import { type ComponentProps, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { sizeOf } from '../../shared/lib/file-size';
import { announce } from '../../shared/ui/announcer';
import { Files, type Item, isUnderWay, type Limits } from './files';

const ACCEPTED =
  'image/*,video/*,audio/*,.pdf,.doc,.docx,.xls,.xlsx,.ppt,.pptx,.odt,.ods,.odp,.rtf,.heic,.heif';

type Props = {
  limits: Limits;
  token: string;
  last: boolean;
  /** Asked before an answer leaves: whether it has to wait. */
  hold: RefObject<(() => boolean) | null>;
  later?: boolean;
  quiet?: ComponentProps<'button'> & { 'data-variant'?: string };
  onItems?: (items: readonly Item[]) => void;
};

const QUIET = { className: 'button', 'data-quiet': '' };

function stateOf({ state, sent, size, error }: Item): string {
  switch (state) {
    case 'done':
      return `Allegato, ${sizeOf(size)}`;
    case 'failed':
      return `Non allegato. ${error}`;
    case 'paused':
      return error;
    default:
      return `${sizeOf(sent)} di ${sizeOf(size)}`;
  }
}

function useNews(items: readonly Item[]): void {
  const told = useRef(new Map<number, Item['state']>());
  useEffect(() => {
    for (const item of items) {
      const before = told.current.get(item.key);
      told.current.set(item.key, item.state);
      if (before !== item.state && (before !== undefined || item.state === 'failed')) {
        const what = item.state === 'sending' ? 'invio ripreso.' : stateOf(item);
        announce(`${item.name}: ${what}`);
      }
    }
  }, [items]);
}

export function Attach({ limits, token, last, hold, later = false, quiet = QUIET, onItems }: Props) {
  const [items, setItems] = useState<readonly Item[]>([]);
  const [waits, setWaits] = useState(false);
  const files = useRef<Files | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const first = useRef({ token, limits, later });
  const heading = useId();
  useNews(items);
  useEffect(() => onItems?.(items), [items, onItems]);

  useEffect(() => {
    const own = Files.resume(first.current.token, first.current.limits, setItems, first.current.later);
    files.current = own;
    const add = (list: FileList | null | undefined) => {
      for (const file of list ?? []) {
        void own.add(file);
      }
    };
    const pasted = (event: ClipboardEvent) => add(event.clipboardData?.files);
    const over = (event: DragEvent) => {
      if (event.dataTransfer?.types.includes('Files')) {
        event.preventDefault();
      }
    };
    const dropped = (event: DragEvent) => {
      over(event);
      add(event.dataTransfer?.files);
    };
    const gone = new AbortController();
    document.addEventListener('paste', pasted, gone);
    document.addEventListener('dragover', over, gone);
    document.addEventListener('drop', dropped, gone);
    window.addEventListener('offline', () => own.pause(), gone);
    window.addEventListener('online', () => own.goOn(), gone);
    return () => {
      gone.abort();
      own.end();
    };
  }, []);

  // Each turn has a token of its own.
  useEffect(() => {
    if (files.current !== null) {
      files.current.token = token;
    }
  }, [token]);

  // What was added last is what the person wants to see.
  const count = items.length;
  useEffect(() => {
    if (count > 0) {
      list.current?.scrollTo?.(0, list.current.scrollHeight);
    }
  }, [count]);

  const running = items.some(isUnderWay);
  useEffect(() => {
    hold.current = () => {
      if (last && running) {
        setWaits(true);
        announce(WAIT);
      }
      return last && running;
    };
    if (!running) {
      setWaits(false);
    }
    return () => {
      hold.current = null;
    };
  }, [hold, last, running]);

  const chosen = () => {
    for (const file of input.current?.files ?? []) {
      void files.current?.add(file);
    }
    if (input.current !== null) {
      input.current.value = '';
    }
  };

  return (
    <section aria-labelledby={heading}>
      <h2 id={heading} className="visually-hidden">
        Allegati
      </h2>
      <div ref={list} style={{ maxBlockSize: '20dvh', overflowY: 'auto' }}>
        {last && items.length > 0 && <p>Verranno inviati anche:</p>}
        {items.length > 0 && (
          <ul style={{ listStyle: 'none', padding: 0, margin: 0 }}>
            {items.map((item) => (
              <li
                key={item.key}
                style={{ display: 'flex', flexWrap: 'wrap', gap: '0 .75rem', alignItems: 'center' }}
              >
                <span style={{ flex: '1 1 12rem', minInlineSize: 0, overflowWrap: 'anywhere' }}>
                  <strong>{item.name}</strong>
                  <br />
                  <small style={item.state === 'failed' ? { color: 'var(--danger)' } : {}}>
                    {stateOf(item)}
                  </small>
                  {item.state === 'sending' && (
                    <progress
                      max={item.size}
                      value={item.sent}
                      aria-label={`Invio di ${item.name}`}
                      style={{ display: 'block', inlineSize: '100%' }}
                    />
                  )}
                </span>
                {item.state === 'paused' && (
                  <button type="button" {...quiet} onClick={() => files.current?.goOn()}>
                    Riprendi<span className="visually-hidden"> {item.name}</span>
                  </button>
                )}
                <button
                  type="button"
                  {...quiet}
                  onClick={() => {
                    files.current?.remove(item.key);
                    announce(`${item.name} tolto.`);
                    button.current?.focus();
                  }}
                >
                  {item.state === 'sending' ? 'Annulla' : 'Togli'}
                  <span className="visually-hidden"> {item.name}</span>
                </button>
              </li>
            ))}
          </ul>
        )}
        {items.length > 0 && (
          <small>
            I file partono subito, cifrati. Se non {later ? 'invii il messaggio' : 'concludi la segnalazione'}
            , vengono cancellati entro un giorno.
          </small>
        )}
      </div>
      {waits && <p role="alert">{WAIT}</p>}
      <button ref={button} type="button" {...quiet} style={LINE} onClick={() => input.current?.click()}>
        <svg
          viewBox="0 0 24 24"
          width="18"
          height="18"
          fill="none"
          stroke="currentColor"
          strokeWidth="2"
          aria-hidden="true"
        >
          <path d="m21 11-9 9a6 6 0 0 1-8.500-8.500l9-9a4 4 0 0 1 5.700 5.700l-9 9a2 2 0 0 1-2.800-2.800l8.300-8.300" />
        </svg>
        Allega foto, video o documenti
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        accept={ACCEPTED}
        aria-label="Allega file"
        onChange={chosen}
      />
    </section>
  );
}

const LINE = {
  display: 'inline-flex',
  alignItems: 'center',
  gap: '.4em',
  paddingInline: 0,
  textAlign: 'start',
} as const;

const WAIT = 'Un file sta ancora arrivando: aspetta che finisca, oppure toglilo, poi invia.';
