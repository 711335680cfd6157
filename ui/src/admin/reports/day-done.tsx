/** 'Da fare' with nothing left in it: how the day went, what comes next, and where to go from here. */
import { Link } from 'react-router-dom';
import { now } from '../../shared/lib/clock';
import { DAY_MS, dayOf, formatDay } from '../../shared/lib/dates';
import { counted, formatNumber } from '../../shared/lib/text';
import { buttonClass } from '../../shared/ui/button';
import { Row } from '../../shared/ui/layout';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import { useRead } from '../common/use-read';
import styles from './day-done.module.css';

/** The day's reports are drawn one by one up to so many. */
const DRAWN = 120;
const WEEK_DAYS = 6;

/** `lunedì` within the week, then the day of the month too. */
function sayDay(at: string): string {
  const ahead = Math.round((Date.parse(dayOf(Date.parse(at))) - Date.parse(dayOf(now()))) / DAY_MS);
  if (ahead <= 1) {
    return ahead <= 0 ? 'oggi' : 'domani';
  }
  const day = formatDay(at);
  return ahead <= WEEK_DAYS ? (day.split(' ')[0] ?? day) : day;
}

export function DayDone() {
  const { edits } = useRights();
  const { data: day } = useRead('/desk/today', { background: true });
  const { opened = 0, answered = 0, nextDue } = day ?? {};
  const looked = `${formatNumber(opened)} ${opened === 1 ? 'guardata' : 'guardate'}`;
  const answers = counted(answered, 'risposta data', 'risposte date');
  const signs = Math.min(opened + answered, DRAWN);
  return (
    <div className={styles.none}>
      <div className={styles.day} role="img" aria-label={`Oggi: ${looked}, ${answers}`}>
        {Array.from({ length: signs }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: signs never move
          <i key={at} data-answer={at >= signs - answered ? '' : undefined} />
        ))}
      </div>
      <h2>Niente da fare</h2>
      <p>{opened + answered > 0 ? `Oggi: ${looked}, ${answers}. ` : null}Nessuno aspetta.</p>
      {nextDue ? (
        <p>
          La prossima scadenza è {sayDay(nextDue.due.at)}:{' '}
          <Link to={paths.report(nextDue.report.id)}>{reporterName(nextDue.report)}</Link>.
        </p>
      ) : null}
      <Row justify="center">
        {edits ? (
          <Link className={buttonClass} data-variant="secondary" to={paths.changes}>
            Ultime modifiche
          </Link>
        ) : null}
        <Link className={buttonClass} data-variant={edits ? 'quiet' : 'secondary'} to={paths.reports}>
          Tutte le segnalazioni
        </Link>
      </Row>
    </div>
  );
}
