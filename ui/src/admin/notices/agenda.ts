/** The tasks of the person who is logged in. */
import type { Answer } from '../../shared/api/client';
import { useRead } from '../common/use-read';

const LOOK_MS = 15_000;

export type Agenda = Answer<'/desk/mine'>;

export const useAgenda = () => useRead('/desk/mine', { background: true, refetchInterval: LOOK_MS });

/** How many reports the page shows: one may wait for several reasons. */
export const shownOf = (agenda: Agenda): number => new Set(agenda.data.map(({ id }) => id)).size;
