import type { RoutingResult } from '../../../shared/api/schema';
import { deskName } from '../departments';
import styles from './verdict.module.css';

/** Likelihoods that are shown: beyond these they say nothing. */
const SHOWN = 3;

interface VerdictProps {
  verdict: Pick<RoutingResult, 'department' | 'reason' | 'matchedKeywords' | 'scores' | 'secondary'>;
}

/** Where a report belongs and why: the desk, the words that spoke for it, how likely the others were. */
export function Verdict({ verdict }: VerdictProps) {
  const { department, reason, matchedKeywords, scores, secondary } = verdict;
  return (
    <div className={styles.verdict}>
      <p className={styles.desk}>
        {deskName(department)}
        {secondary ? <span className={styles.also}>anche: {deskName(secondary)}</span> : null}
      </p>
      {reason ? <p>{reason}</p> : null}
      {matchedKeywords.length > 0 ? (
        <div>
          <p className={styles.label}>Parole trovate</p>
          <ul className={styles.words} aria-label="Parole trovate">
            {matchedKeywords.map((word) => (
              <li key={word}>{word}</li>
            ))}
          </ul>
        </div>
      ) : null}
      {scores.length > 0 ? (
        <dl className={styles.scores}>
          {scores.slice(0, SHOWN).map(({ department: desk, percent }) => (
            <div key={desk}>
              <dt>{deskName(desk)}</dt>
              <dd>
                <meter min={0} max={100} value={percent} aria-hidden="true" />
                {percent}%
              </dd>
            </div>
          ))}
        </dl>
      ) : null}
    </div>
  );
}
