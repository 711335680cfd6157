import { ChevronRight } from 'lucide-react';
import { type ReactNode, useEffect, useId, useState } from 'react';
import styles from './fold.module.css';

interface FoldProps {
  title: string;
  note?: string;
  /** Something has to be done: it opens. */
  alarming?: boolean;
  children: ReactNode;
}

export function Fold({ title, note, alarming = false, children }: FoldProps) {
  const id = useId();
  const summary = (
    <>
      <h2 id={id}>{title}</h2>
      {note ? <span data-alarming={alarming || undefined}>{note}</span> : null}
    </>
  );
  return (
    <section className={styles.part} aria-labelledby={id}>
      <Details summary={summary} alarming={alarming}>
        {children}
      </Details>
    </section>
  );
}

interface DetailsProps {
  summary: ReactNode;
  alarming?: boolean;
  /** What is in it is drawn, and asked for, only while it is open. */
  late?: boolean;
  children: ReactNode;
}

/** What unfolds at a press, with one arrow throughout the panel. It opens as soon as something has to be done; only a click closes it. */
export function Details({ summary, alarming = false, late = false, children }: DetailsProps) {
  const [opened, setOpened] = useState(alarming);
  useEffect(() => setOpened((before) => before || alarming), [alarming]);
  return (
    <details
      className={styles.fold}
      open={opened || alarming}
      onToggle={(event) => setOpened(event.currentTarget.open)}
    >
      <summary>
        <ChevronRight />
        {summary}
      </summary>
      <div>{late && !opened ? null : children}</div>
    </details>
  );
}
