import { Link } from 'react-router-dom';
import type { ReportRow } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { messages } from '../../shared/messages';
import { Badge } from '../../shared/ui/badge';
import { VisuallyHidden } from '../../shared/ui/visually-hidden';
import { paths, type Trail } from '../common/paths';
import { toneOf } from '../common/stato';
import styles from './report-table.module.css';

/** Characters of an id that are shown; the whole one is in the title. */
const SHORT_ID = 8;

const COLUMNS = ['ID', 'Nome', 'Email', 'Data', 'Stato', 'Azioni'] as const;

interface ReportTableProps {
  rows: readonly ReportRow[];
  /** Ids that have arrived while the list was open. */
  fresh: ReadonlySet<string>;
  /** Goes along with the links, so that the way back leads to this very list. */
  trail: Trail;
}

/**
 * The list. The roles are spelled out because on phones the rows become cards, and a changed `display` would take the
 * table away from screen readers.
 */
export function ReportTable({ rows, fresh, trail }: ReportTableProps) {
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
        {rows.map((row) => (
          <Row key={row.id} row={row} fresh={fresh.has(row.id)} trail={trail} />
        ))}
      </tbody>
    </table>
    // biome-ignore-end lint/a11y/noRedundantRoles: see above
  );
}

/** An address that, when it must break, breaks where people would. */
function Email({ address }: { address: string }) {
  const at = address.lastIndexOf('@');
  return (
    <>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </>
  );
}

function Row({ row, fresh, trail }: { row: ReportRow; fresh: boolean; trail: Trail }) {
  const name = `${row.nome} ${row.cognome}`;
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see the table
    <tr
      role="row"
      className={styles.row}
      data-unread={!row.aperta || undefined}
      data-fresh={fresh || undefined}
    >
      <td role="cell" className={styles.id}>
        <span title={row.id}>{row.id.slice(0, SHORT_ID)}</span>
      </td>
      <th role="rowheader" scope="row" className={styles.name}>
        <span>{name}</span>
        {fresh ? <span className={styles.fresh}>Appena arrivata</span> : null}
        {row.aperta ? null : <VisuallyHidden> (da leggere)</VisuallyHidden>}
      </th>
      <td role="cell" className={styles.email}>
        <Email address={row.email} />
      </td>
      <td role="cell" className={styles.date}>
        <time dateTime={row.data_creazione}>{formatDateTime(row.data_creazione)}</time>
      </td>
      <td role="cell" className={styles.stato}>
        <Badge tone={toneOf(row.stato)}>{row.stato}</Badge>
      </td>
      <td role="cell" className={styles.action}>
        <Link className={styles.open ?? ''} to={paths.report(row.id)} state={trail}>
          {messages.reports.open}
          <VisuallyHidden> la segnalazione di {name}</VisuallyHidden>
        </Link>
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: see the table
  );
}
