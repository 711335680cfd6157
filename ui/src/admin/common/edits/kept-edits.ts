/**
 * Unsaved changes of forms whose session ended under them, kept in this tab's memory until the next login. Must never
 * outlive a deliberate logout or reach any storage.
 */
import type { Fields } from './edits';

const kept = new Map<string, Partial<Fields>>();

export function keepEdits(form: string, typed: Partial<Fields>): void {
  kept.set(form, typed);
}

/** What was kept for a form; it stays until the form lets go of it. */
export function keptEdits(form: string): Partial<Fields> | undefined {
  return kept.get(form);
}

export function dropEdits(form: string): void {
  kept.delete(form);
}

export function dropAllEdits(): void {
  kept.clear();
}
