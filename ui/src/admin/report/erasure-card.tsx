import { Trash2, UserX } from 'lucide-react';
import { useState } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import styles from './erasure-card.module.css';
import { ErasureDialog } from './erasure-dialog';

/** What is to be erased: this report, or all of its person. */
export type Scope = 'report' | 'person';

/** The way to erase a report or all of its person. Nothing happens before the question is answered. */
export function ErasureCard({ report, list }: { report: ReportDetail; list: string }) {
  const [scope, setScope] = useState<Scope | null>(null);
  return (
    <Card title="Cancellazione">
      <div className={styles.card}>
        <p>Cancella per sempre ciò che è stato scritto. Nessuno potrà recuperarlo.</p>
        <div className={styles.buttons}>
          <Button variant="danger" icon={<Trash2 aria-hidden="true" />} onClick={() => setScope('report')}>
            Cancella questa segnalazione…
          </Button>
          <Button icon={<UserX aria-hidden="true" />} onClick={() => setScope('person')}>
            Cancella tutte quelle di questa persona…
          </Button>
        </div>
      </div>
      {scope ? (
        <ErasureDialog report={report} scope={scope} list={list} onCancel={() => setScope(null)} />
      ) : null}
    </Card>
  );
}
