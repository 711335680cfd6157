import type { Analytics } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import styles from './analytics.module.css';
import { chartSentence, longDay, scaleFor, shortDay } from './figures';

/** Height of the drawing in its own units; its width is one unit a day, and it is stretched to the room there is. */
const HEIGHT = 100;
/** Part of a day's width that its bar takes. */
const BAR = 0.8;

export function DailyChart({ days }: { days: Analytics['perDay'] }) {
  const top = scaleFor(Math.max(0, ...days.map(({ count }) => count)));
  const [first, middle, last] = [days.at(0), days.at(Math.floor(days.length / 2)), days.at(-1)];
  return (
    <figure>
      <div className={styles.plot}>
        <div className={styles.scale} aria-hidden="true">
          <span>{formatNumber(top)}</span>
          <span>{formatNumber(top / 2)}</span>
          <span>0</span>
        </div>
        <svg
          className={styles.drawing}
          viewBox={`0 0 ${days.length} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={chartSentence(days)}
        >
          {[0, HEIGHT / 2, HEIGHT].map((y) => (
            <line key={y} className={styles.line} x1={0} x2={days.length} y1={y} y2={y} />
          ))}
          {days.map(({ date, count }, index) => (
            <g key={date} className={styles.day}>
              <rect
                className={styles.column}
                x={index + (1 - BAR) / 2}
                y={HEIGHT - (count / top) * HEIGHT}
                width={BAR}
                height={(count / top) * HEIGHT}
              />
              {/* Over the whole height: what a pointer is told. */}
              <rect className={styles.slot} x={index} y={0} width={1} height={HEIGHT}>
                <title>{`${longDay(date)}: ${formatNumber(count)}`}</title>
              </rect>
            </g>
          ))}
        </svg>
      </div>
      <div className={styles.dates} aria-hidden="true">
        {[first, middle, last].map((one) => (one ? <span key={one.date}>{shortDay(one.date)}</span> : null))}
      </div>
      <details>
        <summary>Mostra come tabella</summary>
        <DayTable days={days} />
      </details>
    </figure>
  );
}

function DayTable({ days }: { days: Analytics['perDay'] }) {
  return (
    <table className={styles.table}>
      <caption className="visually-hidden">Segnalazioni ricevute al giorno, dal più recente</caption>
      <thead>
        <tr>
          <th scope="col">Giorno</th>
          <th scope="col">Segnalazioni</th>
        </tr>
      </thead>
      <tbody>
        {days.toReversed().map(({ date, count }) => (
          <tr key={date}>
            <th scope="row">{longDay(date)}</th>
            <td>{formatNumber(count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
