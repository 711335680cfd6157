/**
 * Unsaved changes of forms whose session ended, kept in memory until the next login. Must never outlive a logout, reach any
 * storage, nor be shown to another person.
 */

/** What was typed, by dotted name of the field. */
export type FieldChanges = Readonly<Record<string, unknown>>;

export interface KeptWork {
  base: object;
  changes: FieldChanges;
}

const kept = new Map<string, KeptWork>();
/** Who typed it: a person's id, or empty for the shared password. */
let owner: string | null = null;

/** A person has logged in: what another has typed is dropped. */
export function ownKept(by: string): void {
  if (owner !== by) {
    kept.clear();
    owner = by;
  }
}

export function keep(form: string, work: KeptWork): void {
  kept.set(form, work);
}

export function keptFor(form: string): KeptWork | undefined {
  return kept.get(form);
}

export function dropKept(form: string): void {
  kept.delete(form);
}

export function dropAllKept(): void {
  kept.clear();
}
