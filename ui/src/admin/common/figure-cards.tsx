import type { ReactNode } from 'react';
import { Link } from 'react-router-dom';
import { Text } from '../../shared/ui/layout';
import styles from './figure-cards.module.css';
import { paths } from './paths';
import { type Stato, toneOf } from './stato';

interface FigureCardsProps {
  label?: string;
  /** The figures have words below them, which need more room. */
  wordy?: boolean;
  children: ReactNode;
}

export function FigureCards({ label, wordy = false, children }: FigureCardsProps) {
  return (
    <ul className={styles.cards} data-wordy={wordy || undefined} aria-label={label}>
      {children}
    </ul>
  );
}

interface FigureCardProps {
  name: string;
  figure: ReactNode;
  /** The state that is counted; null counts all. */
  stato: Stato | null;
  query: string;
  children?: ReactNode;
}

export function FigureCard({ name, figure, stato, query, children }: FigureCardProps) {
  return (
    <li>
      <Link
        className={styles.card ?? ''}
        data-tone={stato ? toneOf(stato) : undefined}
        to={paths.reports + query}
      >
        <Text as="span" tone="muted" small strong className={styles.name}>
          {name}
        </Text>
        <span className={styles.figure}>{figure}</span>
        {children}
      </Link>
    </li>
  );
}
