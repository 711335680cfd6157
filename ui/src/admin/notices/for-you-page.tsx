/** 'Per te': what waits for the person who is logged in, in the rows of the list. */
import { CheckCheck } from 'lucide-react';
import { useRef } from 'react';
import { formatNumber } from '../../shared/lib/text';
import { EmptyState } from '../../shared/ui/empty-state';
import { BulkBar } from '../bulk/bulk-bar';
import { writeFilters } from '../common/list/filters';
import styles from '../common/list/list.module.css';
import { ReportTable } from '../common/list/report-table';
import { SelectionProvider } from '../common/list/selection';
import { Loaded } from '../common/loaded';
import { useHeading } from '../common/page';
import { useRights } from '../common/session/session-context';
import { ToastPlace } from '../common/toast-strip';
import { useRowKeys } from '../reports/use-list-keys';
import { type Agenda, shownOf, useAgenda } from './agenda';

type Entry = Agenda['data'][number];

/** What a row does not say by itself. */
const WORDS: Partial<Record<Entry['why'], string>> = { mention: 'Ti hanno nominato' };
const NONE_ARRIVED: ReadonlySet<string> = new Set();

/** The tasks of the person who is logged in, each report once, with all its reasons. */
export function ForYouPage() {
  const agenda = useAgenda();
  const heading = useHeading('Per te');
  const results = useRef<HTMLElement>(null);
  useRowKeys(results, false, agenda.data !== undefined || agenda.isError);
  return (
    <div className={styles.page} data-flush="" data-bar="">
      <header className={styles.head}>
        <div>
          <h1 tabIndex={-1} ref={heading}>
            Per te
          </h1>
          <p>Quello che ti aspetta</p>
        </div>
      </header>
      <section className={styles.results} aria-label="Segnalazioni per te" ref={results}>
        <Loaded query={agenda} loading="Caricamento…" failed="Non è stato possibile caricare la pagina">
          {(found) =>
            found.data.length > 0 ? (
              <Waiting agenda={found} />
            ) : (
              <EmptyState icon={<CheckCheck />} title="Non ti aspetta niente">
                <p>
                  Qui compaiono le segnalazioni assegnate a te, le risposte da leggere, i commenti che ti
                  nominano, le scadenze e quelle che avevi rinviato.
                </p>
              </EmptyState>
            )
          }
        </Loaded>
      </section>
      <ToastPlace />
    </div>
  );
}

function Waiting({ agenda }: { agenda: Agenda }) {
  const { who, edits } = useRights();
  const { data, reports } = agenda;
  const rows = [...new Map(data.map(({ id, report }) => [id, report])).values()];
  const reasonsOf = (id: string) =>
    data.flatMap((entry) => (entry.id === id ? (WORDS[entry.why] ?? []) : []));
  const list = { data: rows, matching: rows.length };
  const query = writeFilters({ todo: true, ...(who && { assignedTo: 'me' }) });
  return (
    <SelectionProvider of="mine" rows={rows}>
      {reports > shownOf(agenda) ? (
        <p className={styles.chips}>
          Le prime {formatNumber(shownOf(agenda))} di {formatNumber(reports)}
        </p>
      ) : null}
      <ReportTable
        rows={rows}
        justArrived={NONE_ARRIVED}
        openId={undefined}
        search=""
        order={undefined}
        listQuery={query}
        reasonsOf={reasonsOf}
      />
      {edits ? <BulkBar list={list} filters={{ todo: true }} beside={false} /> : null}
    </SelectionProvider>
  );
}
