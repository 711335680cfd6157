/** Which data a report must have, as the set-up and the settings ask it: each with what it costs. */
import type { Security } from '../../shared/api/schema';

export const CONTACT_RULES = {
  phoneRequired: {
    label: 'Telefono obbligatorio',
    hint: 'Se è obbligatorio, chi non ha un numero da dare non può segnalare. Altrimenti, a chi non lo lascia si risponde per email o con il codice.',
  },
  acceptOtherPhones: {
    label: 'Accetta anche telefoni fissi ed esteri',
    hint: 'Altrimenti chi ha solo un fisso o un numero estero non può segnalare. Se li accetti, adatta le frasi di «Raccolta Telefono», che chiedono un cellulare.',
  },
  emailRequired: {
    label: 'Email obbligatoria',
    hint: 'Se è obbligatoria, chi non ne ha una non può segnalare. Altrimenti, chi non la lascia non riceve l’avviso di una risposta.',
  },
  addressRequired: {
    label: 'Indirizzo obbligatorio',
    hint: 'Se è obbligatorio, chi ha paura di dire dove abita rinuncia. Altrimenti, non sempre saprai da dove scrive.',
  },
} as const satisfies Partial<Record<keyof Security, { label: string; hint: string }>>;

export type ContactRule = keyof typeof CONTACT_RULES;
export type ContactRules = Pick<Security, ContactRule>;
