/** The refusals of browser and device, in words. Must tell what to do next: why it was is often kept from the page. */
import { ToldError } from '../errors';

type Doing = 'make' | 'use';

/** By the name of the `DOMException`. One name stands for cancelled, too late and no screen lock alike. */
const REASONS: Readonly<Record<Doing, Readonly<Record<string, string>>>> = {
  make: {
    NotAllowedError:
      'Hai annullato, è passato troppo tempo, o il dispositivo non ha un blocco schermo. Se manca, imposta un PIN, l’impronta o il volto; poi riprova.',
    InvalidStateError:
      'Su questo dispositivo c’è già una tua passkey: usa quella. Per rifarla, prima rimuovila dall’elenco.',
    ConstraintError:
      'Questo dispositivo non protegge le passkey con impronta, volto o PIN. Imposta un blocco schermo, o scegli un altro dispositivo.',
    NotSupportedError: 'Questo dispositivo non sa creare una passkey adatta. Scegline un altro.',
  },
  use: {
    NotAllowedError:
      'Hai annullato, è passato troppo tempo, o qui non c’è una tua passkey. Riprova, o accedi con la password.',
  },
};

const ANYWHERE: Readonly<Record<string, string>> = {
  AbortError: 'La richiesta si è interrotta. Riprova.',
  SecurityError:
    'Il browser non accetta passkey a questo indirizzo. Apri il pannello al suo indirizzo consueto, con https.',
};

const UNKNOWN = 'Il browser non è riuscito a usare la passkey. Riprova, o prova con un altro browser.';

/** A refusal of browser or device as a failure with a sentence; any other stays as it is. */
export function toldOf(error: unknown, doing: Doing): unknown {
  // A `TypeError` is what a browser throws that does not understand the question.
  if (!(error instanceof DOMException || error instanceof TypeError)) {
    return error;
  }
  return new ToldError(REASONS[doing][error.name] ?? ANYWHERE[error.name] ?? UNKNOWN);
}
