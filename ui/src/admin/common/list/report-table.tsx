import {
  AlarmClock,
  Hourglass,
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
import { DAY_MS, formatDate, formatDateTime } from '../../../shared/lib/dates';
import { deskName } from '../departments';
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
import { usePrepare } from './use-prepare';

/** How far ahead a promise is shown. */
const SOON_MS = 4 * DAY_MS;

const COLUMNS = [
  'Scelta',
  'Stato',
  'Nome',
  'Segni',
  'Racconto',
  'Reparto',
  'Email',
  'Assegnata a',
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
  fresh: ReadonlySet<string>;
  open: string | undefined;
  search: string;
  order: Filters['order'];
  /** The query of the list, for the way back to it. */
  list: string;
}

/** The list. The roles are spelled out because a changed `display` would take the table away from screen readers. */
export function ReportTable({ rows, fresh, open, order, ...rest }: ReportTableProps) {
  const now = useNow(MINUTE_MS);
  const { edits } = useRights();
  const { nameOf } = usePeople();
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
            fresh={fresh.has(row.id)}
            open={row.id === open}
            now={now}
            chosen={edits}
            assigned={nameOf(row.assegnataA)}
            {...rest}
          />
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  );
}

/** Why it was found, where the row shows nothing of it. */
function Reason({ row, search }: { row: ReportRow; search: string }) {
  const { nome, cognome, excerpt, email, telefono, id } = row;
  const start = search.trim().slice(0, SHORT_ID);
  const shown = [email, telefono].filter((text) => matches(text, search));
  if (start.length === SHORT_ID && id.startsWith(start.toLowerCase())) {
    shown.push(id.slice(0, SHORT_ID));
  }
  const seen = [nome, cognome, excerpt, ...shown];
  const unseen = wordsOf(search).some((word) => !seen.some((text) => matches(text, word)));
  return (
    <>
      {shown.map((text) => (
        <span className={styles.reason} key={text}>
          <Marked text={text} search={text.length === SHORT_ID ? start : search} />
        </span>
      ))}
      {unseen && shown.length === 0 ? <span className={styles.reason}>Trovata nell’indirizzo</span> : null}
    </>
  );
}

interface MarkProps {
  icon: LucideIcon;
  /** What it says, for those who see no picture. */
  title: string;
  tone?: 'danger' | 'outward';
  children?: ReactNode;
}

function Mark({ icon: Icon, title, tone, children }: MarkProps) {
  return (
    <span className={styles.mark} title={title} data-tone={tone}>
      <Icon aria-hidden="true" />
      {children ? <span aria-hidden="true">{children}</span> : null}
      <span className="visually-hidden">{title}. </span>
    </span>
  );
}

function DueMark({ due: { what, at }, now }: { due: NonNullable<ReportRow['due']>; now: number }) {
  const left = Date.parse(at) - now;
  if (left > SOON_MS) {
    return null;
  }
  const promised = what === 'first' ? 'Primo esame' : 'Esito';
  return left < 0 ? (
    <Mark icon={Hourglass} tone="danger" title={`${promised}: scaduto il ${formatDate(at)}`}>
      scaduta
    </Mark>
  ) : (
    <Mark icon={Hourglass} title={`${promised} promesso entro il ${formatDate(at)}`}>
      entro {formatDate(at).slice(0, 5)}
    </Mark>
  );
}

function LabelMarks({ ids }: { ids: readonly number[] }) {
  return useLabels()
    .filter(({ id }) => ids.includes(id))
    .map(({ id, name, color }) => (
      <span key={id} className={styles.mark} title={`Etichetta ${name}`}>
        <i className={styles.label} style={{ background: COLORS[color] }} />
        <span className="visually-hidden">Etichetta {name}. </span>
      </span>
    ));
}

function Marks({ row, now, fresh }: Pick<RowProps, 'row' | 'now' | 'fresh'>) {
  const { attachments, answerWaiting, messages, withdrawal, origin, due, snoozedUntil } = row;
  return (
    <>
      {row.inchiesta ? <Mark icon={Megaphone} title={`Inchiesta «${row.inchiesta.title}»`} /> : null}
      {row.story ? <Mark icon={Newspaper} title={`Storia «${row.story.title}»`} /> : null}
      {row.maybe ? (
        <Mark icon={Newspaper} title={maybeText(row.maybe)}>
          ?
        </Mark>
      ) : null}
      {attachments > 0 ? (
        <Mark icon={Paperclip} title={`${attachments} file`}>
          {attachments}
        </Mark>
      ) : null}
      {answerWaiting ? (
        <Mark icon={Mail} tone="outward" title="Messaggio da leggere">
          {messages > 1 ? messages : null}
        </Mark>
      ) : null}
      {row.related && !row.maybe ? (
        <Mark icon={Users} title="Forse della stessa persona di un’altra" />
      ) : null}
      {withdrawal ? (
        <Mark
          icon={Undo2}
          tone="danger"
          title={`Da ritirare: rispondi entro il ${formatDate(withdrawal.due)}`}
        />
      ) : null}
      {origin === 'chat' ? null : <Mark icon={ORIGIN_ICONS[origin]} title={ORIGIN_NAMES[origin]} />}
      {due ? <DueMark due={due} now={now} /> : null}
      {snoozedUntil ? (
        <Mark icon={AlarmClock} title={`Rinviata al ${formatDateTime(snoozedUntil)}`}>
          {formatDate(snoozedUntil).slice(0, 5)}
        </Mark>
      ) : null}
      {row.labels.length > 0 ? <LabelMarks ids={row.labels} /> : null}
      {row.urgente ? <span className="visually-hidden">Urgente. </span> : null}
      {fresh ? <span className="visually-hidden">Appena arrivata. </span> : null}
    </>
  );
}

/** Marks lie above the link that covers the row, so that each says what it is; pressed, they are the row. */
function pressRow({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  if (target instanceof Element && target.closest('button') === null) {
    currentTarget.closest('tr')?.querySelector<HTMLElement>('a[data-row-link]')?.click();
  }
}

interface RowProps extends Pick<ReportTableProps, 'search' | 'list'> {
  row: ReportRow;
  fresh: boolean;
  open: boolean;
  now: number;
  chosen: boolean;
  assigned: string | undefined;
}

/** Drawn again only where it changed: with fifty of them, the next report would be late. */
const Row = memo(function Row(props: RowProps) {
  const { row, fresh, open, now, chosen, assigned, search, list } = props;
  const prepare = usePrepare();
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see the table
    <tr
      role="row"
      className={styles.row}
      data-unread={row.unread || undefined}
      data-urgent={row.urgente || undefined}
      data-fresh={fresh || undefined}
      data-open={open || undefined}
    >
      {chosen ? (
        <td role="cell" className={styles.select}>
          <SelectBox row={row} />
        </td>
      ) : null}
      <td role="cell" className={styles.stato}>
        <i className={styles.dot} data-stato={row.stato} />
        <span className="visually-hidden">{row.stato}</span>
      </td>
      <th role="rowheader" scope="row" className={styles.name}>
        <Link
          className={styles.open ?? ''}
          to={paths.report(row.id)}
          state={{ list }}
          onClick={() => prepare(row.id)}
          data-row-link={row.id}
          aria-current={open ? 'true' : undefined}
        >
          <span>
            <Marked text={reporterName(row)} search={search} />
          </span>
          <span className="visually-hidden">, apri la segnalazione</span>
        </Link>
        {row.unread ? <span className="visually-hidden"> (da leggere)</span> : null}
      </th>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the row's link has the keys */}
      <td role="cell" className={styles.marks} onClick={pressRow}>
        <Marks row={row} now={now} fresh={fresh} />
      </td>
      <td role="cell" className={styles.text}>
        <b className={styles.brief}>{deskName(row.department)} </b>
        {search.trim() === '' ? null : <Reason row={row} search={search} />}
        <Marked text={fromFound(row.excerpt, search)} search={search} />
      </td>
      <td role="cell" className={styles.desk}>
        {deskName(row.department)}
      </td>
      <td role="cell" className={styles.email}>
        <Marked text={row.email} search={search} />
      </td>
      <td role="cell" className={styles.person}>
        {assigned ? (
          <span title={`Assegnata a ${assigned}`}>
            <Face name={assigned} />
            <span className="visually-hidden">Assegnata a {assigned}</span>
          </span>
        ) : null}
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
