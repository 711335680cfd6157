/** How far the report has come, and what was promised of it. */
import { useEffect, useRef } from 'react';
import type { Receipt } from '../../shared/api/schema';
import { now } from '../../shared/lib/clock';
import { formatDate, formatDay } from '../../shared/lib/dates';
import styles from './follow.module.css';

const MEANING: Readonly<Record<Receipt['state'], string>> = {
  Ricevuta: 'È arrivata alla redazione.',
  'In lavorazione': 'La redazione ci sta lavorando.',
  Conclusa: 'La redazione ha concluso il suo lavoro.',
};
const STEPS = ['Ricevuta', 'Letta', 'In lavorazione', 'Conclusa'] as const;

export function Progress({ receipt }: { receipt: Receipt }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const { state, opened, firstDue, firstKept, outcomeDue, concludedAt } = receipt;
  const now = state === 'Ricevuta' ? Number(opened) : STEPS.indexOf(state);
  const dates = [receipt.data_creazione, receipt.openedAt, receipt.workingAt, concludedAt];
  const meaning = now === 1 ? 'È arrivata, e qualcuno l’ha letta.' : MEANING[state];
  return (
    <section aria-labelledby="progress">
      <h2 ref={heading} id="progress" tabIndex={-1} className={styles.meaning}>
        {meaning}
      </h2>
      <ol className={styles.steps} aria-label="A che punto è">
        {STEPS.map((name, place) => {
          const date = place <= now && dates[place];
          return (
            <li
              key={name}
              data-reached={place <= now || undefined}
              aria-current={place === now ? 'step' : undefined}
            >
              <strong>{name}</strong>
              {date && <time dateTime={date}>{formatDate(date)}</time>}
              {place > now && <span className="visually-hidden">, non ancora</span>}
            </li>
          );
        })}
      </ol>
      {!receipt.help && (
        <>
          <Promised
            due={firstDue}
            kept={firstKept}
            what="Ti leggiamo"
            done={now > 0 ? 'Ti abbiamo letto' : 'Ti abbiamo scritto'}
          />
          <Promised
            due={outcomeDue}
            kept={concludedAt}
            what="Ti diremo com’è andata"
            done="Abbiamo concluso il lavoro"
          />
        </>
      )}
    </section>
  );
}

interface PromisedProps {
  due: string | null;
  kept: string | null;
  what: string;
  done: string;
}

function Promised({ due, kept, what, done }: PromisedProps) {
  if (due === null) {
    return null;
  }
  const late = new Date(kept ?? now()) > new Date(due);
  return (
    <p>
      <span>
        {kept === null
          ? `${what} entro `
          : `${done} ${late ? 'in ritardo' : 'in tempo'}: l’avevamo promesso entro `}
      </span>
      <time dateTime={due}>{formatDay(due)}</time>
      <span>{kept === null && late ? ': siamo in ritardo.' : '.'}</span>
    </p>
  );
}
