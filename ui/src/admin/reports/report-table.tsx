import { Link } from 'react-router-dom';
import type { ReportRow } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { formatNumber } from '../../shared/lib/text';
import { Badge } from '../../shared/ui/badge';
import { SelectBox } from '../bulk/selection';
import { breakable } from '../common/breakable';
import { deskName } from '../common/departments';
import { LabelChips } from '../common/labels/labels';
import { paths, type Trail } from '../common/paths';
import { initialsOf, usePeople } from '../common/people/people';
import { toneOf } from '../common/stato';
import { useNow } from '../common/use-now';
import { useRights } from '../session/session-context';
import { Age, MINUTE_MS } from './age';
import type { Filters } from './filters';
import { Marked, matches, wordsOf } from './marked';
import styles from './reports.module.css';

const SHORT_ID = 8;

const COLUMNS = ['Scelta', 'Nome', 'Reparto', 'Stato', 'Arrivata', 'Racconto', 'ID'] as const;

export const ORIGIN_NAMES: Readonly<Record<ReportRow['origin'], string>> = {
  chat: 'Chat',
  telefono: 'Telefono',
  lettera: 'Lettera',
  'di persona': 'Di persona',
};

interface ReportTableProps {
  rows: readonly ReportRow[];
  fresh: ReadonlySet<string>;
  open: string | undefined;
  search: string;
  order: Filters['order'];
  trail: Trail;
}

/** The list, two lines a row. The roles are spelled out because a changed `display` would take the table away from screen readers. */
export function ReportTable({ rows, fresh, open, order, ...rest }: ReportTableProps) {
  const now = useNow(MINUTE_MS);
  const { edits } = useRights();
  const { nameOf } = usePeople();
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see above
    <table className={styles.table} role="table">
      <caption className="visually-hidden">
        Segnalazioni, dalla più {order === 'asc' ? 'vecchia' : 'recente'}
        {order === 'alike' ? '; le simili sotto la più recente del loro gruppo' : ''}
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
    // biome-ignore-end lint/a11y/noRedundantRoles: see the table
  );
}

function Reason({ row, search }: { row: ReportRow; search: string }) {
  const { nome, cognome, excerpt, email, telefono, id } = row;
  const shown = [email, telefono].filter((text) => matches(text, search));
  const seen = [nome, cognome, excerpt, id, ...shown];
  const unseen = wordsOf(search).some((word) => !seen.some((text) => matches(text, word)));
  return (
    <>
      {shown.map((text) => (
        <span className={styles.reason} key={text}>
          <Marked text={text} search={search} />
        </span>
      ))}
      {unseen && shown.length === 0 ? <span className={styles.reason}>Trovata nell’indirizzo</span> : null}
    </>
  );
}

function kinText(group: ReportRow['group']): string {
  if (!group) {
    return 'Segnalazioni vicine';
  }
  return group.first ? `Gruppo di ${formatNumber(group.reports)}` : 'Stesso gruppo';
}

interface RowProps extends Pick<ReportTableProps, 'search' | 'trail'> {
  row: ReportRow;
  fresh: boolean;
  open: boolean;
  now: number;
  chosen: boolean;
  assigned: string | undefined;
}

function Row({ row, fresh, open, now, chosen, assigned, search, trail }: RowProps) {
  const searched = search.trim() !== '';
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see the table
    <tr
      role="row"
      className={styles.row}
      data-unread={row.unread || undefined}
      data-fresh={fresh || undefined}
      data-open={open || undefined}
      data-under={row.group?.first === false || undefined}
    >
      {chosen ? (
        <td role="cell" className={styles.select}>
          <SelectBox row={row} />
        </td>
      ) : null}
      <th role="rowheader" scope="row" className={styles.name}>
        <Link
          className={styles.open ?? ''}
          to={paths.report(row.id)}
          state={trail}
          data-row-link=""
          aria-current={open ? 'true' : undefined}
        >
          <span>
            <Marked text={`${row.nome} ${row.cognome}`} search={search} />
          </span>
          <span className="visually-hidden">, apri la segnalazione</span>
        </Link>
        {row.unread ? <span className="visually-hidden"> (da leggere)</span> : null}
      </th>
      <td role="cell" className={styles.marks}>
        <Badge>{breakable(deskName(row.department))}</Badge>
        {assigned ? (
          <Badge title={`Assegnata a ${assigned}`}>
            <span aria-hidden="true">{initialsOf(assigned)}</span>
            <span className="visually-hidden">Assegnata a {assigned}</span>
          </Badge>
        ) : null}
        {row.origin === 'chat' ? null : <Badge>{ORIGIN_NAMES[row.origin]}</Badge>}
        {row.urgente ? <Badge tone="red">Urgente</Badge> : null}
        {row.withdrawal ? (
          <Badge tone="yellow" title={`Rispondi entro il ${formatDate(row.withdrawal.due)}`}>
            Da ritirare
          </Badge>
        ) : null}
        {row.answerWaiting ? <Badge tone="blue">Messaggio da leggere</Badge> : null}
        {row.group || row.related ? <Badge>{kinText(row.group)}</Badge> : null}
        <LabelChips ids={row.labels} />
        {fresh ? <Badge tone="blue">Appena arrivata</Badge> : null}
      </td>
      <td role="cell" className={styles.stato}>
        <Badge tone={toneOf(row.stato)}>{row.stato}</Badge>
      </td>
      <td role="cell" className={styles.age}>
        <Age instant={row.data_creazione} now={now} />
      </td>
      <td role="cell" className={styles.excerpt} data-searched={searched || undefined}>
        <Marked text={row.excerpt} search={search} />
        {searched ? <Reason row={row} search={search} /> : null}
      </td>
      <td role="cell" className={styles.id}>
        <Marked text={row.id.slice(0, SHORT_ID)} search={search.trim().slice(0, SHORT_ID)} />
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: see the table
  );
}
