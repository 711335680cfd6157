import { type ReactNode, type Ref, useId } from 'react';
import styles from './card.module.css';

interface CardProps {
  title?: string | undefined;
  aside?: ReactNode;
  /** The title, where an address leads to it. */
  headingRef?: Ref<HTMLHeadingElement>;
  children: ReactNode;
}

/** A part of a page; with a title, screen readers can jump to it. */
export function Card({ title, aside, headingRef, children }: CardProps) {
  const id = useId();
  if (title === undefined) {
    return <div className={styles.card}>{children}</div>;
  }
  return (
    <section className={styles.card} aria-labelledby={id}>
      <div className={styles.head}>
        <h2 className={styles.title} id={id} ref={headingRef} tabIndex={headingRef ? -1 : undefined}>
          {title}
        </h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
