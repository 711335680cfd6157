import type { ReactNode } from 'react';
import { formatNumber } from '../../shared/lib/text';
import { Details } from '../common/fold';
import styles from './analytics.module.css';
import { longDay, scaleFor, shortDay } from './figures';

/** Height of the drawing in its own units; its width is one unit a column, and it is stretched to the room there is. */
const HEIGHT = 100;
/** Part of a column's width that its bar takes. */
const BAR = 0.8;

export interface Column {
  key: string;
  /** The whole label, for the pointer and for the table. */
  name: string;
  /** Below the drawing. */
  short: string;
  count: number;
}

export const dayColumn = (date: string, count: number): Column => ({
  key: date,
  name: longDay(date),
  short: shortDay(date),
  count,
});

interface ChartProps {
  columns: readonly Column[];
  sentence: string;
  head: string;
  caption: string;
}

export function Chart({ columns, sentence, head, caption }: ChartProps) {
  const top = scaleFor(Math.max(0, ...columns.map(({ count }) => count)));
  const marks = [columns.at(0), columns.at(Math.floor(columns.length / 2)), columns.at(-1)];
  return (
    <figure>
      <div className={styles.plot}>
        <div className={styles.scale} aria-hidden="true">
          <span>{formatNumber(top)}</span>
          <span>{formatNumber(top / 2)}</span>
          <span>0</span>
        </div>
        <Drawing columns={columns} top={top} sentence={sentence} />
      </div>
      <div className={styles.dates} aria-hidden="true">
        {[...new Set(marks)].map((one) => (one ? <span key={one.key}>{one.short}</span> : null))}
      </div>
      <AsTable caption={caption} head={[head, 'Segnalazioni']}>
        {columns.toReversed().map(({ key, name, count }) => (
          <tr key={key}>
            <th scope="row">{name}</th>
            <td>{formatNumber(count)}</td>
          </tr>
        ))}
      </AsTable>
    </figure>
  );
}

interface DrawingProps {
  columns: readonly Column[];
  top: number;
  /** Absent where the words beside it say the same. */
  sentence?: string;
}

export function Drawing({ columns, top, sentence }: DrawingProps) {
  return (
    <svg
      className={sentence ? styles.drawing : styles.spark}
      viewBox={`0 0 ${columns.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={sentence}
      aria-hidden={sentence === undefined || undefined}
    >
      {(sentence ? [0, HEIGHT / 2, HEIGHT] : [HEIGHT]).map((y) => (
        <line key={y} className={styles.line} x1={0} x2={columns.length} y1={y} y2={y} />
      ))}
      {columns.map(({ key, name, count }, index) => (
        <g key={key} className={styles.day}>
          <rect
            className={styles.column}
            x={index + (1 - BAR) / 2}
            y={HEIGHT - (count / top) * HEIGHT}
            width={BAR}
            height={(count / top) * HEIGHT}
          />
          {/* Over the whole height: what a pointer is told. */}
          <rect className={styles.slot} x={index} y={0} width={1} height={HEIGHT}>
            <title>{`${name}: ${formatNumber(count)}`}</title>
          </rect>
        </g>
      ))}
    </svg>
  );
}

interface AsTableProps {
  caption: string;
  head: readonly string[];
  children: ReactNode;
}

export function AsTable({ caption, head, children }: AsTableProps) {
  return (
    <Details summary="Mostra come tabella">
      <table className={styles.table}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {head.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </Details>
  );
}
