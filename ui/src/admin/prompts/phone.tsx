import type { ReactNode } from 'react';
import { useBranding } from '../common/branding';
import styles from './phone.module.css';

/** The public page in small, as it shows on a phone: the assistant's name above, what is said below. */
export function Phone({ children }: { children: ReactNode }) {
  const { assistantName, logoUrl } = useBranding();
  return (
    <div className={styles.phone}>
      <div className={styles.head}>
        <span className={styles.avatar} data-logo={logoUrl ? true : undefined}>
          {logoUrl ? (
            <img src={logoUrl} alt="" />
          ) : (
            <svg viewBox="0 0 24 24" aria-hidden="true">
              <path
                d="M5 5h14a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-6l-4 3.5V17H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2z"
                fill="currentColor"
              />
            </svg>
          )}
        </span>
        <div className={styles.names}>
          <p className={styles.name}>{assistantName}</p>
          <p className={styles.subtitle}>Chatbot investigativo</p>
        </div>
      </div>
      {children}
    </div>
  );
}
