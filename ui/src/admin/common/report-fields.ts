/** The reporter's data, in the order in which the page, the record and every other list show it. */
import type { ChatReply, ReportDetail } from '../../shared/api/schema';
import { reporterName } from './reporter-name';

export type Reporter = Pick<
  ReportDetail,
  'id' | 'nome' | 'cognome' | 'eta' | 'telefono' | 'email' | 'indirizzo'
>;

interface ReporterField {
  label: string;
  text: (reporter: Reporter) => string;
  href?: (reporter: Reporter) => string;
  fullWidth?: boolean;
}

export const REPORTER_FIELDS: readonly ReporterField[] = [
  { label: 'Nome Completo', text: reporterName },
  { label: 'Età', text: ({ eta }) => (eta === 0 ? '' : `${eta} anni`) },
  {
    label: 'Telefono',
    text: ({ telefono }) => telefono,
    href: ({ telefono }) => `tel:${encodeURIComponent(telefono)}`,
  },
  {
    label: 'Email',
    text: ({ email }) => email,
    // Everything but the at sign is escaped: an address must not be able to add a subject or a copy to the mail.
    href: ({ email }) => `mailto:${encodeURIComponent(email).replace('%40', '@')}`,
  },
  { label: 'Indirizzo', text: ({ indirizzo }) => indirizzo, fullWidth: true },
];

/** The reporter's data that staff may enter. */
export const ENTRY_FIELDS = [
  { name: 'nome', label: 'Nome' },
  { name: 'cognome', label: 'Cognome (facoltativo)' },
  { name: 'telefono', label: 'Telefono (facoltativo)' },
  { name: 'email', label: 'Email (facoltativa)' },
  { name: 'indirizzo', label: 'Indirizzo (facoltativo)' },
  { name: 'eta', label: 'Età (facoltativa)' },
] as const;

export const EMPTY_ENTRY = {
  nome: '',
  cognome: '',
  telefono: '',
  email: '',
  indirizzo: '',
  eta: '',
  segnalazione: '',
};

/** Label of each question, and a sample answer that passes the rules, for the rehearsal. */
export const QUESTIONS: Readonly<Record<ChatReply['state'], { label: string; sample: string }>> = {
  age_check: { label: 'Età', sample: '34' },
  collect_name: { label: 'Nome', sample: 'Giulia' },
  collect_surname: { label: 'Cognome', sample: 'Esempio' },
  collect_phone: { label: 'Telefono', sample: '3123456789' },
  collect_email: { label: 'Email', sample: 'giulia@esempio.example' },
  collect_address: { label: 'Indirizzo', sample: 'Via di Prova 1, 00100 Roma' },
  investigative_questions: {
    label: 'Racconto',
    sample:
      'Da marzo nella mensa della scuola servono piatti scaduti: ho le fotografie delle etichette e due persone sono disposte a parlare.',
  },
  collect_report: { label: 'Altre informazioni', sample: 'no' },
  final_question: { label: 'Chiusura', sample: 'no' },
};
