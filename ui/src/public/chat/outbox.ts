/** Must never keep a report longer than until the newsroom has it, nor one that was deleted (PRODUCT.md §2). */
import type { Answers, KeptReport } from '../../shared/lib/kept-reports';
import { openStore, writeJson } from '../../shared/lib/storage';
import type { Turn } from './conversation';
import { keptKey } from './memory';

/** The commonest; which words close is the server's to say. */
const CLOSING = /^(no|niente|nulla|basta)( grazie)?[.!]?$/i;

/** The name of a callout and the answers to its own questions. */
export type Own = { callout: string; told: readonly string[] };

export function toKeptReport(
  answers: Answers,
  turn: Turn & { conversation: string },
  now: Date,
  own?: Own,
): KeptReport {
  const { text, conversation } = turn;
  const added = CLOSING.test(text) ? '' : `\n\nINFORMAZIONI AGGIUNTIVE\n${text}`;
  return {
    id: now.getTime(),
    name: answers.collect_name ?? '',
    surname: answers.collect_surname ?? '',
    email: answers.collect_email ?? '',
    phone: answers.collect_phone ?? '',
    address: answers.collect_address ?? '',
    report: [...(own?.told ?? []), `${answers.investigative_questions ?? ''}${added}`].join('\n\n'),
    age: Number(/\d+/.exec(answers.age_check ?? '')?.[0] ?? 0),
    timestamp: now.toISOString(),
    stato: 'Nuova',
    answers,
    conversation,
    text,
    ...(own && { callout: own.callout }),
  };
}

/** `false` when this browser would not keep it. */
export function keepAt(key: string, report: KeptReport): boolean {
  return writeJson(openStore('localStorage'), key, report);
}

export function keep(slug: string, report: KeptReport): boolean {
  return keepAt(keptKey(slug, report.id), report);
}

export function discard(key: string): void {
  openStore('localStorage')?.removeItem(key);
}
