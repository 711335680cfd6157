import { CheckCheck } from 'lucide-react';
import { Link } from 'react-router-dom';
import { formatDate } from '../../shared/lib/dates';
import { formatNumber } from '../../shared/lib/text';
import { EmptyState } from '../../shared/ui/empty-state';
import { Age, MINUTE_MS } from '../common/list/age';
import styles from '../common/list/list.module.css';
import { Loaded } from '../common/loaded';
import { useHeading } from '../common/page';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { useNow } from '../common/use-now';
import { type Agenda, shownOf, useAgenda } from './agenda';

type Entry = Agenda['data'][number];

function wordsOf({ why, at }: Entry, now: number): string {
  switch (why) {
    case 'due':
      return Date.parse(at) < now ? `scaduta il ${formatDate(at)}` : `in scadenza il ${formatDate(at)}`;
    case 'answer':
      return 'messaggio da leggere';
    case 'mention':
      return 'ti hanno nominato in un commento';
    case 'back':
      return `rinviata al ${formatDate(at)}, è tornata`;
    case 'assigned':
      return 'assegnata a te';
  }
}

/** The tasks of the person who is logged in, each report once, with all its reasons. */
export function ForYouPage() {
  const agenda = useAgenda();
  const now = useNow(MINUTE_MS);
  const heading = useHeading('Per te');
  return (
    <div className={styles.page} data-flush="">
      <header className={styles.head}>
        <div>
          <h1 tabIndex={-1} ref={heading}>
            Per te
          </h1>
          <p>Quello che ti aspetta</p>
        </div>
      </header>
      <Loaded query={agenda} loading="Caricamento…" failed="Non è stato possibile caricare la pagina">
        {(found) =>
          found.data.length > 0 ? (
            <ul>
              {found.reports > shownOf(found) ? (
                <li>
                  Le prime {formatNumber(shownOf(found))} di {formatNumber(found.reports)}
                </li>
              ) : null}
              {[...new Set(found.data.map(({ id }) => id))].map((id) => (
                <Waits key={id} entries={found.data.filter((entry) => entry.id === id)} now={now} />
              ))}
            </ul>
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
    </div>
  );
}

function Waits({ entries, now }: { entries: readonly Entry[]; now: number }) {
  const report = entries[0]?.report;
  return report ? (
    <li className={styles.waits}>
      <i className={styles.dot} data-stato={report.stato} />
      <Link className={styles.open ?? ''} to={paths.report(report.id)}>
        {reporterName(report)}
        <span className="visually-hidden">, {report.stato}</span>
      </Link>
      <span className={styles.reasons}>{entries.map((entry) => wordsOf(entry, now)).join(' · ')}</span>
      <Age instant={report.data_creazione} now={now} />
    </li>
  ) : null;
}
