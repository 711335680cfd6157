/**
 * Reports that this browser keeps because their last turn could not be saved (PRODUCT.md §3). The chat writes and
 * removes them; the panel only reads. Must never change or remove one, nor write what it holds to the console.
 */
import { useMemo, useSyncExternalStore } from 'react';
import { KEPT_REPORT } from '../../shared/lib/slug';
import { keysLike, openStore, readJson } from '../../shared/lib/storage';
import { isStato, type Stato } from './stato';

export interface LocalReport {
  /** Milliseconds since 1970, as text: never mistaken for an id of the server, which holds hyphens. */
  id: string;
  nome: string;
  cognome: string;
  email: string;
  telefono: string;
  indirizzo: string;
  segnalazione: string;
  eta: number;
  /** When it was kept, RFC 3339. */
  data_creazione: string;
  stato: Stato;
  note: string;
}

/**
 * Whether an id of an address can only be that of a local report: a time in milliseconds. Those of demonstration reports
 * are numbers too, of one digit (PRODUCT.md §2).
 */
export function isLocalId(id: string): boolean {
  return /^\d{12,16}$/.test(id);
}

/** A kept entry as the panel shows it; null when it is none. */
function toLocalReport(entry: unknown): LocalReport | null {
  if (typeof entry !== 'object' || entry === null) {
    return null;
  }
  const { id, age, timestamp, stato, ...rest } = entry as Record<string, unknown>;
  const text = (name: string) => (typeof rest[name] === 'string' ? rest[name] : '');
  const kept = new Date(typeof timestamp === 'string' ? timestamp : Number.NaN);
  const known = typeof rest.report === 'string' && isLocalId(String(id)) && !Number.isNaN(kept.getTime());
  return known
    ? {
        id: String(id),
        nome: text('name'),
        cognome: text('surname'),
        email: text('email'),
        telefono: text('phone'),
        indirizzo: text('address'),
        segnalazione: text('report'),
        eta: Number(age) || 0,
        data_creazione: kept.toISOString(),
        stato: typeof stato === 'string' && isStato(stato) ? stato : 'Nuova',
        note: text('note'),
      }
    : null;
}

/** Keys already complained about: the list is read often. */
const complained = new Set<string>();

function skip(key: string): void {
  if (!complained.has(key)) {
    complained.add(key);
    // biome-ignore lint/suspicious/noConsole: whoever looks for a missing report looks here (PRODUCT.md §3)
    console.warn(`local report skipped, it cannot be read: ${key}`);
  }
}

/** The reports kept under this name of the product or an earlier one, newest first. */
function readLocalReports(): LocalReport[] {
  const store = openStore('localStorage');
  const reports = keysLike(store, KEPT_REPORT).flatMap((key) => {
    const report = toLocalReport(readJson(store, key));
    if (!report) {
      skip(key);
    }
    return report ? [report] : [];
  });
  return reports.sort((one, other) => Number(other.id) - Number(one.id));
}

/** Keys and lengths are enough to notice a change, and cheap to compare. */
function fingerprint(): string {
  const store = openStore('localStorage');
  return keysLike(store, KEPT_REPORT)
    .map((key) => `${key}:${store?.getItem(key)?.length}`)
    .sort()
    .join();
}

/** Other tabs tell of their changes; whoever comes back to this one looks again. */
function subscribe(onChange: () => void): () => void {
  const events = ['storage', 'focus'] as const;
  for (const event of events) {
    window.addEventListener(event, onChange);
  }
  return () => {
    for (const event of events) {
      window.removeEventListener(event, onChange);
    }
  };
}

/** The reports that wait in this browser, kept up to date while they are sent from another tab. */
export function useLocalReports(): readonly LocalReport[] {
  const state = useSyncExternalStore(subscribe, fingerprint);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `state` tells that storage has changed
  return useMemo(() => readLocalReports(), [state]);
}
