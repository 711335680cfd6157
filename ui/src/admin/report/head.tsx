import { ArrowLeft, Newspaper } from 'lucide-react';
import type { RefObject } from 'react';
import { Link } from 'react-router-dom';
import type { ReportDetail, ReportList, ReportRow } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { messages } from '../../shared/messages';
import { buttonClass } from '../../shared/ui/button';
import { CopyButton } from '../common/copy-button';
import { paths } from '../common/paths';
import { Face } from '../common/people/face';
import { REPORTER_FIELDS } from '../common/report-fields';
import { reporterName } from '../common/reporter-name';
import { maybeText } from '../common/stories';
import type { Present } from './api';
import { type Go, Neighbours } from './neighbours';
import styles from './report.module.css';

const LINKED = REPORTER_FIELDS.filter(({ href }) => href);

/** The place, as far as an address says it: what follows its last comma or postal code. */
export function placeOf(address: string): string {
  return address.replace(/^.*(?:,|\b\d{5}\b)\s*/s, '').trim() || address.trim();
}

/** The fields that the list knows of a report, and those that only the report itself has. */
type Known = Pick<
  ReportRow,
  'id' | 'nome' | 'cognome' | 'email' | 'telefono' | 'data_creazione' | 'story' | 'maybe'
> &
  Partial<Pick<ReportDetail, 'eta' | 'indirizzo'>>;

interface HeadProps {
  heading: RefObject<HTMLHeadingElement | null>;
  id: string;
  report: Known | undefined;
  listAddress: string;
  page: ReportList | undefined;
  go: Go;
  present: readonly Present[];
}

/** Who it is from: there before the report itself is, where the list knows it. */
export function Head({ heading, id, report, listAddress, page, go, present }: HeadProps) {
  const { eta = 0, indirizzo = '' } = report ?? {};
  const beside = [eta > 0 ? `${eta} anni` : '', placeOf(indirizzo)].filter(Boolean);
  return (
    <header className={styles.head}>
      <div className={styles.who}>
        <h1 ref={heading} tabIndex={-1}>
          {report ? reporterName(report) : 'Segnalazione'}
        </h1>
        {beside.length > 0 ? <p title={indirizzo}>{beside.join(', ')}</p> : null}
      </div>
      <nav className={styles.ways} aria-label="Tra le segnalazioni">
        <Link
          className={buttonClass}
          data-variant="icon"
          aria-label={messages.reports.backToList}
          aria-keyshortcuts="t"
          title={`${messages.reports.backToList} (t)`}
          to={listAddress}
        >
          <ArrowLeft aria-hidden="true" />
        </Link>
        <div role="status" className={styles.present}>
          {present.map(({ name, writing }) => (
            <span key={name}>
              <Face name={name} /> {name} {writing ? 'scrive…' : 'legge'}
            </span>
          ))}
        </div>
        <Neighbours id={id} page={page} go={go} />
      </nav>
      {report ? (
        <div className={styles.contacts}>
          {LINKED.map(({ label, text, href }) => {
            const reporter = { ...report, eta, indirizzo };
            return text(reporter) ? (
              <a key={label} href={href?.(reporter)} title={label}>
                {text(reporter)}
              </a>
            ) : null;
          })}
          <time dateTime={report.data_creazione}>
            <span className="visually-hidden">Ricevuta il </span>
            {formatDateTime(report.data_creazione)}
          </time>
          <CopyButton text={id} label="Copia ID" variant="quiet" />
        </div>
      ) : null}
      {report?.story || report?.maybe ? (
        <p className={styles.story}>
          <Newspaper aria-hidden="true" />
          <span>
            {report.maybe && !report.story ? maybeText(report.maybe) : 'Fa parte della storia '}
            {report.story ? <Link to={paths.story(report.story.id)}>«{report.story.title}»</Link> : null}
          </span>
        </p>
      ) : null}
    </header>
  );
}
