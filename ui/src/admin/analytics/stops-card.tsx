import type { ChatStops, StateStops } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Fact, Facts } from '../../shared/ui/facts';
import { Stack, Text } from '../../shared/ui/layout';
import styles from './analytics.module.css';
import { Bar, Bars } from './bar';
import { longDay, QUESTIONS, refusal } from './figures';

/** How conversations went, question by question; nobody's words, only numbers. */
export function StopsCard({ stops }: { stops: ChatStops }) {
  const { since, started, completed, unfinished, minors, states } = stops;
  return (
    <Stack gap={4}>
      <Facts layout="narrow" large>
        <Fact name="Iniziate">{formatNumber(started)}</Fact>
        <Fact name="Concluse">{formatNumber(completed)}</Fact>
        <Fact name="Lasciate a metà">{formatNumber(unfinished)}</Fact>
        <Fact name="Di minorenni">{formatNumber(minors)}</Fact>
      </Facts>
      <Text tone="muted" small>
        Dal {longDay(since)}. Si contano le conversazioni, non chi le ha: quelle ancora in corso risultano
        lasciate a metà.
      </Text>
      {started === 0 ? (
        <Text tone="muted" small>
          Nessuna conversazione iniziata in questi giorni.
        </Text>
      ) : (
        <Bars>
          {states.map((state) => (
            <Question key={state.state} stops={state} started={started} />
          ))}
        </Bars>
      )}
    </Stack>
  );
}

/** One question: how many got to it, how many went on, how many left, and what was refused. */
function Question({ stops, started }: { stops: StateStops; started: number }) {
  const { state, reached, answered, unfinished, refusals } = stops;
  const percent = (count: number) => (count / started) * 100;
  return (
    <Bar
      name={QUESTIONS[state]}
      figure={
        <>
          {formatNumber(answered)} su {formatNumber(reached)}
          <span className="visually-hidden"> hanno risposto</span>
          {unfinished > 0 ? <strong>, {formatNumber(unfinished)} fermate qui</strong> : null}
        </>
      }
      // What shows of the first beside the second are those who stopped here.
      parts={[
        { percent: percent(reached), tone: 'yellow' },
        { percent: percent(answered), tone: 'blue' },
      ]}
    >
      {refusals.length > 0 ? (
        <Text as="span" tone="muted" small className={styles.below}>
          Risposte rifiutate: {refusals.map(({ rule, count }) => refusal(rule, count)).join(', ')}
        </Text>
      ) : null}
    </Bar>
  );
}
