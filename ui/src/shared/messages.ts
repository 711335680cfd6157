/** The sentences of the product document that the panel says itself, word for word. Must stay the only copy. */

export const messages = {
  login: {
    submit: 'Accedi al Pannello',
    busy: 'Accesso in corso...',
    failed: 'Errore di autenticazione',
    expired: 'Sessione scaduta per inattività. Effettua nuovamente il login.',
  },
  reports: {
    none: 'Nessuna segnalazione trovata',
    backToList: 'Torna alla lista',
    noText: 'Nessuna segnalazione disponibile',
  },
  network: 'Connessione assente. Controlla la rete e riprova.',
  unexpected: 'Si è verificato un errore. Riprova.',
} as const;
