/** The messages of the page for every fault, word for word (PRODUCT.md §2). */
export const FAILED = 'Si è verificato un errore. Riprova.';
/** Where this device has no line; the answer is sent by itself once it is back. */
export const OFFLINE = 'Sei senza rete: la risposta resta qui e parte da sola quando torna.';
