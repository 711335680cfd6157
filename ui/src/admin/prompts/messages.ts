/** The sentences of the product document about the phrases, word for word. Must stay apart from the login page's. */

export const messages = {
  title: 'Configurazione Prompt',
  saved: 'Configurazione salvata con successo!',
  saveFailed: 'Errore nel salvataggio della configurazione',
  reset: 'Reset Default',
  resetQuestion: 'Sei sicuro di voler ripristinare tutti i prompt ai valori predefiniti?',
  resetDone: 'Configurazione ripristinata ai valori predefiniti',
} as const;
