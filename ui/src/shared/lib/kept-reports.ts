/** Reports that a browser keeps: the chat writes and removes them, the panel only reads (PRODUCT.md §2). */
import { openStore, readJson } from './storage';

/** By the state that asked for it. */
export type Answers = Partial<Record<string, string>>;

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
  answers: Answers;
  conversation: string;
  text: string;
  /** Ids of the files that go with it; absent where there are none, or what is there goes. */
  attachments?: readonly string[];
  /** The callout that it answers, by its name. */
  callout?: string;
};

/** A kept report and where it lies: the product may have had another name when it was kept. */
export type Waiting = { key: string; report: KeptReport };

type StoredReport = Omit<KeptReport, 'stato'> & Partial<Pick<KeptReport, 'stato'>>;

function isKeptReport(value: unknown): value is StoredReport {
  const report = value as StoredReport | undefined;
  return (
    typeof report?.conversation === 'string' &&
    typeof report.text === 'string' &&
    typeof report.report === 'string' &&
    report.answers instanceof Object &&
    Number.isFinite(report.id)
  );
}

/** All of them under whatever name of the product, oldest first. Entries that are no report of ours are left alone. */
export function keptReports(): Waiting[] {
  const store = openStore('localStorage');
  const keys = Array.from({ length: store?.length ?? 0 }, (_, index) => store?.key(index) ?? '');
  return keys
    .filter((key) => /^[a-z0-9-]+_report_\d+$/.test(key))
    .flatMap((key) => {
      const report = readJson(store, key);
      if (!isKeptReport(report)) {
        // biome-ignore lint/suspicious/noConsole: the place where a missing report is looked for
        console.warn(`local report skipped, it cannot be read: ${key}`);
        return [];
      }
      return [{ key, report: { ...report, stato: report.stato ?? 'Nuova' } }];
    })
    .sort((a, b) => a.report.id - b.report.id);
}
