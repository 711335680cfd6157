/** What is to be erased: this report, or all of its person. */
export type Scope = 'report' | 'person';
