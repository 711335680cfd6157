import type { CSSProperties, ReactNode } from 'react';
import styles from './badge.module.css';

export type BadgeTone = 'blue' | 'yellow' | 'green' | 'grey' | 'red';

interface BadgeProps {
  tone?: BadgeTone;
  /** A colour of its own in front of a mark. */
  dot?: string;
  children: ReactNode;
}

export function Badge({ tone, dot, children }: BadgeProps) {
  const look = dot === undefined ? {} : { style: { '--tone-dot': dot } as CSSProperties };
  return (
    <span {...look} className={styles.badge} data-tone={tone} data-dot={dot && ''}>
      {children}
    </span>
  );
}
