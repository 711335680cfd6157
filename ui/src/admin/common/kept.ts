/**
 * Unsaved changes of forms whose session ended, kept in memory until the next login, and what was typed for a report and not
 * sent. Must never outlive a logout, reach any storage, nor be shown to another person.
 */

/** The typed values by dotted name of the field. */
export type FieldChanges = Readonly<Record<string, unknown>>;

interface KeptWork {
  base: object;
  changes: FieldChanges;
}

/** By the name of its form. */
export const kept = new Map<string, KeptWork>();
/** Who typed it: a person's id, or empty for the shared password. */
let owner: string | null = null;

/** A person has logged in: what another has typed is dropped. */
export function ownKept(by: string): void {
  if (owner !== by) {
    kept.clear();
    owner = by;
  }
}
