import { ArrowLeft } from 'lucide-react';
import type { Ref, RefObject } from 'react';
import { Link } from 'react-router-dom';
import type { ReportDetail, ReportList, ReportRow } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { messages } from '../../shared/messages';
import { momentOf } from '../common/moment';
import { Face } from '../common/people/face';
import { REPORTER_FIELDS } from '../common/report-fields';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import type { Present } from './api';
import { type Go, Neighbours } from './neighbours';
import styles from './report.module.css';

const LINKED = REPORTER_FIELDS.filter(({ href }) => href);

/** The place, as far as an address says it: what follows its last comma or postal code. */
export function placeOf(address: string): string {
  return address.replace(/^.*(?:,|\b\d{5}\b)\s*/s, '').trim() || address.trim();
}

/** The fields that the list knows of a report, and those that only the report itself has. */
type Known = Pick<ReportRow, 'id' | 'nome' | 'cognome' | 'email' | 'telefono' | 'data_creazione'> &
  Partial<Pick<ReportDetail, 'eta' | 'indirizzo'>>;

interface HeadProps {
  heading: RefObject<HTMLHeadingElement | null>;
  id: string;
  report: Known | undefined;
  listAddress: string;
  page: ReportList | undefined;
  go: Go;
  present: readonly Present[];
  /** The place of what is done with the report, once it is there. */
  acts: Ref<HTMLDivElement>;
}

/** Who it is from: there before the report itself is, where the list knows it. */
export function Head({ heading, id, report, listAddress, page, go, present, acts }: HeadProps) {
  const { eta = 0, indirizzo = '' } = report ?? {};
  const beside = [eta > 0 ? `${eta} anni` : '', placeOf(indirizzo)].filter(Boolean).join(', ');
  const name = report ? reporterName(report) : 'Segnalazione';
  return (
    <header className={styles.head}>
      <div className={styles.who}>
        <h1 ref={heading} tabIndex={-1} title={name}>
          {name}
        </h1>
        {beside ? <p title={indirizzo}>{beside}</p> : null}
      </div>
      <div className={styles.acts} ref={acts} />
      <nav className={styles.ways} aria-label="Tra le segnalazioni">
        <Neighbours id={id} page={page} go={go} />
      </nav>
      <div className={styles.below}>
        {report ? <Contacts report={report} /> : null}
        <div role="status" className={styles.present}>
          {present.map((one) => (
            <Someone key={one.name} {...one} />
          ))}
        </div>
        <Link
          className={styles.back}
          aria-keyshortcuts="t"
          title={`${messages.reports.backToList} (t)`}
          to={listAddress}
        >
          <ArrowLeft aria-hidden="true" />
          <span>{messages.reports.backToList}</span>
        </Link>
      </div>
    </header>
  );
}

/** Someone else; by the shared password it may be oneself, elsewhere. */
function Someone({ name, writing }: Present) {
  const { who } = useRights();
  if (name === null && who === null) {
    return <span>{writing ? 'Si scrive anche altrove…' : 'Aperta anche altrove'}</span>;
  }
  const whose = name ?? 'Password della redazione';
  return (
    <span>
      <Face name={whose} /> {whose} {writing ? 'scrive…' : 'legge'}
    </span>
  );
}

function Contacts({ report }: { report: Known }) {
  const reporter = { eta: 0, indirizzo: '', ...report };
  const { data_creazione: received } = report;
  const moment = momentOf(received);
  return (
    <div className={styles.contacts}>
      {LINKED.map(({ label, text, href }) =>
        text(reporter) ? (
          <a key={label} href={href?.(reporter)} title={`${label}: ${text(reporter)}`}>
            {text(reporter)}
          </a>
        ) : null,
      )}
      <time dateTime={received} title={formatDateTime(received)}>
        <span aria-hidden="true">{/^\d+:\d+$/.test(moment) ? `oggi, ${moment}` : moment}</span>
        <span className="visually-hidden">Ricevuta il {formatDateTime(received)}</span>
      </time>
    </div>
  );
}
