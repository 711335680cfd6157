import type { ReactNode } from 'react';
import styles from './facts.module.css';

interface FactsProps {
  /** `narrow`: short values, as figures are. `lined`: a line each, the value on the right. */
  layout?: 'narrow' | 'lined';
  large?: boolean;
  label?: string;
  children: ReactNode;
}

export function Facts({ layout, large = false, label, children }: FactsProps) {
  return (
    <dl
      className={styles.facts}
      aria-label={label}
      data-large={large || undefined}
      data-narrow={layout === 'narrow' || undefined}
      data-lined={layout === 'lined' || undefined}
    >
      {children}
    </dl>
  );
}

interface FactProps {
  name: ReactNode;
  wide?: boolean;
  children: ReactNode;
}

export function Fact({ name, wide = false, children }: FactProps) {
  return (
    <div className={styles.fact} data-wide={wide || undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
