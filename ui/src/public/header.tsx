/** Head of the page: what it is, the newsroom's reach, and the two ways out. Must leave nothing behind on the quick one. */
import { useEffect, useRef, useState } from 'react';
import type { Branding } from '../shared/api/schema';
import { openStore } from '../shared/lib/storage';
import { type Conversation, isLastStep, isPristine } from './chat/conversation';
import styles from './header.module.css';
import type { Reach } from './use-status';

const BADGES: Record<Reach, string> = {
  checking: '…',
  online: 'Online',
  demo: 'Demo',
  offline: 'Offline',
};

function Avatar({ logoUrl }: { logoUrl: string | null }) {
  const [logo, setLogo] = useState<string | null>(null);
  useEffect(() => setLogo(logoUrl), [logoUrl]);

  return (
    <span className={styles.avatar} data-logo={logo ? 'true' : undefined}>
      {logo ? (
        <img src={logo} alt="" width={40} height={40} onError={() => setLogo(null)} />
      ) : (
        <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
          <path
            d="M5 5h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-6l-4 3.5V17H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2z"
            fill="currentColor"
          />
        </svg>
      )}
    </span>
  );
}

/** 'Ricomincia', asked once where something would be lost. Opens and closes by itself: the browser does it. */
function Menu({ state, onRestart }: Pick<Props, 'state' | 'onRestart'>) {
  const menu = useRef<HTMLDivElement>(null);
  const [asking, setAsking] = useState(false);
  const close = () => menu.current?.hidePopover?.();
  const { phase, step, turn } = state;
  const over = phase === 'done' || phase === 'ended';
  // What may already be with the newsroom is not taken back.
  const leaving = phase === 'sending' && isLastStep(step) && !turn?.back;
  return (
    <>
      <button type="button" className={styles.open} popoverTarget="menu" aria-label="Menu">
        <svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
          <path
            d="M12 4.5v.01M12 12v.01M12 19.5v.01"
            stroke="currentColor"
            strokeWidth="3.5"
            strokeLinecap="round"
          />
        </svg>
      </button>
      <div id="menu" popover="auto" ref={menu} className={styles.menu} onToggle={() => setAsking(false)}>
        {asking && (
          <p>
            {phase === 'kept'
              ? 'La segnalazione conservata resta e verrà inviata.'
              : 'Le risposte date finora andranno perse.'}{' '}
            Ricominciare?
          </p>
        )}
        {asking && (
          <button type="button" className="button" data-quiet="" onClick={close}>
            Annulla
          </button>
        )}
        <button
          type="button"
          className="button"
          disabled={leaving || isPristine(state)}
          onClick={() => {
            if (asking || over) {
              onRestart();
              close();
            }
            setAsking(!asking && !over);
          }}
        >
          {phase === 'done' ? 'Nuova segnalazione' : 'Ricomincia'}
        </button>
      </div>
    </>
  );
}

/** Leaves nothing of the conversation in this browser, nor the page behind the one that comes. */
function leave(address: string): void {
  try {
    openStore('sessionStorage')?.clear();
    const kept = openStore('localStorage');
    for (const key of Object.keys(kept ?? {})) {
      if (/_report_\d+$/.test(key)) {
        kept?.removeItem(key);
      }
    }
  } finally {
    window.location.replace(address);
  }
}

type Props = {
  branding: Branding;
  reach: Reach;
  /** Where 'Esci in fretta' leads; hidden by the style when empty, so that both first renders are the same. */
  exit: string;
  state: Conversation;
  onRestart: () => void;
};

export function Header({ branding, reach, exit, state, onRestart }: Props) {
  return (
    <header className={styles.header}>
      <Avatar logoUrl={branding.logoUrl} />
      <div className={styles.names}>
        <h1 className={styles.title}>{branding.productName}</h1>
        <p className={styles.subtitle}>Chatbot investigativo</p>
      </div>
      <p className={styles.badge} data-reach={reach}>
        <span className="visually-hidden">Stato: </span>
        <span className={styles.reach}>{BADGES[reach]}</span>
      </p>
      <a
        className={styles.exit}
        href={exit}
        rel="noreferrer"
        onClick={(event) => {
          event.preventDefault();
          onRestart();
          leave(exit);
        }}
      >
        Esci<span className={styles.quickly}> in fretta</span>
      </a>
      <Menu state={state} onRestart={onRestart} />
    </header>
  );
}
