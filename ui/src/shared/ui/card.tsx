import { type ReactNode, useId } from 'react';
import styles from './card.module.css';

interface CardProps {
  title?: string;
  aside?: ReactNode;
  flush?: boolean;
  children: ReactNode;
}

/** A part of a page; with a title, screen readers can jump to it. */
export function Card({ title, aside, flush = false, children }: CardProps) {
  const id = useId();
  if (title === undefined) {
    return (
      <div className={styles.card} data-flush={flush || undefined}>
        {children}
      </div>
    );
  }
  return (
    <section className={styles.card} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 className={styles.title} id={id}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
