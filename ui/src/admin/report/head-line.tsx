/** One thing to know at the head of a report, which unfolds into why. */
import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { Stack } from '../../shared/ui/layout';
import styles from './report.module.css';

interface HeadLineProps {
  icon: ReactNode;
  title: string;
  /** What stands behind the title, where there is room. */
  more?: string;
  alarming?: boolean;
  /** What it unfolds into. */
  why?: string;
  /** What is done about it. */
  action?: ReactNode;
  children: ReactNode;
}

export function HeadLine({
  icon,
  title,
  more = '',
  alarming = false,
  why = 'Perché',
  action,
  children,
}: HeadLineProps) {
  return (
    <div className={styles.urgency} data-alarming={alarming || undefined}>
      <details>
        <summary>
          {icon}
          <span title={title + more}>
            <strong>{title}</strong>
            {more ? <span>{more}</span> : null}
          </span>
          <span className={styles.why}>{why}</span>
          <ChevronDown aria-hidden="true" />
        </summary>
        <Stack gap={2}>{children}</Stack>
      </details>
      {action}
    </div>
  );
}
