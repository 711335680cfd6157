import { ChevronLeft, ChevronRight, Download, Inbox, Plus, SearchX } from 'lucide-react';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import type { ReportList } from '../../shared/api/schema';
import { messages } from '../../shared/messages';
import { announce } from '../../shared/ui/announcer';
import { Button, buttonClass } from '../../shared/ui/button';
import { Checkbox } from '../../shared/ui/checkbox';
import { EmptyState } from '../../shared/ui/empty-state';
import { Row } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { BulkBar } from '../bulk/bulk-bar';
import { ErrorCard } from '../common/error-card';
import { isProblem } from '../common/errors';
import {
  type Asked,
  askedFor,
  type ChangeFilters,
  type Filters,
  isFiltered,
  useFilters,
  withFilter,
  writeFilters,
} from '../common/list/filters';
import styles from '../common/list/list.module.css';
import { ReportTable } from '../common/list/report-table';
import { SelectionProvider } from '../common/list/selection';
import { Loaded } from '../common/loaded';
import { Opener } from '../common/opener';
import { useHeading } from '../common/page';
import { paths } from '../common/paths';
import { RetentionNotice } from '../common/retention';
import { useRights } from '../common/session/session-context';
import { Count, FilterBar } from './filter-bar';
import { ErasureNews, ExportStatus, IndexProgress } from './list-notices';
import { LocalReports } from './local-reports';
import { SearchBox } from './search-box';
import { Suspects } from './suspects';
import { arrivedText, useArrivals } from './use-arrivals';
import { useExport } from './use-export';
import { useListKeys } from './use-list-keys';
import { useLooking, useReportList, useShownAsked } from './use-report-list';
import { ViewPicker } from './views';

const FAILED = 'Non è stato possibile caricare le segnalazioni';

export function ReportsPage({ open }: { open?: string | undefined }) {
  const beside = open !== undefined;
  const { edits, administers } = useRights();
  const [filters, setFilters] = useFilters();
  const reports = useReportList(filters);
  const looking = useLooking(filters);
  const asked = useShownAsked(filters);
  const exporter = useExport();
  const [extra, setExtra] = useState(false);
  const shown = reports.isPlaceholderData ? undefined : reports.data;
  const arrivals = useArrivals(writeFilters(filters), shown);
  const results = useFocusOnPaging(filters.cursor, shown);
  useFirstPageInstead(filters, reports.error, setFilters);
  const searchBox = useRef<HTMLInputElement>(null);
  const ready = shown !== undefined || reports.isError;
  useListKeys({ filters, onChange: setFilters, results, searchBox, beside, ready });
  // First the heading takes the focus, then the row that was open, if there was one.
  const heading = useHeading('Segnalazioni', beside);
  useOpenRow(open, results, shown);
  const archive = reports.data?.counters.total;
  const Heading = beside ? 'h2' : 'h1';

  return (
    <div className={styles.page}>
      <header className={styles.head}>
        <div>
          <Heading tabIndex={-1} ref={heading}>
            Segnalazioni
          </Heading>
          {beside ? null : <p>Gestisci tutte le segnalazioni ricevute</p>}
        </div>
        {beside ? null : <ViewPicker filters={filters} onChange={setFilters} />}
        <SearchBox filters={filters} onChange={setFilters} searchBox={searchBox} />
        {beside || !edits ? null : (
          <>
            <Opener
              load={() => import('./entry-dialog')}
              props={{}}
              icon={<Plus />}
              title="Nuova segnalazione"
              className={styles.entry}
            >
              <span>Nuova segnalazione</span>
            </Opener>
            <Button
              variant="quiet"
              icon={<Download />}
              title="Esporta CSV"
              className={styles.export}
              inactive={exporter.busy || archive === undefined}
              onClick={() => exporter.start(filters, archive ?? 0, extra)}
            >
              <span>Esporta CSV</span>
            </Button>
          </>
        )}
      </header>
      <FilterBar filters={filters} onChange={setFilters} list={reports.data}>
        {beside || !edits ? null : (
          <Checkbox checked={extra} onChange={setExtra}>
            Esporta anche reparto, urgenza, età, note e a chi è assegnata
          </Checkbox>
        )}
      </FilterBar>
      <div className={styles.notices}>
        <ErasureNews />
        <ExportStatus exporter={exporter} />
        {beside ? null : (
          <>
            {administers ? <RetentionNotice /> : null}
            {filters.cursor ? null : <LocalReports />}
            <Suspects
              shown={filters.sospette === true}
              onShow={(sospette) => setFilters(withFilter(filters, { sospette }))}
            />
          </>
        )}
        {arrivals.elsewhere > 0 ? (
          <Message kind="info">
            <p>
              {arrivedText(arrivals.elsewhere)}. <Link to={paths.reports}>Mostra le più recenti</Link>
            </p>
          </Message>
        ) : null}
        {reports.data && isPartial(filters, looking, reports.data) ? (
          <IndexProgress search={reports.data.search} />
        ) : null}
      </div>
      <section
        className={styles.results}
        aria-label="Elenco delle segnalazioni"
        aria-busy={reports.isPlaceholderData}
        tabIndex={-1}
        ref={results}
      >
        {isProblem(reports.error, 'dati-non-validi') ? (
          // Neither what was there before nor another try is of use.
          <ErrorCard
            title={FAILED}
            error={reports.error}
            retry="Azzera filtri"
            onRetry={() => setFilters({})}
          />
        ) : (
          <>
            <Count
              matching={reports.data?.matching}
              shown={reports.data?.data.length ?? 0}
              filters={filters}
              looking={looking}
              onChange={setFilters}
            />
            <Loaded query={reports} loading="Caricamento delle segnalazioni…" failed={FAILED} lines={8}>
              {(list) => (
                <Results
                  list={list}
                  filters={filters}
                  asked={asked}
                  coming={!ready}
                  fresh={arrivals.fresh}
                  open={open}
                  onChange={setFilters}
                />
              )}
            </Loaded>
          </>
        )}
      </section>
    </div>
  );
}

/** Whether what was found may not be all: accounts are always searched in full, the rest by the index. */
function isPartial(filters: Filters, looking: boolean, list: ReportList): boolean {
  const whole = askedFor(filters, 0).inText === true && !looking;
  return Boolean(filters.search?.trim()) && !whole && !list.search.ready;
}

/** A page that the server does not know, of an address that was typed or cut off, is not worth a message. */
function useFirstPageInstead(filters: Filters, error: unknown, onChange: ChangeFilters): void {
  const unknown = filters.cursor && isProblem(error, 'dati-non-validi') && 'cursor' in error.errors;
  useEffect(() => {
    if (unknown) {
      onChange(withFilter(filters, {}), { replace: true });
    }
  }, [unknown, filters, onChange]);
}

interface ResultsProps {
  list: ReportList;
  filters: Filters;
  asked: Asked;
  coming: boolean;
  fresh: ReadonlySet<string>;
  open: string | undefined;
  onChange: (filters: Filters) => void;
}

function Results({ list, filters, asked, coming, fresh, open, onChange }: ResultsProps) {
  const { edits } = useRights();
  return (
    <SelectionProvider of={writeFilters(filters)} rows={list.data}>
      {list.data.length === 0 ? (
        <Nothing
          narrowed={isFiltered(filters) || filters.cursor !== undefined}
          onReset={() => onChange({})}
        />
      ) : (
        <ReportTable
          rows={list.data}
          justArrived={fresh}
          openId={open}
          search={filters.search ?? ''}
          order={filters.order}
          listQuery={writeFilters(filters)}
        />
      )}
      {edits ? <BulkBar list={list} filters={asked} beside={open !== undefined} coming={coming} /> : null}
      {list.prevCursor || list.nextCursor ? (
        <Row as="nav" justify="between" aria-label="Pagine" className={styles.pages}>
          <PageLink filters={filters} cursor={list.prevCursor} open={open}>
            <ChevronLeft />
            Precedente
          </PageLink>
          <PageLink filters={filters} cursor={list.nextCursor} open={open}>
            Successiva
            <ChevronRight />
          </PageLink>
        </Row>
      ) : null}
    </SelectionProvider>
  );
}

function Nothing({ narrowed, onReset }: { narrowed: boolean; onReset: () => void }) {
  return narrowed ? (
    <EmptyState
      icon={<SearchX />}
      title={messages.reports.none}
      action={<Button onClick={onReset}>Azzera filtri</Button>}
    >
      <p>Prova a modificare i filtri di ricerca.</p>
    </EmptyState>
  ) : (
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

interface PageLinkProps {
  filters: Filters;
  cursor: string | null;
  open: string | undefined;
  children: ReactNode;
}

function PageLink({ filters, cursor, open, children }: PageLinkProps) {
  const look = { className: buttonClass, 'data-variant': 'secondary' };
  const list = cursor ? writeFilters({ ...filters, cursor }) : '';
  const to = open === undefined ? { to: paths.reports + list } : { to: paths.report(open), state: { list } };
  // One that leads nowhere is told as such instead of vanishing from under the pointer.
  return cursor ? (
    <Link {...look} {...to}>
      {children}
    </Link>
  ) : (
    <a {...look} role="link" aria-disabled="true">
      {children}
    </a>
  );
}

/** The row of the open report stays in sight; once it is closed, it has the focus. */
function useOpenRow(open: string | undefined, results: RefObject<HTMLElement | null>, list: unknown): void {
  const before = useRef(open);
  useEffect(() => {
    const row = (id: string) =>
      results.current?.querySelector<HTMLElement>(`a[data-row-link][href$="/${CSS.escape(id)}"]`);
    if (open !== undefined && list) {
      row(open)?.closest('tr')?.scrollIntoView({ block: 'nearest' });
    } else if (before.current !== undefined) {
      const left = row(before.current);
      left?.focus({ preventScroll: true });
      left?.closest('tr')?.scrollIntoView({ block: 'center' });
    }
    before.current = open;
  }, [open, results, list]);
}

/** After a change of page the focus goes to the rows, else it would be left on a link far below them. */
function useFocusOnPaging(cursor: string | undefined, list: ReportList | undefined) {
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
