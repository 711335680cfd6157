import { useId } from 'react';
import type { ReportList } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';

/** While the search cannot know everything yet, it says so: reports may be missing from what it finds. */
export function IndexProgress({ search }: { search: ReportList['search'] }) {
  const id = useId();
  const { total } = search;
  const indexed = Math.min(search.indexed, total);
  return (
    <Message kind="info">
      <p role="status">
        Ricerca in preparazione: per ora trova solo una parte delle segnalazioni, a partire dalle più recenti.
        L’elenco si completa da solo.
      </p>
      <Text tone="muted" small id={id}>
        {formatNumber(indexed)} di {formatNumber(total)} segnalazioni pronte
      </Text>
      <progress aria-labelledby={id} max={Math.max(total, 1)} value={indexed} />
    </Message>
  );
}
