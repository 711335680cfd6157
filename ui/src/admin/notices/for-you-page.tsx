import { CheckCheck } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router-dom';
import type { AgendaReason } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { formatNumber } from '../../shared/lib/text';
import { EmptyState } from '../../shared/ui/empty-state';
import { Loaded } from '../common/loaded';
import { useHeading } from '../common/page';
import { paths } from '../common/paths';
import { useNow } from '../common/use-now';
import { Age, MINUTE_MS } from '../reports/age';
import styles from '../reports/reports.module.css';
import { type Agenda, countOf, useAgenda } from './agenda';

type Entry = Agenda['data'][number];

const REASONS: readonly { why: AgendaReason; label: string; figure: keyof Agenda['counts'] }[] = [
  { why: 'due', label: 'In scadenza', figure: 'due' },
  { why: 'answer', label: 'Risposte', figure: 'answers' },
  { why: 'mention', label: 'Menzioni', figure: 'mentions' },
  { why: 'back', label: 'Tornate', figure: 'back' },
  { why: 'assigned', label: 'Assegnate a te', figure: 'assigned' },
];

function wordsOf({ why, at }: Entry, now: number): string {
  switch (why) {
    case 'due':
      return Date.parse(at) < now
        ? `scaduta il ${formatDate(at)}`
        : `da concludere entro il ${formatDate(at)}`;
    case 'answer':
      return 'messaggio da leggere';
    case 'mention':
      return 'ti hanno nominato in un commento';
    case 'back':
      return `rinviata al ${formatDate(at)}, è tornata`;
    case 'assigned':
      return 'assegnata a te';
  }
}

/** What waits for the person who is logged in, each report once, with all its reasons. */
export function ForYouPage() {
  const agenda = useAgenda();
  const heading = useHeading('Per te');
  return (
    <div className={styles.page} data-flush="">
      <header className={styles.head}>
        <div>
          <h1 tabIndex={-1} ref={heading}>
            Per te
          </h1>
          <p>Quello che aspetta te</p>
        </div>
      </header>
      <Loaded query={agenda} loading="Caricamento…" failed="Non è stato possibile caricare la pagina">
        {(found) =>
          found.data.length > 0 ? (
            <Waiting agenda={found} />
          ) : (
            <EmptyState icon={<CheckCheck />} title="Niente aspetta te">
              <p>
                Qui compaiono le segnalazioni assegnate a te, le risposte da leggere, i commenti che ti
                nominano, le scadenze e quelle che avevi rinviato.
              </p>
            </EmptyState>
          )
        }
      </Loaded>
    </div>
  );
}

function Waiting({ agenda }: { agenda: Agenda }) {
  const { counts, data } = agenda;
  const [only, setOnly] = useState<AgendaReason | null>(null);
  const now = useNow(MINUTE_MS);
  const shown = only && data.some(({ why }) => why === only) ? only : null;
  const ids = new Set(data.filter(({ why }) => !shown || why === shown).map(({ id }) => id));
  const chip = (label: string, n: number, why: AgendaReason | null) =>
    n > 0 ? (
      <button
        key={label}
        type="button"
        className={styles.chip}
        aria-pressed={shown === why}
        data-alarm={why === 'due' || undefined}
        onClick={() => setOnly(why)}
      >
        {label} <b>{formatNumber(n)}</b>
      </button>
    ) : null;
  return (
    <>
      <div className={styles.bar}>
        {/* biome-ignore lint/a11y/useSemanticElements: buttons, of which one is pressed */}
        <div className={styles.chips} role="group" aria-label="Perché" data-line="">
          {chip('Tutte', countOf(agenda), null)}
          {REASONS.map(({ why, label, figure }) => chip(label, counts[figure], why))}
        </div>
      </div>
      <ul>
        {[...ids].map((id) => {
          const entries = data.filter((entry) => entry.id === id);
          return entries[0] ? <Waits key={id} of={entries[0]} entries={entries} now={now} /> : null;
        })}
      </ul>
    </>
  );
}

function Waits({ of: { report }, entries, now }: { of: Entry; entries: readonly Entry[]; now: number }) {
  return (
    <li className={styles.waits}>
      <i className={styles.dot} data-stato={report.stato} />
      <Link className={styles.open ?? ''} to={paths.report(report.id)}>
        {report.nome} {report.cognome}
        <span className="visually-hidden">, {report.stato}</span>
      </Link>
      <span className={styles.reasons}>{entries.map((entry) => wordsOf(entry, now)).join(' · ')}</span>
      <Age instant={report.data_creazione} now={now} />
    </li>
  );
}
