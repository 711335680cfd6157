/** One's own reminder of a report: a day, and a word of what is to be done. */
import { useQueryClient } from '@tanstack/react-query';
import { AlarmClock } from 'lucide-react';
import { call } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { Message } from '../../shared/ui/message';
import { Failure, Send, useAction } from '../common/action';
import { dayText } from '../common/day';
import { Opener } from '../common/opener';
import { reportKey } from '../desk/changes';
import { useRights } from '../session/session-context';

const load = () => import('./reminder-dialog');

/** What one wanted to be reminded of. Whoever may only read by now can still take it away. */
export function ReminderNotice({ report }: { report: ReportDetail }) {
  const { edits } = useRights();
  const client = useQueryClient();
  const action = useAction();
  const { id, reminder } = report;
  const drop = async () => {
    await call('delete', '/reports/{id}/reminder', { path: { id } });
    await client.invalidateQueries({ queryKey: reportKey(id) });
  };
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

/** The way to a new one. */
export function ReminderButton({ report }: { report: ReportDetail }) {
  return report.reminder ? null : (
    <Opener load={load} props={{ report }} variant="quiet" icon={<AlarmClock aria-hidden="true" />}>
      Promemoria
    </Opener>
  );
}
