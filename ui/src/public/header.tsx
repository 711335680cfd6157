/** Head of the page: the assistant and the newsroom's reach. */
import { useEffect, useState } from 'react';
import type { Branding } from '../shared/api/schema';
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

export function Header({ branding, reach }: { branding: Branding; reach: Reach }) {
  return (
    <header className={styles.header}>
      <Avatar logoUrl={branding.logoUrl} />
      <div className={styles.names}>
        <h1 className={styles.title}>{branding.assistantName}</h1>
        <p className={styles.subtitle}>Chatbot investigativo</p>
      </div>
      <p className={styles.badge} data-reach={reach}>
        <span className="visually-hidden">Stato: </span>
        {BADGES[reach]}
      </p>
    </header>
  );
}
