/** What was answered: how often each choice was made, and a table that scrolls by itself. */
import type { ReactNode } from 'react';
import type { CalloutQuestion, CalloutReports } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Card } from '../../shared/ui/card';
import { Stack } from '../../shared/ui/layout';
import { Bar } from '../analytics/bar';
import styles from './callouts.module.css';
import { optionsOf } from './draft';

export const AnswerTable = ({ children }: { children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard
  <section className={styles.scroll} data-line="" aria-label="Tabella delle risposte" tabIndex={0}>
    <table className={styles.table}>{children}</table>
  </section>
);

export const CountsGrid = ({ children }: { children: ReactNode }) => (
  <div className={styles.counts}>{children}</div>
);

interface CountsProps {
  question: CalloutQuestion;
  of: CalloutReports['counts'][string];
  received: number;
}

/** How often each answer was chosen: a bar that is full is everybody who could choose it. */
export function Counts({ question, of, received }: CountsProps) {
  const said = question.kind === 'choices' ? received : of.reduce((sum, { n }) => sum + n, 0);
  return of.length > 0 ? (
    <Card title={question.text}>
      <Stack as="ol">
        {of.map(({ option, n }) => (
          <Bar
            key={option}
            name={optionsOf(question).find(({ key }) => key === option)?.text ?? option}
            figure={<strong>{formatNumber(n)}</strong>}
            parts={[{ percent: (n / Math.max(1, said)) * 100, tone: 'blue' }]}
          />
        ))}
      </Stack>
    </Card>
  ) : null;
}
