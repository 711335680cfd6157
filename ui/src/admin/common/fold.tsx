import { ChevronRight } from 'lucide-react';
import { type ReactNode, type SyntheticEvent, useEffect, useId, useState } from 'react';
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
  const unfolded = useUnfolded(alarming);
  return (
    <section aria-labelledby={id}>
      <details className={styles.fold} {...unfolded}>
        <summary>
          <ChevronRight />
          <h2 id={id}>{title}</h2>
          {note ? <span data-alarming={alarming || undefined}>{note}</span> : null}
        </summary>
        <div>{children}</div>
      </details>
    </section>
  );
}

/** Opens `details` as soon as something has to be done; only a click closes it. */
export function useUnfolded(alarming: boolean) {
  const [opened, setOpened] = useState(alarming);
  useEffect(() => setOpened((before) => before || alarming), [alarming]);
  return {
    open: opened || alarming,
    onToggle: (event: SyntheticEvent<HTMLDetailsElement>) => setOpened(event.currentTarget.open),
  };
}
