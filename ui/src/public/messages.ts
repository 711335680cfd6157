/** What the page says of any fault, word for word (PRODUCT.md §2). */
export const FAILED = 'Si è verificato un errore. Riprova.';
