/**
 * The phrases as the editor finds them: eleven sections, each text with its name and when it is said. Must name every text
 * of the server's configuration exactly once, in the order of the conversation; what is said at need comes last.
 */
import { set } from 'react-hook-form';
import type { Phrases } from '../../shared/api/schema';
import type { FieldChanges } from '../common/kept';

type Groups = Omit<Phrases, 'welcome'>;

/** Dotted name of a text, as the server's refusals use it. */
export type PhraseKey = 'welcome' | { [G in keyof Groups]: `${G}.${keyof Groups[G] & string}` }[keyof Groups];

export type SectionKey = keyof Phrases;

export interface Phrase {
  key: PhraseKey;
  label: string;
  hint: string;
}

export interface Section {
  key: SectionKey;
  label: string;
  phrases: readonly Phrase[];
}

const LABELS = {
  prompt: 'Domanda principale',
  invalid: 'Messaggio di errore',
  valid: 'Conferma',
  next: 'Messaggio di passaggio',
  underAge: 'Messaggio per i minorenni',
  forbidden: 'Messaggio per le parole vietate',
  tooShort: 'Testo troppo breve',
  final: 'Messaggio di chiusura',
  help: 'Messaggio di aiuto',
  minor: 'Aiuto per i minorenni',
  more: 'Invito ad aggiungere',
  explain: 'Chi legge e perché',
  anonymous: 'È anonimo?',
  whichHelp: 'Quale aiuto',
  afterwards: 'Che cosa succede dopo',
  correct: 'Come si corregge',
  corrected: 'Conferma della correzione',
  unsent: 'Nulla è stato inviato',
  unable: 'Un’altra via',
  kept: 'Racconto messo da parte',
} as const;

type Entry = keyof typeof LABELS;

function section<G extends keyof Groups>(
  key: G,
  label: string,
  hints: Readonly<Record<keyof Groups[G] & Entry, string>>,
): Section {
  const phrases = Object.entries<string>(hints).map(
    ([entry, hint]): Phrase => ({
      key: `${key}.${entry}` as PhraseKey,
      label: LABELS[entry as Entry],
      hint,
    }),
  );
  return { key, label, phrases };
}

const FORBIDDEN = 'Quando la risposta contiene una delle parole vietate: la domanda resta aperta.';

function question(what: string, refused: string): Readonly<Record<'prompt' | 'invalid' | 'next', string>> {
  return {
    prompt: `Chiede ${what}.`,
    invalid: refused,
    next: 'Quando la risposta va bene, prima della domanda successiva.',
  };
}

export const SECTIONS: readonly Section[] = [
  {
    key: 'welcome',
    label: 'Messaggio Iniziale',
    phrases: [
      {
        key: 'welcome',
        label: 'Messaggio iniziale',
        hint: 'Il primo messaggio della chat. Deve chiedere anche l’età: la prima risposta è quella.',
      },
    ],
  },
  section('ageCheck', 'Controllo Età', {
    prompt: 'Chiede di nuovo l’età: la prima volta la chiede il messaggio iniziale.',
    invalid: 'Quando la risposta non è un’età tra 1 e 120 anni.',
    underAge: 'A chi ha meno di 18 anni: la chat si chiude e non resta nulla.',
    valid: 'A chi è maggiorenne, prima di chiedere il nome.',
  }),
  section(
    'collectName',
    'Raccolta Nome',
    question('il nome', 'Quando il nome ha meno di 2 caratteri o contiene cifre.'),
  ),
  section(
    'collectSurname',
    'Raccolta Cognome',
    question('il cognome', 'Quando il cognome ha meno di 2 caratteri o contiene cifre.'),
  ),
  section(
    'collectPhone',
    'Raccolta Telefono',
    question(
      'il cellulare',
      'Quando il numero non ha 10 cifre che iniziano con 3, o non è di quelli ammessi nelle impostazioni.',
    ),
  ),
  section(
    'collectEmail',
    'Raccolta Email',
    question('l’indirizzo email', 'Quando l’indirizzo email non è valido.'),
  ),
  section(
    'collectAddress',
    'Raccolta Indirizzo',
    question('l’indirizzo di casa', 'Quando l’indirizzo ha meno di 10 caratteri.'),
  ),
  section('investigativeQuestions', 'Domande Investigative', {
    prompt: 'Chiede di raccontare i fatti.',
    tooShort: 'Quando il racconto ha meno caratteri o meno parole del minimo.',
    forbidden: FORBIDDEN,
    next: 'Quando il racconto va bene, prima dell’ultima domanda.',
  }),
  section('collectReport', 'Finalizzazione', {
    prompt: 'Chiede se c’è altro da aggiungere, prima di inviare.',
    more: 'A chi risponde soltanto «sì» o «va bene».',
    forbidden: FORBIDDEN,
    final: 'Chiude la chat: la segnalazione è stata ricevuta.',
  }),
  section('care', 'Aiuto', {
    help: 'Una volta sola, quando le parole del racconto fanno pensare a un gesto contro di sé, a una minaccia o a un pericolo. La segnalazione prosegue.',
    minor: 'A chi ha meno di 18 anni, dopo il saluto: dove può chiedere aiuto.',
  }),
  section('guide', 'Domande di chi scrive', {
    explain:
      'Accanto alla chat, sotto «Chi legge?», e a chi scrive «chi legge?» o «perché me lo chiedi?»: poi la domanda viene ripetuta.',
    anonymous: 'A chi chiede «è anonimo?»: poi la domanda viene ripetuta.',
    whichHelp:
      'A chi scrive soltanto «aiuto»: sotto ci sono i pulsanti «Aiuto adesso» e «Aiuto con la chat».',
    afterwards: 'Accanto alla chat, sotto «Che cosa succede dopo?».',
    correct: 'A chi scrive «correggi» o «indietro» invece di rispondere.',
    unsent:
      'A chi all’ultima domanda scrive «aspetta», «annulla» o «correggi il nome»: la domanda viene ripetuta.',
    unable:
      'A chi per due volte non riesce a dare un dato obbligatorio: come contattarvi per un’altra via. Può restare vuota.',
    kept: 'A chi racconta prima della domanda: il testo torna nella casella al momento del racconto.',
    corrected: 'Dopo una risposta corretta: poi la chat riprende da dove era.',
  }),
];

/** Section that a text of that dotted name belongs to; undefined for a name this page does not know. */
export function sectionWith(key: string): Section | undefined {
  return SECTIONS.find((one) => one.phrases.some((phrase) => phrase.key === key));
}

/** The text that stands for a section in the preview: the question, else the step on, else the first. */
export function mainPhrase({ phrases }: Section): Phrase {
  const named = (entry: string) => phrases.find((phrase) => phrase.key.endsWith(`.${entry}`));
  return named('prompt') ?? named('next') ?? (phrases[0] as Phrase);
}

/** Changed texts by dotted name, as the server wants them; what is absent stays as it is saved. */
export function phrasesOf(changes: FieldChanges): Phrases {
  const phrases = {};
  for (const [key, text] of Object.entries(changes)) {
    set(phrases, key, text);
  }
  // The generated type marks fields with a default as present; a save needs only those that change.
  return phrases as Phrases;
}

export const PLACEHOLDERS = {
  name: 'Nome dell’assistente',
  org: 'Nome della redazione',
  minChars: 'Caratteri minimi del racconto',
  minWords: 'Parole minime del racconto',
} as const;

type Placeholder = keyof typeof PLACEHOLDERS;
export type PlaceholderValues = Readonly<Record<Placeholder, string>>;

/** The phrase as it is said. One pass: braces inside a value are said as they are. */
export function fillIn(phrase: string, values: PlaceholderValues): string {
  return phrase.replace(/\{(name|org|minChars|minWords)\}/g, (_, name: Placeholder) => values[name]);
}
