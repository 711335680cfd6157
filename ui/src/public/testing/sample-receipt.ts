/** A report as its reporter follows it, for tests. Must never hold a real person's data. */
import type { Receipt } from '../../shared/api/schema';

export function sampleReceipt(changes: Partial<Receipt> = {}): Receipt {
  return {
    opened: false,
    state: 'Ricevuta',
    data_creazione: '2026-03-10T09:00:00Z',
    openedAt: null,
    workingAt: null,
    concludedAt: null,
    firstDue: null,
    firstKept: null,
    outcomeDue: null,
    withdrawal: null,
    withdrawalAnswered: null,
    messages: [],
    attachments: [],
    conversation: 't1',
    help: null,
    secondsLeft: 1800,
    ...changes,
  };
}
