/** Stories: what belongs together. Nothing is joined but by a person. */
import type { StorySummary } from '../../shared/api/schema';
import { counted, formatNumber } from '../../shared/lib/text';
import { deskName } from '../common/departments';
import { useRead } from '../common/use-read';

export const LOOK_MS = 15_000;
/** Stories of a reading, and reports of one. */
export const MOST = 200;
export const TITLE_CHARS = 120;

/** For what names them beside something else. */
export const useKnownStories = () =>
  useRead('/stories', { with: { query: { limit: MOST } }, background: true, staleTime: 2 * LOOK_MS }).data
    ?.data ?? [];

const WORDS = 'nessuna una due tre quattro cinque sei sette otto nove dieci undici dodici'.split(' ');

/** How it grows, `dodici in sette giorni`; empty for one that does not. */
export function growthOf({ reports, week }: Pick<StorySummary, 'reports' | 'week'>): string {
  const many = week === reports && week > 1 ? 'tutte' : (WORDS[week] ?? formatNumber(week));
  return week > 0 && reports > 1 ? `${many} in sette giorni` : '';
}

/** Size, growth, departments and people of a story, in a line. */
export const factsOf = (story: StorySummary): string =>
  [
    counted(story.reports, 'segnalazione', 'segnalazioni'),
    growthOf(story),
    story.departments.map(deskName).join(', '),
    story.people.map(({ name }) => name).join(', '),
  ]
    .filter(Boolean)
    .join(' · ');
