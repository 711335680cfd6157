import type { ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Badge } from '../../shared/ui/badge';
import { Card } from '../../shared/ui/card';
import { CopyButton } from '../common/copy-button';
import { toneOf } from '../common/stato';
import { Fact, Facts } from './facts';
import styles from './info-card.module.css';

export function InfoCard({ report }: { report: ReportDetail }) {
  return (
    <Card title="Informazioni">
      <Facts>
        <Fact name="Data Ricezione">
          <time dateTime={report.data_creazione}>{formatDateTime(report.data_creazione)}</time>
        </Fact>
        <Fact name="Stato Attuale">
          <Badge tone={toneOf(report.stato)}>{report.stato}</Badge>
        </Fact>
        <Fact name="ID Segnalazione" wide>
          <span className={styles.id}>{report.id}</span>
        </Fact>
      </Facts>
      <div className={styles.copy}>
        <CopyButton text={report.id} label="Copia ID" />
      </div>
    </Card>
  );
}
