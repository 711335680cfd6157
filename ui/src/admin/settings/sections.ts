/** The sections of the settings as their forms hold them. Must give back the server's types, nothing made up. */
import type { EmailSettings, Security, SystemSettings } from '../../shared/api/schema';
import type { Fields } from '../common/edits/edits';

/** A section as a form holds it: numbers as they are typed. */
export type FormOf<S extends object> = {
  readonly [K in keyof S]: S[K] extends number ? string : S[K];
};

export type SecurityForm = FormOf<Security>;
/** With the fields that a save may leave out: the server always answers with them. */
export type SystemSection = Required<SystemSettings>;
export type SystemForm = FormOf<SystemSection>;
export type EmailSection = Required<EmailSettings>;
export type EmailForm = FormOf<EmailSection>;

export function formOf<S extends object>(section: S): FormOf<S> {
  const fields = Object.entries(section).map(([key, value]) => [
    key,
    typeof value === 'number' ? String(value) : value,
  ]);
  return Object.fromEntries(fields) as FormOf<S>;
}

/**
 * Changed fields as the server wants them. What is no number stays the text it is: the server then names the field and
 * what is wrong with it.
 */
export function changesFor<S extends object>(changes: Partial<FormOf<S> & Fields>, section: S): S {
  const fields = Object.entries(changes).map(([key, value]) => {
    const numeric = typeof section[key as keyof S] === 'number';
    return [key, numeric && /^\s*\d+\s*$/.test(String(value)) ? Number(value) : value];
  });
  // The generated type marks fields with a default as present; a save needs only those that change.
  return Object.fromEntries(fields) as S;
}
