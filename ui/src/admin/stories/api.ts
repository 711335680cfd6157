/** Stories: what belongs together. Nothing is joined but by a person. */
import type { Answer } from '../../shared/api/client';
import type { CalloutQuestion, Story } from '../../shared/api/schema';
import { counted, formatNumber } from '../../shared/lib/text';
import { LOOK_MS } from '../common/stories';
import { useRead } from '../common/use-read';

/** Reports from which on a proposal is announced. */
export const ANNOUNCED = 3;

export type Proposal = Answer<'/stories/proposals'>['data'][number];

/** What a person has begun on a proposal, kept while they look at others. */
export interface Draft {
  title: string;
  /** Ids of the reports that stay out. */
  without: readonly string[];
  writing: boolean;
  letter: string;
  questions: readonly CalloutQuestion[];
}

/** Whether a message was begun, and would be lost. */
export const isWritten = ({ letter, questions }: Pick<Draft, 'letter' | 'questions'>): boolean =>
  letter.trim() !== '' || questions.length > 0;

export const draftOf = ({ title }: Proposal): Draft => ({
  title: title ?? '',
  without: [],
  writing: false,
  letter: '',
  questions: [],
});

/** The reports that the program proposes to join. */
export const useProposals = () =>
  useRead('/stories/proposals', { background: true, refetchInterval: LOOK_MS });

export const sizeOf = (reports: number): string => counted(reports, 'segnalazione', 'segnalazioni');

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
  return [sizeOf(reports), growth, desks, names].filter(Boolean).join(' · ');
}
