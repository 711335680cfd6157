import { Trash2, UserX } from 'lucide-react';
import { useState } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack } from '../../shared/ui/layout';
import { ErasureDialog } from './erasure-dialog';
import type { Scope } from './erasure-scope';

/** The way to erase a report or all of its person. Nothing happens before the question is answered. */
export function ErasureCard({ report, list }: { report: ReportDetail; list: string }) {
  const [scope, setScope] = useState<Scope | null>(null);
  return (
    <Card title="Cancellazione">
      <Stack>
        <p>Cancella per sempre ciò che è stato scritto. Nessuno potrà recuperarlo.</p>
        <Row>
          <Button variant="danger" icon={<Trash2 aria-hidden="true" />} onClick={() => setScope('report')}>
            Cancella questa segnalazione…
          </Button>
          <Button icon={<UserX aria-hidden="true" />} onClick={() => setScope('person')}>
            Cancella tutte quelle di questa persona…
          </Button>
        </Row>
      </Stack>
      {scope ? (
        <ErasureDialog report={report} scope={scope} list={list} onCancel={() => setScope(null)} />
      ) : null}
    </Card>
  );
}
