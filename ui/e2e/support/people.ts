/** Whoever writes to the newsroom in these tests: invented, with numbers and addresses that belong to nobody. */

export interface Person {
  eta: string;
  nome: string;
  cognome: string;
  telefono: string;
  email: string;
  indirizzo: string;
  segnalazione: string;
}

export const giulia: Person = {
  eta: '34',
  nome: 'Giulia',
  cognome: 'Ferraro',
  telefono: '333 123 4567',
  email: 'giulia.ferraro@esempio.example',
  indirizzo: 'Via Garibaldi 12, 10122 Torino',
  segnalazione:
    'Da marzo nella mensa della scuola elementare di via Bixio servono piatti scaduti: ho le fotografie delle etichette e due cuoche sono disposte a parlare.',
};

export const matteo: Person = {
  eta: '58',
  nome: 'Matteo',
  cognome: 'D’Angelo',
  telefono: '347 765 4321',
  email: 'matteo.dangelo@esempio.example',
  indirizzo: 'Piazza Dante 3, 95124 Catania',
  segnalazione:
    'Il cantiere sul lungomare scarica ogni notte acqua torbida nel porticciolo. Il responsabile dice che è tutto autorizzato, ma in Comune nessuno trova il permesso.',
};

export const nicolo: Person = {
  eta: '41',
  nome: 'Nicolò',
  cognome: 'Sartori',
  telefono: '320 555 0142',
  email: 'nicolo.sartori@esempio.example',
  indirizzo: 'Corso Milano 88, 37138 Verona',
  segnalazione:
    'In magazzino lavoriamo dodici ore al giorno con contratti da quattro. Chi si lamenta non viene più chiamato; il capoturno tiene i fogli firmati in bianco.',
};

/** The answers in the order of the questions, up to the account. */
export function answersOf(person: Person): readonly string[] {
  const { eta, nome, cognome, telefono, email, indirizzo, segnalazione } = person;
  return [eta, nome, cognome, telefono, email, indirizzo, segnalazione];
}

/** One of many, so that a list has enough to page through. */
export function somebody(number: number): Person {
  return {
    ...giulia,
    nome: 'Persona',
    // In letters: digits are no name.
    cognome: `Bianchi ${[...String(number)].map((digit) => 'ABCDEFGHIL'[Number(digit)]).join('')}`,
    email: `persona${number}@esempio.example`,
  };
}
