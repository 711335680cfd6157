/** What keeps a callout from being opened, said calmly. */
import { CircleCheck, Clock } from 'lucide-react';
import type { CalloutState } from '../../shared/api/schema';
import { Row, Stack } from '../../shared/ui/layout';
import styles from './callouts.module.css';
import { type Lacking, placeOf } from './draft';

interface LacksProps {
  lacks: Lacking;
  state: CalloutState;
  /** It is saved as it stands. */
  ready: boolean;
  lead: (field: string) => void;
}

export function Lacks({ lacks, state, ready, lead }: LacksProps) {
  const draft = state === 'bozza';
  if (lacks.size === 0 && !(draft && ready)) {
    return null;
  }
  return (
    <section aria-label={draft ? 'Prima di aprirla' : 'Da correggere'}>
      <h2>{draft ? 'Prima di aprirla' : 'Da correggere'}</h2>
      <Stack as="ul" gap={1}>
        {[...lacks].map(([field, said]) => {
          const place = placeOf(field);
          return (
            <Row as="li" key={field} gap={2} align="start" nowrap>
              <Clock aria-hidden="true" className={styles.waits} />
              <button type="button" className={styles.jump} onClick={() => lead(field)}>
                {place ? `Domanda ${place.question + 1}: ${place.option}` : null}
                {said}
              </button>
            </Row>
          );
        })}
        {lacks.size === 0 ? (
          <Row as="li" gap={2} nowrap>
            <CircleCheck aria-hidden="true" className={styles.done} />
            Non manca nulla
          </Row>
        ) : null}
      </Stack>
    </section>
  );
}
