import { Download, Inbox, SearchX } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { Link } from 'react-router-dom';
import type { ReportList } from '../../shared/api/schema';
import { messages } from '../../shared/messages';
import { announce } from '../../shared/ui/announcer';
import { Button, buttonClass } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { EmptyState } from '../../shared/ui/empty-state';
import { Stack } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { ErrorCard } from '../common/error-card';
import { isProblem } from '../common/errors';
import { Loading, StaleNotice } from '../common/loaded';
import { type LocalReport, useLocalReports } from '../common/local-reports';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { RetentionNotice } from '../common/retention';
import { Counters } from './counters';
import { FilterBar } from './filter-bar';
import {
  type ChangeFilters,
  type Filters,
  isFiltered,
  NO_FILTERS,
  useFilters,
  usesIndex,
  withFilter,
  writeFilters,
} from './filters';
import { ErasureNews, ExportStatus, IndexProgress } from './list-notices';
import { matches } from './marked';
import { Pager } from './pager';
import { useReports } from './queries';
import { ReportTable } from './report-table';
import styles from './reports.module.css';
import { useArrivals } from './use-arrivals';
import { useExport } from './use-export';
import { useListKeys } from './use-list-keys';

/** Rows of the placeholder: about what fits on a screen. */
const PLACEHOLDER_ROWS = 8;

export function ReportsPage() {
  const [filters, setFilters] = useFilters();
  const reports = useReports(filters);
  const exporter = useExport();
  const local = useLocalSelection(filters);
  const selection = writeFilters(filters);
  const arrivals = useArrivals(selection, reports.isPlaceholderData ? undefined : reports.data);
  const results = useFocusOnPaging(filters.cursor, reports.isPlaceholderData ? undefined : reports.data);
  useFirstPageInstead(filters, reports.error, setFilters);
  const searchBox = useRef<HTMLInputElement>(null);
  useListKeys({ filters, onChange: setFilters, results, searchBox });
  const archive = reports.data?.counters.total;

  return (
    <Page
      title="Segnalazioni"
      subtitle="Gestisci tutte le segnalazioni ricevute"
      actions={
        <Button
          icon={<Download aria-hidden="true" />}
          inactive={exporter.busy || archive === undefined}
          onClick={() => exporter.start(filters, archive ?? 0)}
        >
          {messages.reports.exportCsv}
        </Button>
      }
    >
      <ErasureNews />
      <ExportStatus exporter={exporter} />
      <RetentionNotice />
      <Counters figures={reports.data?.counters} failed={reports.isError} filters={filters} />
      <FilterBar filters={filters} onChange={setFilters} searchBox={searchBox} />
      {reports.isError && reports.data ? <StaleNotice /> : null}
      {arrivals.elsewhere > 0 ? <Elsewhere count={arrivals.elsewhere} /> : null}
      {isPartial(filters, reports.data) ? <IndexProgress search={reports.data.search} /> : null}
      <section
        className={styles.results}
        aria-label="Elenco delle segnalazioni"
        aria-busy={reports.isPlaceholderData}
        tabIndex={-1}
        ref={results}
      >
        {reports.data ? (
          <Results
            list={reports.data}
            local={local}
            filters={filters}
            fresh={arrivals.fresh}
            onChange={setFilters}
          />
        ) : reports.isError ? (
          <Stack gap={4}>
            <ErrorCard
              title="Non è stato possibile caricare le segnalazioni"
              error={reports.error}
              onRetry={() => void reports.refetch()}
            />
            {local.length > 0 ? <Rows list={NO_ROWS} local={local} filters={filters} fresh={NO_IDS} /> : null}
          </Stack>
        ) : (
          <Loading label="Caricamento delle segnalazioni…">
            <Card>
              <Skeleton lines={PLACEHOLDER_ROWS} tall />
            </Card>
          </Loading>
        )}
      </section>
    </Page>
  );
}

const NO_ROWS = { data: [] };
const NO_IDS: ReadonlySet<string> = new Set();

/** Whether what was found may not be all: accounts are always searched in full, the rest by the index. */
function isPartial(filters: Filters, list: ReportList | undefined): list is ReportList {
  return list !== undefined && usesIndex(filters) && !list.search.ready;
}

/** A page that the server does not know, of an address that was typed or cut off, is not worth a message. */
function useFirstPageInstead(filters: Filters, error: unknown, onChange: ChangeFilters): void {
  const unknown = filters.cursor !== null && isProblem(error, 'dati-non-validi') && 'cursor' in error.errors;
  useEffect(() => {
    if (unknown) {
      onChange({ ...filters, cursor: null }, { replace: true });
    }
  }, [unknown, filters, onChange]);
}

/**
 * The reports of this browser, on the first page. Nobody has read them yet: they belong to no department, and nothing is
 * known of their wording. However old they are, they still wait, so a period does not hide them.
 */
function useLocalSelection({ cursor, department, urgente, stato, search, inText }: Filters) {
  const kept = useLocalReports();
  return useMemo(() => {
    const found = ({ nome, cognome, email, telefono, segnalazione }: LocalReport) =>
      [`${nome} ${cognome}`, email, telefono, inText ? segnalazione : ''].some((text) =>
        matches(text, search),
      );
    return cursor || department || urgente
      ? []
      : kept.filter((one) => (!stato || one.stato === stato) && (!search.trim() || found(one)));
  }, [kept, cursor, department, urgente, stato, search, inText]);
}

interface ResultsProps {
  list: ReportList;
  local: readonly LocalReport[];
  filters: Filters;
  fresh: ReadonlySet<string>;
  onChange: (filters: Filters) => void;
}

function Results({ list, local, filters, fresh, onChange }: ResultsProps) {
  if (list.data.length === 0 && local.length === 0) {
    return (
      <Card>
        {isFiltered(filters) || filters.cursor ? (
          <EmptyState
            icon={<SearchX aria-hidden="true" />}
            title={messages.reports.none}
            action={<Button onClick={() => onChange(NO_FILTERS)}>Azzera filtri</Button>}
          >
            <p>Prova a modificare i filtri di ricerca.</p>
          </EmptyState>
        ) : (
          <NothingYet />
        )}
      </Card>
    );
  }
  return (
    <Stack gap={4}>
      <Rows list={list} local={local} filters={filters} fresh={fresh} />
      <Pager filters={filters} prevCursor={list.prevCursor} nextCursor={list.nextCursor} />
    </Stack>
  );
}

interface RowsProps extends Pick<ResultsProps, 'local' | 'filters' | 'fresh'> {
  list: Pick<ReportList, 'data'>;
}

function Rows({ list, local, filters, fresh }: RowsProps) {
  return (
    <Card flush>
      <ReportTable
        rows={list.data}
        local={local}
        fresh={fresh}
        search={filters.search}
        urgentOnly={
          filters.urgente ? null : paths.reports + writeFilters(withFilter(filters, { urgente: true }))
        }
        trail={{ list: writeFilters(filters) }}
      />
    </Card>
  );
}

function NothingYet() {
  return (
    <EmptyState
      icon={<Inbox aria-hidden="true" />}
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

function Elsewhere({ count }: { count: number }) {
  return (
    <Message kind="info">
      <p>
        {count === 1 ? 'È arrivata una nuova segnalazione.' : `Sono arrivate ${count} nuove segnalazioni.`}{' '}
        <Link to={paths.reports}>Mostra le più recenti</Link>
      </p>
    </Message>
  );
}

/** After a change of page the focus goes to the rows, else it would be left on a link far below them. */
function useFocusOnPaging(cursor: string | null, list: ReportList | undefined) {
  const ref = useRef<HTMLElement>(null);
  const shown = useRef(cursor);
  useEffect(() => {
    if (list && shown.current !== cursor) {
      shown.current = cursor;
      ref.current?.focus({ preventScroll: true });
      ref.current?.scrollIntoView({ block: 'nearest' });
      announce(`Pagina aggiornata: ${list.data.length} segnalazioni.`);
    }
  }, [cursor, list]);
  return ref;
}
