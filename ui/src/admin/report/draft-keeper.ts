/**
 * Unsaved work whose session ended under it, kept in this tab's memory until the next login. Must never outlive a
 * deliberate logout or reach any storage.
 */
import type { Draft } from './draft';

const kept = new Map<string, Draft>();

export function keepDraft(id: string, draft: Draft): void {
  kept.set(id, draft);
}

/** The draft kept for a report; it stays until the form lets go of it. */
export function keptDraft(id: string): Draft | undefined {
  return kept.get(id);
}

export function dropDraft(id: string): void {
  kept.delete(id);
}

export function dropAllDrafts(): void {
  kept.clear();
}
