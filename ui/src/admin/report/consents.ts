/** The words in which a consent is asked unless others are written, and how the consents of a report stand (PRODUCT.md §19). */
import type { ConsentKind, ReportDetail } from '../../shared/api/schema';
import { CONSENT_KINDS } from '../common/consents';

const BACK =
  'Decidi tu. Puoi cambiare idea in ogni momento, dalla stessa pagina in cui leggi questo messaggio: da allora non lo facciamo più.';

const AIRED = 'Quello che a quel punto è già andato in onda o in rete, però, non possiamo farlo sparire.';

export const CONSENT_TEXTS: Readonly<Record<ConsentKind, string>> = {
  ricontatto: `Possiamo chiamarti o scriverti ai recapiti che ci hai lasciato? Li usiamo solo noi, solo per parlare di questa segnalazione, e non li diamo a nessuno.\n\n${BACK}`,
  nome: `Possiamo fare il tuo nome quando raccontiamo questa storia? Vuol dire che chi ci guarda o ci legge saprà che a parlare sei tu. Se dici di no, ti chiamiamo in un altro modo.\n\n${BACK} ${AIRED}`,
  voce: `Possiamo far sentire la tua voce, registrata da noi o in ciò che ci hai mandato? Vuol dire che chi ti conosce può riconoscerti. Se dici di no, la facciamo dire a un’altra persona o non la usiamo.\n\n${BACK} ${AIRED}`,
  volto: `Possiamo far vedere il tuo volto, in video o in fotografia? Vuol dire che chiunque può riconoscerti. Se dici di no, ti riprendiamo senza che si veda, o non ti riprendiamo.\n\n${BACK} ${AIRED}`,
  documenti: `Possiamo pubblicare i documenti che ci hai mandato? Vuol dire che chiunque può leggerli, e che chi li conosce può capire da chi vengono. Se dici di no, li leggiamo solo noi.\n\n${BACK} ${AIRED}`,
};

export interface Standing {
  kind: ConsentKind;
  /** `sì`, `no`, `ritirato` or `chiesto`. */
  word: string;
  /** When it was decided; null while it is not. */
  at: string | null;
  /** The words in which it was asked. */
  text: string;
  asked: string;
}

/** How the consents of a report stand: of each kind the last that was decided, else the last that was asked. */
export function standingsOf({ consents }: Pick<ReportDetail, 'consents'>): Standing[] {
  return CONSENT_KINDS.flatMap((kind) => {
    const asked = consents.filter((one) => one.kind === kind);
    const last = asked.findLast(({ given }) => given !== null) ?? asked.at(-1);
    if (!last) {
      return [];
    }
    const refused = last.givenAt ? 'ritirato' : 'no';
    const word = last.given === null ? 'chiesto' : last.given ? 'sì' : refused;
    return [{ kind, word, at: last.answered, text: last.text, asked: last.asked }];
  });
}
