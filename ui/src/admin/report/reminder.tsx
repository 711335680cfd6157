/** One's own reminder of a report: a day, and a word of what is to be done. */
import { AlarmClock } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { dayText } from '../common/day';

const ReminderDialog = lazy(() => import('./reminder-dialog'));

/** What one wanted to be reminded of. */
export function ReminderNotice({ report }: { report: ReportDetail }) {
  const [open, setOpen] = useState(false);
  const { reminder } = report;
  return reminder ? (
    <Message
      kind="info"
      title={`Promemoria per il ${dayText(reminder.day)}`}
      actions={<Button onClick={() => setOpen(true)}>Cambia o togli</Button>}
    >
      {reminder.text ? <p>{reminder.text}</p> : null}
      {open ? (
        <Suspense>
          <ReminderDialog report={report} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </Message>
  ) : null;
}

/** The way to a new one. */
export function ReminderButton({ report }: { report: ReportDetail }) {
  const [open, setOpen] = useState(false);
  return report.reminder ? null : (
    <>
      <Button variant="quiet" icon={<AlarmClock aria-hidden="true" />} onClick={() => setOpen(true)}>
        Promemoria
      </Button>
      {open ? (
        <Suspense>
          <ReminderDialog report={report} onClose={() => setOpen(false)} />
        </Suspense>
      ) : null}
    </>
  );
}
