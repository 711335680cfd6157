import type { RoutingResult } from '../../../shared/api/schema';
import { Badge } from '../../../shared/ui/badge';
import { Fact, Facts } from '../../../shared/ui/facts';
import { Row, Stack, Text } from '../../../shared/ui/layout';
import { useDepartments } from '../departments';
import styles from './verdict.module.css';

/** Likelihoods that are shown: beyond these they say nothing. */
const SHOWN = 3;

interface VerdictProps {
  verdict: Pick<RoutingResult, 'department' | 'reason' | 'matchedKeywords' | 'scores' | 'secondary'>;
  /** Its department is said beside it already. */
  quiet?: boolean;
}

export function Verdict({ verdict, quiet = false }: VerdictProps) {
  const { department, reason, matchedKeywords, scores, secondary } = verdict;
  const { nameOf } = useDepartments();
  return (
    <Stack>
      <Row as="p" align="baseline">
        {quiet ? null : <strong>{nameOf(department)}</strong>}
        {secondary ? (
          <Text as="span" tone="muted" small>
            anche: {nameOf(secondary)}
          </Text>
        ) : null}
      </Row>
      {reason ? <p>{reason}</p> : null}
      {matchedKeywords.length > 0 ? (
        <div>
          <Text tone="muted" small>
            Parole trovate
          </Text>
          <Row as="ul" gap={1} aria-label="Parole trovate">
            {matchedKeywords.map((word) => (
              <li key={word}>
                <Badge>{word}</Badge>
              </li>
            ))}
          </Row>
        </div>
      ) : null}
      {scores.length > 0 ? (
        <Facts layout="lined">
          {scores.slice(0, SHOWN).map(({ department: desk, percent }) => (
            <Fact key={desk} name={nameOf(desk)}>
              <Row as="span" nowrap>
                <meter className={styles.meter} min={0} max={100} value={percent} aria-hidden="true" />
                {percent}%
              </Row>
            </Fact>
          ))}
        </Facts>
      ) : null}
    </Stack>
  );
}
