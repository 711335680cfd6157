/** How long reports are kept, as the panel reads it. Must never decide by itself what goes: the server says so. */
import { Link } from 'react-router-dom';
import type { Retention } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { Message } from '../../shared/ui/message';
import { paths } from './paths';
import { useRead } from './use-read';

/** Pause between two questions, in milliseconds: what goes by days does not change by seconds. */
export const LOOK_MS = 60_000;

export const useRetention = () => useRead('/retention', { refetchInterval: LOOK_MS, background: true });

export function warningOf({ warned, warningDays }: Retention): string {
  return warned === 1
    ? `Una segnalazione verrà cancellata entro ${warningDays} giorni.`
    : `${warned} segnalazioni verranno cancellate entro ${warningDays} giorni.`;
}

/** Stands where reports are listed as long as the age of some is about to erase them (PRODUCT.md §14). */
export function RetentionNotice() {
  const { data } = useRetention();
  if (!data || data.warned === 0) {
    return null;
  }
  return (
    <Message kind="warning">
      <p>
        {warningOf(data)} {data.next ? `La prima il ${formatDate(data.next)}. ` : null}
        <Link to={paths.retention}>{data.warned === 1 ? 'Mostrala' : 'Mostrale'}</Link>
      </p>
    </Message>
  );
}
