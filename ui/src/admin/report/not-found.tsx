import { FileQuestion } from 'lucide-react';
import { type ReactNode, useEffect } from 'react';
import { Link } from 'react-router-dom';
import { messages } from '../../shared/messages';
import { announce } from '../../shared/ui/announcer';
import { buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Page } from '../common/page';

interface NotFoundProps {
  listAddress: string;
  /** Heading of the page. */
  heading?: string;
  /** What there is to say in a line. */
  title?: string;
  /** Why that may be. */
  children: ReactNode;
}

/** In the place of a report that is not there. */
export function NotFound({
  listAddress,
  heading = messages.reports.notFound,
  title = 'Questo indirizzo non porta a nessuna segnalazione',
  children,
}: NotFoundProps) {
  return (
    <Page title={heading}>
      <Card>
        <EmptyState
          icon={<FileQuestion aria-hidden="true" />}
          title={title}
          action={
            <Link className={buttonClass} data-variant="primary" to={listAddress}>
              {messages.reports.backToList}
            </Link>
          }
        >
          {children}
        </EmptyState>
      </Card>
    </Page>
  );
}

/** In the place of a report that was erased, also while somebody had it open. */
export function ErasedReport({ listAddress }: { listAddress: string }) {
  useEffect(() => announce('La segnalazione è stata cancellata.'), []);
  return (
    <NotFound
      listAddress={listAddress}
      heading="Segnalazione cancellata"
      title="La segnalazione è stata cancellata"
    >
      <p>
        Il suo contenuto, le note e la cronologia non ci sono più, e non si possono recuperare. Chi l’ha
        cancellata è nel registro degli accessi; se nessuno, è scaduta la durata di conservazione.
      </p>
    </NotFound>
  );
}
