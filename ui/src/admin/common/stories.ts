/** The queries and types of stories that every page shares. */
import type { ReportRow } from '../../shared/api/schema';
import { counted } from '../../shared/lib/text';
import { useRead } from './use-read';

export const LOOK_MS = 15_000;
/** Stories of a reading, and reports of one. */
export const MOST = 200;

/** For what names them beside something else. */
export const useKnownStories = () =>
  useRead('/stories', { with: { query: { limit: MOST } }, background: true, staleTime: 2 * LOOK_MS }).data
    ?.data ?? [];

/** The story that a report may belong to: `Forse della storia «Clinica San Marco»`. */
export const maybeText = ({ story, reports }: NonNullable<ReportRow['maybe']>): string =>
  story ? `Forse della storia «${story.title}»` : `Forse con ${counted(reports, 'altra', 'altre')}`;

/** Names as they are told: `«Serenella», «Montaldo»`. */
export const quoted = (names: readonly string[]): string => names.map((name) => `«${name}»`).join(', ');
