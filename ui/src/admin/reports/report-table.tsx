import { Link } from 'react-router-dom';
import type { ReportRow } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { messages } from '../../shared/messages';
import { Badge } from '../../shared/ui/badge';
import { VisuallyHidden } from '../../shared/ui/visually-hidden';
import type { LocalReport } from '../common/local-reports';
import { paths, type Trail } from '../common/paths';
import { toneOf } from '../common/stato';
import { Marked, matches } from './marked';
import styles from './reports.module.css';

/** Characters of an id that are shown; the whole one is in the title. */
const SHORT_ID = 8;

const COLUMNS = ['ID', 'Nome', 'Email', 'Data', 'Stato', 'Azioni'] as const;

/** What a row needs, wherever its report lies. */
interface Shown extends Pick<ReportRow, 'id' | 'nome' | 'cognome' | 'email' | 'telefono' | 'data_creazione'> {
  stato: string;
  unread: boolean;
  fresh: boolean;
  local: boolean;
  urgente: boolean;
}

interface ReportTableProps {
  rows: readonly ReportRow[];
  /** Reports that only this browser has. */
  local: readonly LocalReport[];
  /** Ids that have arrived while the list was open. */
  fresh: ReadonlySet<string>;
  /** What was searched for; empty when nothing was. */
  search: string;
  /** Where the mark of an urgent report leads: the urgent ones of this selection; null where there are no others. */
  urgentOnly: string | null;
  /** Goes along with the links, so that the way back leads to this very list. */
  trail: Trail;
}

/** The rows of both kinds, newest first. */
function merge(
  rows: readonly ReportRow[],
  local: readonly LocalReport[],
  fresh: ReadonlySet<string>,
): readonly Shown[] {
  const ours = rows.map((row) => ({ ...row, unread: !row.aperta, fresh: fresh.has(row.id), local: false }));
  if (local.length === 0) {
    return ours;
  }
  const kept = local.map((row) => ({ ...row, unread: true, fresh: false, local: true, urgente: false }));
  return [...kept, ...ours].sort(
    (one, other) => Date.parse(other.data_creazione) - Date.parse(one.data_creazione),
  );
}

/**
 * The list. The roles are spelled out because on phones the rows become cards, and a changed `display` would take the
 * table away from screen readers.
 */
export function ReportTable({ rows, local, fresh, search, urgentOnly, trail }: ReportTableProps) {
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see above
    <table className={styles.table} role="table">
      <caption className="visually-hidden">Segnalazioni, dalla più recente</caption>
      <thead role="rowgroup">
        <tr role="row">
          {COLUMNS.map((column) => (
            <th key={column} role="columnheader" scope="col" data-column={column}>
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {merge(rows, local, fresh).map((row) => (
          <Row key={row.id} row={row} search={search} urgentOnly={urgentOnly} trail={trail} />
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  );
}

/** An address that, when it must break, breaks where people would. */
function Email({ address, search }: { address: string; search: string }) {
  const at = address.lastIndexOf('@');
  if (matches(address, search)) {
    return <Marked text={address} search={search} />;
  }
  return (
    <>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </>
  );
}

/** Why a row was found, when its name and e-mail do not show it. */
function Reason({ row, search }: { row: Shown; search: string }) {
  if (matches(row.telefono, search)) {
    return (
      <span className={styles.reason}>
        Tel. <Marked text={row.telefono} search={search} />
      </span>
    );
  }
  const seen = matches(`${row.nome} ${row.cognome}`, search) || matches(row.email, search);
  return search.trim() === '' || seen ? null : <span className={styles.reason}>Trovata nel testo</span>;
}

function Urgent({ only }: { only: string | null }) {
  return only === null ? (
    <Badge tone="red">Urgente</Badge>
  ) : (
    <Link className={styles.urgent ?? ''} to={only} title="Mostra solo le urgenti">
      <Badge tone="red">Urgente</Badge>
    </Link>
  );
}

interface RowProps extends Pick<ReportTableProps, 'search' | 'urgentOnly' | 'trail'> {
  row: Shown;
}

function Row({ row, search, urgentOnly, trail }: RowProps) {
  const name = `${row.nome} ${row.cognome}`;
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see the table
    <tr
      role="row"
      className={styles.row}
      data-unread={row.unread || undefined}
      data-fresh={row.fresh || undefined}
    >
      <td role="cell" className={styles.id}>
        <span title={row.id}>{row.local ? 'locale' : row.id.slice(0, SHORT_ID)}</span>
      </td>
      <th role="rowheader" scope="row" className={styles.name}>
        <span>
          <Marked text={name} search={search} />
        </span>
        {row.urgente ? <Urgent only={urgentOnly} /> : null}
        {row.fresh ? <span className={styles.fresh}>Appena arrivata</span> : null}
        {row.local ? <span className={styles.local}>{messages.reports.onlyHere}</span> : null}
        {row.unread ? <VisuallyHidden> (da leggere)</VisuallyHidden> : null}
      </th>
      <td role="cell" className={styles.email}>
        <Email address={row.email} search={search} />
        <Reason row={row} search={search} />
      </td>
      <td role="cell" className={styles.date}>
        <time dateTime={row.data_creazione}>{formatDateTime(row.data_creazione)}</time>
      </td>
      <td role="cell" className={styles.stato}>
        <Badge tone={toneOf(row.stato)}>{row.stato}</Badge>
      </td>
      <td role="cell" className={styles.action}>
        <Link className={styles.open ?? ''} to={paths.report(row.id)} state={trail} data-row-link="">
          {messages.reports.open}
          <VisuallyHidden> la segnalazione di {name}</VisuallyHidden>
        </Link>
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: see the table
  );
}
