/**
 * The sentences of the product document that the public page says itself, word for word. Must stay apart from the
 * panel's, which a visitor has no business downloading.
 */

export const messages = {
  subtitle: 'Chatbot investigativo',
  placeholder: 'Scrivi la tua risposta...',
  failed: 'Si è verificato un errore. Riprova.',
  closed: 'Conversazione completata. Grazie per la tua segnalazione.',
  ended: 'Conversazione terminata. In questo browser non resta nulla di ciò che hai scritto.',
  kept: 'La tua segnalazione è conservata in questo browser e partirà da sola appena possibile.',
  alreadyReceived: 'La redazione ha già ricevuto questa segnalazione.',
} as const;
