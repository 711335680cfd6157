/** What a reporter may consent to (PRODUCT.md §19). */
import type { ConsentKind } from '../../shared/api/schema';

export const CONSENTS: Readonly<Record<ConsentKind, string>> = {
  ricontatto: 'Ricontatto',
  nome: 'Nome',
  voce: 'Voce',
  volto: 'Volto',
  documenti: 'Documenti',
};

export const CONSENT_KINDS = Object.keys(CONSENTS) as ConsentKind[];
