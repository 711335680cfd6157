import { Link } from 'react-router-dom';
import type { Retention } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { Message } from '../../shared/ui/message';
import { paths } from '../common/paths';
import { useRetention, warningOf } from '../common/retention';

/** What the saved setting erases soon, leaves, and has erased so far. */
export function RetentionStanding() {
  const { data } = useRetention();
  if (!data) {
    return null;
  }
  return (
    <>
      {data.warned > 0 ? (
        <Message kind="warning">
          <p>
            {warningOf(data)} {data.next ? `La prima il ${formatDate(data.next)}. ` : null}
            <Link to={paths.retention}>{data.warned === 1 ? 'Mostrala' : 'Mostrale'}</Link>
          </p>
        </Message>
      ) : null}
      {data.spared > 0 ? <p>{sparedOf(data.spared)}</p> : null}
      <p>{erasedOf(data)}</p>
    </>
  );
}

function sparedOf(spared: number): string {
  return spared === 1
    ? 'Una segnalazione più vecchia resta, perché non è chiusa o nessuno l’ha aperta.'
    : `${spared} segnalazioni più vecchie restano, perché non sono chiuse o nessuno le ha aperte.`;
}

function erasedOf({ expired, erased }: Retention): string {
  return `Cancellate finora: ${expired} per scadenza, ${erased} su richiesta.`;
}
