import type { ReportDetail } from '../../shared/api/schema';
import { Card } from '../../shared/ui/card';
import { Verdict } from '../common/routing/verdict';

/** Which desk the report is on, and why. It is moved in the form beside. */
export function DepartmentCard({ report }: { report: ReportDetail }) {
  return (
    <Card title="Reparto">
      <Verdict verdict={{ ...report, reason: report.routingReason }} />
    </Card>
  );
}
