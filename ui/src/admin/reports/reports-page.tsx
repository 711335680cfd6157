import { ChevronLeft, ChevronRight, Download, Plus } from 'lucide-react';
import { type ReactNode, useRef } from 'react';
import { Link } from 'react-router-dom';
import type { ReportList } from '../../shared/api/schema';
import { Button, buttonClass } from '../../shared/ui/button';
import { Row } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { BulkBar } from '../bulk/bulk-bar';
import { ErrorCard } from '../common/error-card';
import { isProblem } from '../common/errors';
import {
  type Asked,
  askedFor,
  type Filters,
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
import { OpeningCard } from '../opening/opening-card';
import { Chips } from './chips';
import { FilterField } from './filter-field';
import { ErasureNews, ExportStatus, IndexProgress } from './list-notices';
import { LocalReports } from './local-reports';
import { Nothing } from './nothing';
import { Suspects } from './suspects';
import { Counters, Tabs } from './tabs';
import { arrivedText, useArrivals } from './use-arrivals';
import { type Exporter, useExport } from './use-export';
import { useListKeys } from './use-list-keys';
import { useFirstPageInstead, useFocusOnPaging, useOpenRow } from './use-places';
import { useLooking, useReportList, useShownAsked } from './use-report-list';

const FAILED = 'Non è stato possibile caricare le segnalazioni';

export function ReportsPage({ open }: { open?: string | undefined }) {
  const beside = open !== undefined;
  const { edits, administers } = useRights();
  const [filters, setFilters] = useFilters();
  const reports = useReportList(filters);
  const looking = useLooking(filters);
  const asked = useShownAsked(filters);
  const exporter = useExport();
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
  const Heading = beside ? 'h2' : 'h1';
  const entrance = { list: reports.data, filters, open };

  return (
    <div className={styles.page} data-bar={beside ? undefined : ''}>
      <header className={styles.head}>
        <div>
          <Heading tabIndex={-1} ref={heading}>
            Segnalazioni
          </Heading>
          {beside ? null : <p>Gestisci tutte le segnalazioni ricevute</p>}
          <Counters {...entrance} />
        </div>
        {beside || !edits ? null : (
          <>
            <Opener
              load={() => import('./entry-dialog')}
              props={{}}
              icon={<Plus />}
              title="Nuova segnalazione"
            >
              <span>Nuova segnalazione</span>
            </Opener>
            <Export filters={filters} exporter={exporter} archive={reports.data?.counters.total} />
          </>
        )}
      </header>
      <div className={styles.bar}>
        <Tabs {...entrance} />
        <FilterField filters={filters} onChange={setFilters} searchBox={searchBox} />
      </div>
      <Chips
        filters={filters}
        onChange={setFilters}
        matching={reports.data?.matching}
        shown={reports.data?.data.length ?? 0}
        looking={looking}
      />
      <div className={styles.notices}>
        <ErasureNews />
        <ExportStatus exporter={exporter} />
        {beside ? null : (
          <>
            {administers && filters.todo ? <OpeningCard /> : null}
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
            retry="Togli tutti i filtri"
            onRetry={() => setFilters({})}
          />
        ) : (
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
        )}
      </section>
    </div>
  );
}

interface ExportProps {
  filters: Filters;
  exporter: Exporter;
  /** Reports in all; unknown at first. */
  archive: number | undefined;
}

function Export({ filters, exporter, archive }: ExportProps) {
  const start = (extra: boolean) => exporter.start(filters, archive ?? 0, extra);
  const inactive = exporter.busy || archive === undefined;
  return (
    <>
      <Button
        variant="quiet"
        icon={<Download />}
        title="Esporta CSV"
        inactive={inactive}
        onClick={() => start(false)}
      >
        <span>Esporta CSV</span>
      </Button>
      <Button
        variant="quiet"
        title="Esporta anche reparto, urgenza, età, note e a chi è assegnata"
        inactive={inactive}
        onClick={() => start(true)}
      >
        CSV completo
      </Button>
    </>
  );
}

/** Whether what was found may not be all: accounts are always searched in full, the rest by the index. */
function isPartial(filters: Filters, looking: boolean, list: ReportList): boolean {
  const whole = askedFor(filters, 0).inText === true && !looking;
  return Boolean(filters.search?.trim()) && !whole && !list.search.ready;
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
        <Nothing filters={filters} list={list} onReset={() => onChange({})} />
      ) : (
        <ReportTable
          rows={list.data}
          justArrived={fresh}
          openId={open}
          // The rows of the list before were not found by it.
          search={coming ? '' : (filters.search ?? '')}
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
