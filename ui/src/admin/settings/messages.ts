/** The sentences of the product document about the settings, word for word. Must stay apart from the login page's. */

export const messages = {
  email: {
    title: 'Configurazione Email',
    saved: 'Impostazioni email salvate con successo!',
    testFailed: 'Errore durante il test email',
    noConnection: 'Errore di connessione',
    failedTestQuestion:
      'Il test email è fallito. Vuoi salvare comunque le impostazioni? Le email potrebbero non funzionare correttamente.',
  },
  security: {
    title: 'Configurazione Sicurezza',
    saved: 'Impostazioni di sicurezza salvate con successo!',
  },
  system: {
    title: 'Configurazione Sistema',
    saved: 'Impostazioni di sistema salvate con successo!',
  },
  saveFailed: 'Errore nel salvataggio delle impostazioni',
  logs: {
    clear: 'Pulisci Tutti i Log',
    question: 'Sei sicuro di voler pulire tutti i log? Questa azione non può essere annullata.',
    cleared: 'Log sistema puliti con successo!',
    failed: 'Errore durante la pulizia dei log',
  },
  logo: {
    saved: 'Logo salvato.',
    removed: 'Logo rimosso.',
    failed: 'Logo non modificato',
    heavy: 'Il logo è troppo pesante: al massimo 512 KB.',
  },
  webhook: {
    unsigned: 'Le chiamate non sono più firmate.',
    keyFailed: 'Chiave di firma non modificata',
    testFailed: 'Errore durante il test webhook',
  },
  memory: {
    notLoaded: 'Non è stato possibile caricare quello che lo smistamento ricorda',
    question:
      'Lo smistamento dimentica tutti gli spostamenti e torna a decidere solo con l’analisi del contenuto. Le segnalazioni restano dove sono. Questa azione non può essere annullata.',
    forgotten: 'Spostamenti dimenticati.',
    failed: 'Gli spostamenti non sono stati dimenticati',
  },
  backup: {
    done: 'Backup creato e scaricato con successo!',
    failed: 'Errore durante la creazione del backup',
  },
  reset: {
    question:
      'Sei sicuro di voler ripristinare tutte le impostazioni ai valori predefiniti? Questa azione non può essere annullata.',
    done: 'Impostazioni ripristinate ai valori predefiniti!',
    failed: 'Errore durante il ripristino delle impostazioni',
  },
} as const;
