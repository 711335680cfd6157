import { formatDateTime } from '../../shared/lib/dates';
import { Message } from '../../shared/ui/message';
import styles from './report-page.module.css';

/** Says when the age of a report erases it, while it can still be kept. */
export function ExpiryNotice({ scadenza }: { scadenza: string | null }) {
  return scadenza ? (
    <div className={styles.notice}>
      <Message kind="warning" title={`Verrà cancellata il ${formatDateTime(scadenza)}`}>
        <p>È chiusa, e sta per superare la durata di conservazione. Per tenerla, riportala In lavorazione.</p>
      </Message>
    </div>
  ) : null;
}
