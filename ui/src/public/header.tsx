/** Head of the page: what it is, the newsroom's reach, and the two ways out. Must leave nothing behind on the quick one. */
import type { Branding } from '../shared/api/schema';
import { openStore } from '../shared/lib/storage';
import type { Conversation } from './chat/conversation';
import styles from './header.module.css';
import type { Later } from './use-later';
import type { Reach } from './use-status';

const BADGES: Record<Reach, string> = {
  checking: '…',
  online: 'Online',
  demo: 'Demo',
  offline: 'Offline',
};

const ICON = `${import.meta.env.BASE_URL}logo/icon.svg`;

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
    // A visit to a report, which a cookie holds.
    fetch(`${import.meta.env.BASE_URL}api/receipts`, { method: 'DELETE', keepalive: true }).catch(() => {});
  } finally {
    // Out of a frame as well: the site around it tells where one has been.
    (window.top ?? window).location.replace(address);
  }
}

type Props = {
  branding: Branding;
  reach: Reach;
  /** Where 'Esci in fretta' leads; hidden by the style when empty, so that both first renders are the same. */
  exit: string;
  state: Conversation;
  later: Later | null;
  onRestart: () => void;
};

export function Header({ branding, reach, exit, state, later, onRestart }: Props) {
  return (
    <header className={styles.header}>
      <img className={styles.mark} src={branding.logoUrl ?? ICON} alt="" width={40} height={40} />
      <div className={styles.names}>
        <p className={styles.newsroom}>{branding.organizationName}</p>
        <div className={styles.line}>
          <h1 className={styles.title}>{branding.productName}</h1>
          <p className={styles.subtitle}>Chatbot investigativo</p>
          <p className={styles.badge} data-reach={reach}>
            <span className="visually-hidden">Stato: </span>
            {BADGES[reach]}
          </p>
        </div>
      </div>
      <a
        className={styles.exit}
        href={exit}
        target="_top"
        rel="noreferrer"
        onClick={(event) => {
          event.preventDefault();
          onRestart();
          leave(exit);
        }}
      >
        Esci<span className={styles.quickly}> in fretta</span>
      </a>
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
      {later && <later.Menu state={state} onRestart={onRestart} />}
    </header>
  );
}
