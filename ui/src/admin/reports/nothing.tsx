/** What stands in place of rows: nothing found, nothing yet, or nothing left to do. */
import { Inbox, SearchX } from 'lucide-react';
import { Link } from 'react-router-dom';
import type { ReportList } from '../../shared/api/schema';
import { messages } from '../../shared/messages';
import { Button, buttonClass } from '../../shared/ui/button';
import { EmptyState } from '../../shared/ui/empty-state';
import { type Filters, isFiltered, tabOf, writeFilters } from '../common/list/filters';
import { paths } from '../common/paths';
import { DayDone } from './day-done';

interface NothingProps {
  filters: Filters;
  list: ReportList;
  onReset: () => void;
}

export function Nothing({ filters, list, onReset }: NothingProps) {
  const { total, new: fresh, inProgress, resolved } = list.counters;
  const tab = tabOf(filters);
  if (isFiltered(filters) || filters.cursor) {
    return (
      <EmptyState
        icon={<SearchX />}
        title={messages.reports.none}
        action={<Button onClick={onReset}>Togli tutti i filtri</Button>}
      >
        <p>Prova a modificare i filtri di ricerca.</p>
      </EmptyState>
    );
  }
  if (total === 0) {
    return (
      <EmptyState
        icon={<Inbox />}
        title={messages.reports.none}
        action={
          <a className={buttonClass} data-variant="secondary" href={import.meta.env.BASE_URL}>
            Apri la chat pubblica
          </a>
        }
      >
        <p>Le segnalazioni inviate dalla chat pubblica compaiono qui da sole, senza ricaricare la pagina.</p>
      </EmptyState>
    );
  }
  if (tab === 'todo') {
    return <DayDone />;
  }
  const archived = tab === undefined && fresh + inProgress + resolved === 0;
  const to = archived ? { archived } : {};
  return (
    <EmptyState
      icon={<Inbox />}
      title={messages.reports.none}
      action={
        <Link className={buttonClass} data-variant="secondary" to={paths.reports + writeFilters(to)}>
          {archived ? 'Mostra anche le archiviate' : 'Tutte le segnalazioni'}
        </Link>
      }
    >
      <p>{archived ? 'Sono tutte archiviate.' : 'Adesso qui non c’è niente.'}</p>
    </EmptyState>
  );
}
