import { AlarmClock } from 'lucide-react';
import type { ReportDetail } from '../../shared/api/schema';
import { Message } from '../../shared/ui/message';
import { Failure, Send, useAction } from '../common/action';
import { dayText } from '../common/day';
import { Opener } from '../common/opener';
import { useRights } from '../session/session-context';
import { useReminder } from './api';

const load = () => import('./reminder-dialog');

/** What one wanted to be reminded of. A reader can still take it away. */
export function ReminderNotice({ report }: { report: ReportDetail }) {
  const { edits } = useRights();
  const action = useAction();
  const { id, reminder } = report;
  const { drop } = useReminder(id);
  return reminder ? (
    <Message
      kind="info"
      title={`Promemoria per il ${dayText(reminder.day)}`}
      actions={
        edits ? (
          <Opener load={load} props={{ report }}>
            Cambia o togli
          </Opener>
        ) : (
          <Send busy={action.busy} onClick={() => void action.run(drop)}>
            Togli
          </Send>
        )
      }
    >
      <Failure of={action} title="Promemoria non tolto" />
      {reminder.text ? <p>{reminder.text}</p> : null}
    </Message>
  ) : null;
}

export function ReminderButton({ report }: { report: ReportDetail }) {
  return report.reminder ? null : (
    <Opener load={load} props={{ report }} variant="quiet" icon={<AlarmClock />}>
      Promemoria
    </Opener>
  );
}
