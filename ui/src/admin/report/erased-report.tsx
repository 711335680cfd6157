import { useEffect } from 'react';
import { announce } from '../../shared/ui/announcer';
import { NotFound } from './not-found';

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
