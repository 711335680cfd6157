import { ChevronRight } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import styles from './fold.module.css';

interface FoldProps {
  title: string;
  /** What can be known of it without opening it. */
  note?: string;
  /** Somebody has to act: it begins open. */
  alarming?: boolean;
  children: ReactNode;
}

/** A part of a page that is rarely needed, folded away below its title. */
export function Fold({ title, note, alarming = false, children }: FoldProps) {
  const id = useId();
  return (
    <section aria-labelledby={id}>
      <details className={styles.fold} open={alarming}>
        <summary>
          <ChevronRight aria-hidden="true" />
          <h2 id={id}>{title}</h2>
          {note ? <span data-alarming={alarming || undefined}>{note}</span> : null}
        </summary>
        <div>{children}</div>
      </details>
    </section>
  );
}
