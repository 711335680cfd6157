/**
 * Reports whose last turn could not be saved, kept in this browser until the newsroom has them (PRODUCT.md §3).
 * Must never keep one longer than that, nor one whose person asked to have it deleted.
 */
import { KEPT_REPORT } from '../../shared/lib/slug';
import { keysLike, openStore, readJson, writeJson } from '../../shared/lib/storage';
import type { Answers, Turn } from './conversation';

export type KeptReport = {
  /** Milliseconds since 1970 when it was kept; part of its storage key. */
  id: number;
  name: string;
  surname: string;
  email: string;
  phone: string;
  address: string;
  report: string;
  age: number;
  /** When it was kept, RFC 3339; the same instant as `id`. */
  timestamp: string;
  stato: 'Nuova';
  /** Token and text of the turn to send again. */
  conversation: string;
  text: string;
};

/** A kept report and where it lies: the product may have had another name when it was kept. */
export type Waiting = { key: string; report: KeptReport };

const CLOSING_WORDS = ['no', 'no.', 'niente', 'basta'];

function isKeptReport(value: unknown): value is KeptReport {
  const report = value as KeptReport | undefined;
  return (
    typeof report?.conversation === 'string' &&
    typeof report.text === 'string' &&
    typeof report.report === 'string' &&
    Number.isFinite(report.id)
  );
}

/** The report as the person told it, with the last turn that would have filed it. */
export function toKeptReport(answers: Answers, turn: Turn & { conversation: string }, now: Date): KeptReport {
  const { text, conversation } = turn;
  const added = CLOSING_WORDS.includes(text.toLowerCase()) ? '' : `\n\nINFORMAZIONI AGGIUNTIVE\n${text}`;
  return {
    id: now.getTime(),
    name: answers.collect_name ?? '',
    surname: answers.collect_surname ?? '',
    email: answers.collect_email ?? '',
    phone: answers.collect_phone ?? '',
    address: answers.collect_address ?? '',
    report: `${answers.investigative_questions ?? ''}${added}`,
    age: Number(/\d+/.exec(answers.age_check ?? '')?.[0] ?? 0),
    timestamp: now.toISOString(),
    stato: 'Nuova',
    conversation,
    text,
  };
}

/** The answers a kept report was made of, as far as the page needs them to keep it again. */
export function answersOf(kept: KeptReport): Answers {
  return {
    age_check: String(kept.age),
    collect_name: kept.name,
    collect_surname: kept.surname,
    collect_phone: kept.phone,
    collect_email: kept.email,
    collect_address: kept.address,
    investigative_questions: kept.report.split('\n\nINFORMAZIONI AGGIUNTIVE\n')[0] ?? '',
  };
}

/** `false` when this browser would not keep it. */
export function keep(slug: string, report: KeptReport): boolean {
  return writeJson(openStore('localStorage'), `${slug}_report_${report.id}`, report);
}

export function discard(key: string): void {
  openStore('localStorage')?.removeItem(key);
}

/** All reports waiting in this browser, oldest first. Entries that are no report of ours are left alone. */
export function keptReports(): Waiting[] {
  const store = openStore('localStorage');
  return keysLike(store, KEPT_REPORT)
    .flatMap((key) => {
      const report = readJson(store, key);
      return isKeptReport(report) ? { key, report } : [];
    })
    .sort((a, b) => a.report.id - b.report.id);
}
