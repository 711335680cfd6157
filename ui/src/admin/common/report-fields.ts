/** What a report says of its person, in order: the page, the record and every other list of fields follow it. */
import type { ReportDetail } from '../../shared/api/schema';

export type Person = Pick<ReportDetail, 'nome' | 'cognome' | 'eta' | 'telefono' | 'email' | 'indirizzo'>;

interface PersonField {
  label: string;
  text: (person: Person) => string;
  /** Address that a click on it opens. */
  link?: (person: Person) => string;
  /** Long: takes a line of its own. */
  wide?: boolean;
}

export const PERSON_FIELDS: readonly PersonField[] = [
  { label: 'Nome Completo', text: ({ nome, cognome }) => `${nome} ${cognome}` },
  { label: 'Età', text: ({ eta }) => `${eta} anni` },
  {
    label: 'Telefono',
    text: ({ telefono }) => telefono,
    link: ({ telefono }) => `tel:${encodeURIComponent(telefono)}`,
  },
  {
    label: 'Email',
    text: ({ email }) => email,
    // Everything but the at sign is escaped: an address must not be able to add a subject or a copy to the mail.
    link: ({ email }) => `mailto:${encodeURIComponent(email).replace('%40', '@')}`,
  },
  { label: 'Indirizzo', text: ({ indirizzo }) => indirizzo, wide: true },
];
