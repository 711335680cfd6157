/** List and report side by side where there is room, else one after the other. Must never load the one again for the other. */
import { Outlet, useMatch } from 'react-router-dom';
import { paths } from '../common/paths';
import { ToastPlace } from '../common/toast-strip';
import { useWide } from '../common/use-wide';
import { ReportsPage } from '../reports/reports-page';
import { ChangesProvider } from './changes';
import styles from './desk.module.css';

export function Desk() {
  const open = useMatch(`${paths.reports}/:id`)?.params.id;
  const beside = useWide();
  return (
    <ChangesProvider open={open}>
      <div className={styles.desk} data-flush="" data-split={(open !== undefined && beside) || undefined}>
        {open === undefined || beside ? (
          <div className={styles.list}>
            <ReportsPage open={open} />
            <ToastPlace />
          </div>
        ) : null}
        {open === undefined ? null : (
          <div className={styles.report}>
            <Outlet />
          </div>
        )}
      </div>
    </ChangesProvider>
  );
}
