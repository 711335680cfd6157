import type { ChatStops, StateStops } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { longDay, QUESTIONS, refusal } from './figures';
import styles from './stops-card.module.css';

/** How conversations went, question by question; nobody's words, only numbers. */
export function StopsCard({ stops }: { stops: ChatStops }) {
  const { since, started, completed, unfinished, minors, states } = stops;
  return (
    <div className={styles.stops}>
      <dl className={styles.totals}>
        <Total name="Iniziate" figure={started} />
        <Total name="Concluse" figure={completed} />
        <Total name="Lasciate a metà" figure={unfinished} />
        <Total name="Di minorenni" figure={minors} />
      </dl>
      <p className={styles.note}>
        Dal {longDay(since)}. Si contano le conversazioni, non chi le ha: quelle ancora in corso risultano
        lasciate a metà.
      </p>
      {started === 0 ? (
        <p className={styles.note}>Nessuna conversazione iniziata in questi giorni.</p>
      ) : (
        <ol className={styles.questions}>
          {states.map((state) => (
            <Question key={state.state} stops={state} started={started} />
          ))}
        </ol>
      )}
    </div>
  );
}

function Total({ name, figure }: { name: string; figure: number }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{formatNumber(figure)}</dd>
    </div>
  );
}

/** One question: how many got to it, how many went on, how many left, and what was refused. */
function Question({ stops, started }: { stops: StateStops; started: number }) {
  const { state, reached, answered, unfinished, refusals } = stops;
  const width = (count: number) => ({ inlineSize: `${Math.min(100, (count / started) * 100)}%` });
  return (
    <li className={styles.question}>
      <span className={styles.name}>{QUESTIONS[state]}</span>
      <span className={styles.figures}>
        {formatNumber(answered)} su {formatNumber(reached)}
        <span className="visually-hidden"> hanno risposto</span>
        {unfinished > 0 ? <strong>, {formatNumber(unfinished)} fermate qui</strong> : null}
      </span>
      <span className={styles.track} aria-hidden="true">
        <span className={styles.reached} style={width(reached)} />
        <span className={styles.answered} style={width(answered)} />
      </span>
      {refusals.length > 0 ? (
        <span className={styles.refusals}>
          Risposte rifiutate: {refusals.map(({ rule, count }) => refusal(rule, count)).join(', ')}
        </span>
      ) : null}
    </li>
  );
}
