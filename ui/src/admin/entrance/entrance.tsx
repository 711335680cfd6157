import type { ReactNode } from 'react';
import { Page } from '../common/page';
import { Brand } from '../shell/brand';
import styles from './entrance.module.css';

interface EntranceProps {
  title: string;
  subtitle?: string | undefined;
  children: ReactNode;
}

export function Entrance({ title, subtitle, children }: EntranceProps) {
  return (
    <div className={styles.backdrop}>
      <main className={styles.card}>
        <div className={styles.brand}>
          <Brand />
        </div>
        <Page title={title} subtitle={subtitle}>
          {children}
        </Page>
      </main>
    </div>
  );
}
