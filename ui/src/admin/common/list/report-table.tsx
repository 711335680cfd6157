import {
  AlarmClock,
  Clock,
  type LucideIcon,
  Mail,
  Mailbox,
  Megaphone,
  Newspaper,
  Paperclip,
  Phone,
  Undo2,
  UserRound,
  Users,
} from 'lucide-react';
import { type MouseEvent, memo, type ReactNode } from 'react';
import { Link } from 'react-router-dom';
import type { ReportRow } from '../../../shared/api/schema';
import { DAY_MS, dayOf, formatDate, formatDateTime } from '../../../shared/lib/dates';
import { useDepartments } from '../departments';
import { COLORS, useLabels } from '../labels/labels';
import { paths } from '../paths';
import { Face } from '../people/face';
import { usePeople } from '../people/people';
import { reporterName, SHORT_ID } from '../reporter-name';
import { useRights } from '../session/session-context';
import { maybeText } from '../stories';
import { useNow } from '../use-now';
import { Age, MINUTE_MS } from './age';
import type { Filters } from './filters';
import styles from './list.module.css';
import { fromFound, Marked, matches, wordsOf } from './marked';
import { SelectBox } from './selection';
import { usePrefetch } from './use-prefetch';

/** How far ahead a promise is shown. */
const SOON_MS = 8 * DAY_MS;

const COLUMNS = [
  'Scelta',
  'Stato',
  'Nome',
  'Segni',
  'Email',
  'Racconto',
  'Reparto',
  'Assegnata a',
  'Scadenza',
  'Arrivata',
];

export const ORIGIN_NAMES: Readonly<Record<ReportRow['origin'], string>> = {
  chat: 'Chat',
  telefono: 'Telefono',
  lettera: 'Lettera',
  'di persona': 'Di persona',
};
const ORIGIN_ICONS = { telefono: Phone, lettera: Mailbox, 'di persona': UserRound } as const;

interface ReportTableProps {
  rows: readonly ReportRow[];
  /** Ids of reports that have just arrived. */
  justArrived: ReadonlySet<string>;
  openId: string | undefined;
  search: string;
  order: Filters['order'];
  /** The query string of the list, for the link back to it. */
  listQuery: string;
  /** What else is said of a report, by its id. */
  reasonsOf?: (id: string) => readonly string[];
}

/** The list. The roles are spelled out because a changed `display` would take the table away from screen readers. */
export function ReportTable({ rows, justArrived, openId, order, reasonsOf, ...rest }: ReportTableProps) {
  const now = useNow(MINUTE_MS);
  const { edits } = useRights();
  const { nameOf } = usePeople();
  const departments = useDepartments();
  const ofStory = new URLSearchParams(rest.listQuery).get('story');
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see above
    <table className={styles.table} role="table">
      <caption className="visually-hidden">
        Segnalazioni, dalla più {order === 'asc' ? 'vecchia' : 'recente'}
      </caption>
      <thead role="rowgroup" className="visually-hidden">
        <tr role="row">
          {COLUMNS.slice(edits ? 0 : 1).map((column) => (
            <th key={column} role="columnheader" scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((row) => (
          <Row
            key={row.id}
            row={row}
            isNew={justArrived.has(row.id)}
            isOpen={row.id === openId}
            ofStory={ofStory}
            now={now}
            selectable={edits}
            departmentName={departments.nameOf(row.department)}
            assigneeName={nameOf(row.assegnataA)}
            reasons={reasonsOf?.(row.id)}
            {...rest}
          />
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  );
}

/** What matched the search, if the row does not show it otherwise. */
function Reason({ row, search }: { row: ReportRow; search: string }) {
  const { nome, cognome, excerpt, email, telefono, id } = row;
  const start = search.trim().slice(0, SHORT_ID);
  const reasons = [email, telefono].filter((text) => matches(text, search));
  if (start.length === SHORT_ID && id.startsWith(start.toLowerCase())) {
    reasons.push(id.slice(0, SHORT_ID));
  }
  const shownTexts = [nome, cognome, excerpt, ...reasons];
  const foundElsewhere = wordsOf(search).some((word) => !shownTexts.some((text) => matches(text, word)));
  return (
    <>
      {reasons.map((text) => (
        <span className={styles.reason} key={text} data-column={text === email ? '' : undefined}>
          <Marked text={text} search={text.length === SHORT_ID ? start : search} />
        </span>
      ))}
      {foundElsewhere && reasons.length === 0 ? (
        <span className={styles.reason}>Trovata nell’indirizzo</span>
      ) : null}
    </>
  );
}

/** Why the report stands where it does, and its words: what the reporter answered, else the beginning of the account. */
function Says({ row, search, reasons = [] }: Pick<RowProps, 'row' | 'search' | 'reasons'>) {
  const searched = search.trim() !== '';
  const { why, said } = row.todo ?? {};
  return (
    <>
      {searched ? <Reason row={row} search={search} /> : null}
      {why === 'answer' ? (
        <b className={styles.answered}>
          <Mail aria-hidden="true" />
          Ha risposto{' '}
        </b>
      ) : null}
      {why === 'back' ? (
        <b className={styles.back}>
          <AlarmClock aria-hidden="true" />
          Tornata oggi{' '}
        </b>
      ) : null}
      {reasons.map((reason) => (
        <b key={reason} className={styles.back}>
          {reason}{' '}
        </b>
      ))}
      {why === 'answer' && said && !searched ? (
        <span className={styles.said}>{said}</span>
      ) : (
        <Marked text={fromFound(row.excerpt, search)} search={search} />
      )}
    </>
  );
}

interface RowBadgeProps {
  icon: LucideIcon;
  /** The meaning of the icon, for tooltips and screen readers. */
  title: string;
  tone?: 'danger' | 'outward';
  children?: ReactNode;
}

function RowBadge({ icon: Icon, title, tone, children }: RowBadgeProps) {
  return (
    <span className={styles.mark} title={title} data-tone={tone}>
      <Icon aria-hidden="true" />
      {children ? <span aria-hidden="true">{children}</span> : null}
      <span className="visually-hidden">{title}. </span>
    </span>
  );
}

const DAYS = new Intl.RelativeTimeFormat('it', { numeric: 'auto' });

/** When the next promise to the reporter is due: `oggi`, `tra 3 giorni`. */
function Due({ due: { what, at }, now }: { due: NonNullable<ReportRow['due']>; now: number }) {
  const left = Date.parse(at) - now;
  if (left > SOON_MS) {
    return null;
  }
  const days = Math.round((Date.parse(dayOf(Date.parse(at))) - Date.parse(dayOf(now))) / DAY_MS);
  const promised = what === 'first' ? 'Primo esame' : 'Esito';
  const title = left < 0 ? `${promised}: scaduto il` : `${promised} promesso entro il`;
  return (
    <span
      className={styles.due}
      title={`${title} ${formatDate(at)}`}
      data-when={left < 0 ? 'late' : days === 0 ? 'today' : undefined}
    >
      <Clock aria-hidden="true" />
      {left < 0 ? 'in ritardo' : DAYS.format(days, 'day')}
      <span className="visually-hidden">
        , {title} {formatDate(at)}
      </span>
    </span>
  );
}

/** As many as leave the name its room. */
const MOST_LABELS = 3;

function LabelBadges({ ids }: { ids: readonly number[] }) {
  const labels = useLabels().filter(({ id }) => ids.includes(id));
  const rest = labels.slice(MOST_LABELS).map(({ name }) => name);
  const others = `${rest.length === 1 ? 'Etichetta' : 'Etichette'} ${rest.join(', ')}`;
  return (
    <>
      {labels.slice(0, MOST_LABELS).map(({ id, name, color }) => (
        <span key={id} className={styles.mark} title={`Etichetta ${name}`}>
          <i className={styles.label} style={{ background: COLORS[color] }} />
          <span className="visually-hidden">Etichetta {name}. </span>
        </span>
      ))}
      {rest.length > 0 ? (
        <span className={styles.mark} title={others}>
          <span aria-hidden="true">+{rest.length}</span>
          <span className="visually-hidden">{others}. </span>
        </span>
      ) : null}
    </>
  );
}

function RowBadges({ row, isNew, ofStory }: Pick<RowProps, 'row' | 'isNew' | 'ofStory'>) {
  const { attachments, answerWaiting, messages, withdrawal, origin, snoozedUntil } = row;
  return (
    <>
      {row.inchiesta ? <RowBadge icon={Megaphone} title={`Inchiesta «${row.inchiesta.title}»`} /> : null}
      {attachments > 0 ? (
        <RowBadge icon={Paperclip} title={`${attachments} file`}>
          {attachments}
        </RowBadge>
      ) : null}
      {row.story && row.story.id !== ofStory ? (
        <RowBadge icon={Newspaper} title={`Storia «${row.story.title}»`}>
          <span className={styles.story}>{row.story.title}</span>
        </RowBadge>
      ) : null}
      {row.maybe ? (
        <RowBadge icon={Newspaper} title={maybeText(row.maybe)}>
          ?
        </RowBadge>
      ) : null}
      {answerWaiting && row.todo?.why !== 'answer' ? (
        <RowBadge icon={Mail} tone="outward" title="Aspetta una risposta">
          {messages > 1 ? messages : null}
        </RowBadge>
      ) : null}
      {row.related && !row.maybe ? (
        <RowBadge icon={Users} title="Forse della stessa persona di un’altra" />
      ) : null}
      {withdrawal ? (
        <RowBadge
          icon={Undo2}
          tone="danger"
          title={`Da ritirare: rispondi entro il ${formatDate(withdrawal.due)}`}
        />
      ) : null}
      {origin === 'chat' ? null : <RowBadge icon={ORIGIN_ICONS[origin]} title={ORIGIN_NAMES[origin]} />}
      {snoozedUntil ? (
        <RowBadge icon={AlarmClock} title={`Rinviata al ${formatDateTime(snoozedUntil)}`}>
          {formatDate(snoozedUntil).slice(0, 5)}
        </RowBadge>
      ) : null}
      {row.labels.length > 0 ? <LabelBadges ids={row.labels} /> : null}
      {row.urgente ? <span className="visually-hidden">Urgente. </span> : null}
      {isNew ? <span className="visually-hidden">Appena arrivata. </span> : null}
    </>
  );
}

/** Badges lie above the link that covers the row, so that their tooltips work. A click on one opens the row. */
function openRow({ currentTarget }: MouseEvent<HTMLElement>): void {
  currentTarget.closest('tr')?.querySelector<HTMLElement>('a[data-row-link]')?.click();
}

interface RowProps extends Pick<ReportTableProps, 'search' | 'listQuery'> {
  row: ReportRow;
  isNew: boolean;
  isOpen: boolean;
  /** The story whose list it is: a row need not name it. */
  ofStory: string | null;
  now: number;
  selectable: boolean;
  departmentName: string;
  assigneeName: string | undefined;
  reasons?: readonly string[] | undefined;
}

/** Memoised: drawing fifty rows again would delay the opening of the next report. */
const Row = memo(function Row(props: RowProps) {
  const {
    row,
    isNew,
    isOpen,
    ofStory,
    now,
    selectable,
    departmentName,
    assigneeName,
    reasons,
    search,
    listQuery,
  } = props;
  const prefetch = usePrefetch();
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see the table
    <tr
      role="row"
      className={styles.row}
      data-unread={row.unread || undefined}
      data-urgent={row.urgente || undefined}
      data-fresh={isNew || undefined}
      data-open={isOpen || undefined}
    >
      {selectable ? (
        <td role="cell" className={styles.select}>
          <SelectBox row={row} />
        </td>
      ) : null}
      <td role="cell" className={styles.stato} title={row.stato}>
        <i className={styles.dot} data-stato={row.stato} />
        <span className="visually-hidden">{row.stato}</span>
      </td>
      <th role="rowheader" scope="row" className={styles.name}>
        <Link
          className={styles.open ?? ''}
          to={paths.report(row.id)}
          state={{ list: listQuery }}
          onClick={() => prefetch(row.id)}
          data-row-link={row.id}
          aria-current={isOpen ? 'true' : undefined}
          title={reporterName(row)}
        >
          <span>
            <Marked text={reporterName(row)} search={search} />
          </span>
          <span className="visually-hidden">, apri la segnalazione</span>
        </Link>
        {row.unread ? (
          <span className={styles.fresh} title="Nuova per te">
            <span className="visually-hidden"> (da leggere)</span>
          </span>
        ) : null}
      </th>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the row's link has the keys */}
      <td role="cell" className={styles.marks} onClick={openRow}>
        <RowBadges {...{ row, isNew, ofStory }} />
      </td>
      <td role="cell" className={styles.email} title={row.email}>
        <Marked text={row.email} search={search} />
      </td>
      <td role="cell" className={styles.text} title={row.todo?.said ?? row.excerpt}>
        <Says row={row} search={search} reasons={reasons} />
      </td>
      <td role="cell" className={styles.desk} title={departmentName}>
        {departmentName}
      </td>
      <td role="cell" className={styles.person}>
        {assigneeName ? (
          <span title={`Assegnata a ${assigneeName}`}>
            <Face name={assigneeName} />
            <span className="visually-hidden">Assegnata a {assigneeName}</span>
          </span>
        ) : null}
      </td>
      <td role="cell" className={styles.when}>
        {row.due ? <Due due={row.due} now={now} /> : null}
      </td>
      <td role="cell" className={styles.age}>
        <Age instant={row.data_creazione} now={now} />
        <span className={styles.go} aria-hidden="true">
          Apri
        </span>
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: see the table
  );
});
