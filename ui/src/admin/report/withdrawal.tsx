import type { ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { useRights } from '../session/session-context';
import { useMessages } from './api';
import { EraseReport } from './cards';
import { goToMessages } from './messages-card';

/** The reporter asks that all be withdrawn: why, by when, and the two ways on. */
export function WithdrawalNotice({ report, list }: { report: ReportDetail; list: string }) {
  const { administers, edits } = useRights();
  const { data } = useMessages(report.id);
  const { withdrawal: asked } = report;
  if (!asked) {
    return null;
  }
  const reason = data?.data.find(({ from, at }) => from === 'segnalante' && at === asked.at);
  return (
    <Message
      kind="warning"
      title={`Chi ha segnalato chiede di ritirare tutto, entro il ${formatDateTime(asked.due)}`}
      actions={
        <>
          {administers ? <EraseReport report={report} list={list} /> : null}
          {edits && data?.receipt ? <Button onClick={goToMessages}>Rispondi perché no</Button> : null}
        </>
      }
    >
      {reason ? <Text kept>«{reason.text}»</Text> : <p>Non ha scritto il motivo.</p>}
    </Message>
  );
}
