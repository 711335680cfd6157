import { Shield } from 'lucide-react';
import styles from './notice-preview.module.css';

/** The privacy notice as it stands above the first question. The link is only shown: it may not be an address yet. */
export function NoticePreview({ text, url }: { text: string; url: string }) {
  return (
    <section className={styles.preview} aria-label="Anteprima dell’informativa">
      <p className={styles.title}>Anteprima</p>
      <div className={styles.notice}>
        <Shield aria-hidden="true" />
        <div>
          {text.trim() === '' ? (
            <p className={styles.blank}>Il testo è vuoto.</p>
          ) : (
            <p className={styles.text}>{text}</p>
          )}
          {url === '' ? null : <span className={styles.link}>Leggi l’informativa completa</span>}
        </div>
      </div>
    </section>
  );
}
