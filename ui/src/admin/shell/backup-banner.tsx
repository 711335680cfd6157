import { TriangleAlert } from 'lucide-react';
import { Link } from 'react-router-dom';
import { useServerBackups } from '../common/installation/queries';
import { paths } from '../common/paths';
import styles from './delivery-banner.module.css';

/** Stands on every page while the newest backup is too old or could not be gone back to (PRODUCT.md §9). */
export function BackupBanner() {
  const backups = useServerBackups();
  const { alarming, overdue } = backups.data ?? { alarming: false, overdue: false };
  return (
    <div role="status">
      {alarming ? (
        <div className={styles.banner}>
          <TriangleAlert aria-hidden="true" />
          <p>
            {overdue
              ? 'L’ultimo backup riuscito è troppo vecchio.'
              : 'La prova di ripristino dell’ultimo backup è fallita.'}{' '}
            <Link to={paths.system}>Vai ai backup</Link>
          </p>
        </div>
      ) : null}
    </div>
  );
}
