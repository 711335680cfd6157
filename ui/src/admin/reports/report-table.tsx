import { Link } from 'react-router-dom';
import type { ReportRow } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Badge } from '../../shared/ui/badge';
import { SelectBox } from '../bulk/selection';
import { LabelChips } from '../common/labels/labels';
import { paths, type Trail } from '../common/paths';
import { toneOf } from '../common/stato';
import { Marked, matches } from './marked';
import styles from './reports.module.css';

const SHORT_ID = 8;

const COLUMNS = ['ID', 'Nome', 'Email', 'Data', 'Stato', 'Azioni'] as const;

interface ReportTableProps {
  rows: readonly ReportRow[];
  fresh: ReadonlySet<string>;
  /** The report that is open beside the list. */
  open: string | undefined;
  search: string;
  /** Where the mark of an urgent report leads: the urgent ones of this selection; null where there are no others. */
  urgentOnly: string | null;
  /** Goes along with the links, so that the way back leads to this very list. */
  trail: Trail;
}

/**
 * The list. The roles are spelled out because on phones the rows become cards, and a changed `display` would take the
 * table away from screen readers.
 */
export function ReportTable({ rows, fresh, open, ...rest }: ReportTableProps) {
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
          <Row key={row.id} row={row} fresh={fresh.has(row.id)} open={row.id === open} {...rest} />
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
function Reason({ row, search }: { row: ReportRow; search: string }) {
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
  const badge = <Badge tone="red">Urgente</Badge>;
  return only === null ? (
    badge
  ) : (
    <Link className={styles.urgent ?? ''} to={only} title="Mostra solo le urgenti">
      {badge}
    </Link>
  );
}

interface RowProps extends Pick<ReportTableProps, 'search' | 'urgentOnly' | 'trail'> {
  row: ReportRow;
  fresh: boolean;
  open: boolean;
}

function Row({ row, fresh, open, search, urgentOnly, trail }: RowProps) {
  const name = `${row.nome} ${row.cognome}`;
  const { unread } = row;
  return (
    // biome-ignore-start lint/a11y/noRedundantRoles: see the table
    <tr
      role="row"
      className={styles.row}
      data-unread={unread || undefined}
      data-fresh={fresh || undefined}
      data-open={open || undefined}
    >
      <td role="cell" className={styles.id}>
        <SelectBox row={row} />
        <span title={row.id}>{row.id.slice(0, SHORT_ID)}</span>
      </td>
      <th role="rowheader" scope="row" className={styles.name}>
        <span>
          <Marked text={name} search={search} />
        </span>
        {row.urgente ? <Urgent only={urgentOnly} /> : null}
        {row.answerWaiting ? <Badge tone="blue">Messaggio da leggere</Badge> : null}
        {row.related ? <Badge tone="grey">Segnalazioni vicine</Badge> : null}
        <LabelChips ids={row.labels} />
        {fresh ? <span className={styles.fresh}>Appena arrivata</span> : null}
        {unread ? <span className="visually-hidden"> (da leggere)</span> : null}
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
        <Link
          className={styles.open ?? ''}
          to={paths.report(row.id)}
          state={trail}
          data-row-link=""
          aria-current={open ? 'true' : undefined}
        >
          Apri
          <span className="visually-hidden"> la segnalazione di {name}</span>
        </Link>
      </td>
    </tr>
    // biome-ignore-end lint/a11y/noRedundantRoles: see the table
  );
}
