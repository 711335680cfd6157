/** Sets, changes and takes away one's own reminder. Loaded when it is asked for. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../../shared/api/client';
import { ApiProblem } from '../../shared/api/errors';
import type { ReportDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Field } from '../../shared/ui/field';
import { Stack } from '../../shared/ui/layout';
import { TextInput } from '../../shared/ui/text-input';
import { Failure, useAction } from '../common/action';
import { reportKey } from '../desk/changes';

const WORD_CHARS = 200;

export default function ReminderDialog({ report, onClose }: { report: ReportDetail; onClose: () => void }) {
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
