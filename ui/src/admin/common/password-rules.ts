/** What can be said about a new password while it is typed. Must never pass for the whole check: the server decides. */

/** Least length of a password, in characters (PRODUCT.md §6). */
export const MIN_PASSWORD = 12;

export interface PasswordRule {
  text: string;
  met: boolean;
}

export function passwordRules(password: string, repeated: string): readonly PasswordRule[] {
  const length = [...password].length;
  return [
    { text: `Almeno ${MIN_PASSWORD} caratteri (ora ${length})`, met: length >= MIN_PASSWORD },
    { text: 'Le due password sono uguali', met: password !== '' && password === repeated },
  ];
}
