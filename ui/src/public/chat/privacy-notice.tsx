import styles from './privacy-notice.module.css';

/** The link is there even without an address, hidden by style: the prerendered page cannot know whether there is one. */
export function PrivacyNotice({ text, url }: { text: string; url: string | null }) {
  return (
    <aside className={styles.notice} aria-label="Informativa sulla privacy">
      <svg className={styles.icon} viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        <path
          d="M12 3l7 3v5.5c0 4.4-2.9 7.9-7 9.5-4.1-1.6-7-5.1-7-9.5V6z"
          fill="none"
          stroke="currentColor"
          strokeWidth="1.8"
          strokeLinejoin="round"
        />
      </svg>
      <div>
        <p className={styles.text}>{text}</p>
        <a className={styles.link} href={url ?? ''} target="_blank" rel="noopener noreferrer">
          Leggi l’informativa completa
        </a>
      </div>
    </aside>
  );
}
