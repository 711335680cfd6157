import type { ReportDetail } from '../../shared/api/schema';
import { Badge } from '../../shared/ui/badge';
import { ConflictPanel } from '../common/conflict-panel';
import { useDepartments } from '../common/departments';
import { LabelChips } from '../common/labels/labels';
import { usePeople } from '../common/people/people';
import { toneOf } from '../common/stato';
import { type Conflict, useChanges } from '../desk/changes';
import { savedBefore } from './conflict';

/** Two chose differently at once: both choices, and the way on. */
export function ChoiceConflict({ report }: { report: ReportDetail }) {
  const conflict = useChanges().conflict(report.id);
  return conflict ? <Open report={report} conflict={conflict} /> : null;
}

interface OpenProps {
  report: ReportDetail;
  conflict: Conflict;
}

function Open({ report, conflict: { current, mine } }: OpenProps) {
  const { change, settle } = useChanges();
  const { nameOf } = usePeople();
  const departments = useDepartments();
  const rows = [];
  if (mine.stato !== undefined) {
    const badge = (stato: typeof mine.stato) => <Badge tone={toneOf(stato)}>{stato}</Badge>;
    rows.push({ name: 'Stato', saved: badge(current.stato), mine: badge(mine.stato) });
  }
  if (mine.department !== undefined) {
    rows.push({ name: 'Reparto', saved: current.departmentName, mine: departments.nameOf(mine.department) });
  }
  if (mine.labels !== undefined) {
    const chips = (ids: number[]) => (ids.length > 0 ? <LabelChips ids={ids} /> : 'nessuna');
    rows.push({ name: 'Etichette', saved: chips(current.labels), mine: chips(mine.labels) });
  }
  if (mine.assegnataA !== undefined) {
    const name = (id: string | null) => nameOf(id) ?? 'nessuno';
    rows.push({ name: 'Assegnata a', saved: name(current.assegnataA), mine: name(mine.assegnataA) });
  }
  const latest = current.versione > report.versione ? current : report;
  return (
    <ConflictPanel
      {...savedBefore(current)}
      rows={rows}
      onKeep={() => change(latest, mine)}
      onTake={settle}
    />
  );
}
