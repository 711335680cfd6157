/** One's own reminder of a report: a day, and a word of what is to be done. */
import { useQueryClient } from '@tanstack/react-query';
import { AlarmClock } from 'lucide-react';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import type { ReportDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Field } from '../../shared/ui/field';
import { Stack } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { TextInput } from '../../shared/ui/text-input';
import { Failure, useAction } from '../common/action';
import { dayText } from '../common/day';
import { reportKey } from '../desk/changes';

const WORD_CHARS = 200;

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
      {open ? <ReminderDialog report={report} onClose={() => setOpen(false)} /> : null}
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
      {open ? <ReminderDialog report={report} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

function ReminderDialog({ report, onClose }: { report: ReportDetail; onClose: () => void }) {
  const { id, reminder } = report;
  const [day, setDay] = useState(reminder?.day ?? '');
  const [text, setText] = useState(reminder?.text ?? '');
  const client = useQueryClient();
  const action = useAction();
  const form = useId();
  const wrong = action.failure instanceof ApiProblem ? action.failure.errors : {};
  const run = async (work: () => Promise<unknown>) => {
    const done = await action.run(async () => {
      await work();
      void client.invalidateQueries({ queryKey: ['/reminders'] });
      await client.invalidateQueries({ queryKey: reportKey(id) });
      return null;
    });
    if (done) {
      onClose();
    }
  };
  const path = { id };
  const keep = () => run(() => call('put', '/reports/{id}/reminder', { path, body: { day, text } }));
  const drop = () => run(() => call('delete', '/reports/{id}/reminder', { path }));
  return (
    <Dialog
      open
      title="Promemoria"
      onCancel={onClose}
      actions={
        <>
          <Button onClick={onClose}>Annulla</Button>
          {reminder ? (
            <Button inactive={action.busy} onClick={() => void drop()}>
              Togli
            </Button>
          ) : null}
          <Button variant="primary" type="submit" form={form} inactive={action.busy || day === ''}>
            Salva
          </Button>
        </>
      }
    >
      <Stack
        as="form"
        id={form}
        gap={4}
        noValidate
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void keep();
        }}
      >
        {wrong.day || wrong.text ? null : <Failure of={action} title="Promemoria non salvato" />}
        <Field
          label="Giorno"
          hint="Quel giorno la trovi in cima a «Le mie». Lo vedi solo tu."
          error={wrong.day}
        >
          {(of) => (
            <TextInput
              {...of}
              type="date"
              max="9998-12-31"
              value={day}
              onChange={(event) => setDay(event.target.value)}
            />
          )}
        </Field>
        <Field label="Che cosa fare" error={wrong.text}>
          {(of) => (
            <TextInput
              {...of}
              value={text}
              maxLength={WORD_CHARS}
              autoComplete="off"
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
      </Stack>
    </Dialog>
  );
}
