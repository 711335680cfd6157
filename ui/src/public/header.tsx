/** Head of the page: what it is, the newsroom's reach, and the two ways out. Must leave nothing behind on the quick one. */
import type { ReactNode } from 'react';
import type { Branding } from '../shared/api/schema';
import { openStore } from '../shared/lib/storage';
import styles from './header.module.css';
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

/** The name of the chat, and whether the newsroom is reached. */
export function ChatLine({ product, reach }: { product: string; reach: Reach }) {
  return (
    <>
      <span className={styles.product} translate="no">
        {product}
      </span>
      <p>Chatbot investigativo</p>
      <p className={styles.badge} data-reach={reach}>
        <span className="visually-hidden">Stato: </span>
        <span>{BADGES[reach]}</span>
      </p>
    </>
  );
}

type Props = {
  branding: Branding;
  /** Under the name: what this page is. */
  line: ReactNode;
  /** Where 'Esci in fretta' leads; hidden by the style when empty, so that both first renders are the same. */
  exit: string;
  /** Before the first question, where it introduces the newsroom. */
  start?: boolean;
  onLeave: () => void;
  /** Beside the way out. */
  children?: ReactNode;
};

export function Header({ branding, line, exit, start, onLeave, children }: Props) {
  return (
    <header className={styles.header} data-start={start || undefined}>
      <img className={styles.mark} src={branding.logoUrl ?? ICON} alt="" width={40} height={40} />
      <div className={styles.names}>
        <h1 className={styles.title} translate="no">
          {branding.organizationName}
        </h1>
        <div className={styles.line}>{line}</div>
      </div>
      {children}
      <a
        className={`button ${styles.exit}`}
        data-quiet=""
        href={exit}
        target="_top"
        rel="noreferrer"
        onClick={(event) => {
          event.preventDefault();
          onLeave();
          leave(exit);
        }}
      >
        Esci in fretta
      </a>
    </header>
  );
}
