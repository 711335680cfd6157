import type { ReactNode } from 'react';
import type { BadgeTone } from '../../shared/ui/badge';
import { Text } from '../../shared/ui/layout';
import styles from './analytics.module.css';

interface BarProps {
  name: ReactNode;
  figure: ReactNode;
  parts: readonly { percent: number; tone: BadgeTone }[];
  children?: ReactNode;
}

/** A bar with its number and share; the words say all that the bar does. */
export function Bar({ name, figure, parts, children }: BarProps) {
  return (
    <li className={styles.bar}>
      <span className={styles.name}>{name}</span>
      <Text as="span" digits>
        {figure}
      </Text>
      <span className={styles.track} aria-hidden="true">
        {parts.map(({ percent, tone }) => (
          <span
            key={tone}
            className={styles.fill}
            data-tone={tone}
            style={{ inlineSize: `${Math.min(100, percent)}%` }}
          />
        ))}
      </span>
      {children}
    </li>
  );
}
