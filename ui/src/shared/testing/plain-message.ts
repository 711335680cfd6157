/** What a message that asks nothing has beside its words. */
export const PLAIN = { id: 1, questions: [], answers: null, consent: null };
