import { FileQuestion } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { messages } from '../../shared/messages';
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
