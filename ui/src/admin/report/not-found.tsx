import { FileQuestion } from 'lucide-react';
import { useEffect } from 'react';
import { Link } from 'react-router-dom';
import { messages } from '../../shared/messages';
import { announce } from '../../shared/ui/announcer';
import { buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Page } from '../common/page';

interface NotFoundProps {
  listAddress: string;
  /** It was there, and was erased, perhaps while somebody had it open. */
  erased: boolean;
}

export function NotFound({ listAddress, erased }: NotFoundProps) {
  useEffect(() => {
    if (erased) {
      announce('La segnalazione è stata cancellata.');
    }
  }, [erased]);
  return (
    <Page title={erased ? 'Segnalazione cancellata' : 'Segnalazione non trovata'}>
      <Card>
        <EmptyState
          icon={<FileQuestion aria-hidden="true" />}
          title={
            erased
              ? 'La segnalazione è stata cancellata'
              : 'Questo indirizzo non porta a nessuna segnalazione'
          }
          action={
            <Link className={buttonClass} data-variant="primary" to={listAddress}>
              {messages.reports.backToList}
            </Link>
          }
        >
          <p>
            {erased
              ? 'Il suo contenuto, le note e la cronologia non ci sono più, e non si possono recuperare. Chi l’ha cancellata è nel registro degli accessi; se nessuno, è scaduta la durata di conservazione.'
              : 'Forse è stata cancellata, o il collegamento è incompleto.'}
          </p>
        </EmptyState>
      </Card>
    </Page>
  );
}
