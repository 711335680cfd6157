/** Stories: what belongs together. Nothing is joined but by a person. */
import type { Answer } from '../../shared/api/client';
import type { Story } from '../../shared/api/schema';
import { counted, formatNumber } from '../../shared/lib/text';
import { LOOK_MS } from '../common/stories';
import { useRead } from '../common/use-read';

/** Reports from which on a proposal is announced. */
export const ANNOUNCED = 3;

export type Proposal = Answer<'/stories/proposals'>['data'][number];

/** The reports that the program proposes to join. */
export const useProposals = () =>
  useRead('/stories/proposals', { background: true, refetchInterval: LOOK_MS });

const WORDS = 'nessuna una due tre quattro cinque sei sette otto nove dieci undici dodici'.split(' ');

/** Size, growth, departments and people: `40 segnalazioni · dodici in sette giorni · …`. */
export function factsOf(
  { reports, week, departments, people }: Story,
  nameOf: (key: string) => string,
): string {
  const many = week === reports ? 'tutte' : (WORDS[week] ?? formatNumber(week));
  const growth = week > 0 && reports > 1 ? `${many} in sette giorni` : '';
  const desks = departments.map(nameOf).join(', ');
  const names = people.map(({ name }) => name).join(', ');
  const size = counted(reports, 'segnalazione', 'segnalazioni');
  return [size, growth, desks, names].filter(Boolean).join(' · ');
}
