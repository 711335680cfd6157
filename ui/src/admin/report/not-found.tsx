import { FileQuestion } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { messages } from '../../shared/messages';
import { buttonClass } from '../../shared/ui/button';
import { EmptyState } from '../../shared/ui/empty-state';
import { Page } from '../common/page';
import styles from './report-page.module.css';

interface NotFoundProps {
  listAddress: string;
  /** Why that may be. */
  children: ReactNode;
}

export function NotFound({ listAddress, children }: NotFoundProps) {
  return (
    <Page title={messages.reports.notFound}>
      <div className={styles.block}>
        <EmptyState
          icon={<FileQuestion aria-hidden="true" />}
          title="Questo indirizzo non porta a nessuna segnalazione"
          action={
            <Link className={buttonClass} data-variant="primary" to={listAddress}>
              {messages.reports.backToList}
            </Link>
          }
        >
          {children}
        </EmptyState>
      </div>
    </Page>
  );
}
