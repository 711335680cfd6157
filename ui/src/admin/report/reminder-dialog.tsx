import { useState } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { TextField } from '../../shared/ui/text-field';
import { useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import { FormDialog } from '../common/form-dialog';
import { useReminder } from './api';

const WORD_CHARS = 200;

export default function ReminderDialog({ report, onClose }: { report: ReportDetail; onClose: () => void }) {
  const { id, reminder } = report;
  const [day, setDay] = useState(reminder?.day ?? '');
  const [text, setText] = useState(reminder?.text ?? '');
  const { keep, drop } = useReminder(id);
  const action = useAction();
  const wrong = errorsOf(action.failure);
  const run = (work: () => Promise<void>) => void action.run(() => work().then(onClose));
  return (
    <FormDialog
      title="Promemoria"
      of={action}
      failed="Promemoria non salvato"
      label="Salva"
      blocked={day === ''}
      between={
        reminder ? (
          <Button inactive={action.busy} onClick={() => run(drop)}>
            Togli
          </Button>
        ) : null
      }
      onSubmit={() => run(() => keep(day, text))}
      onClose={onClose}
    >
      <TextField
        label="Giorno"
        hint="Quel giorno la trovi in cima a «Le mie». Lo vedi solo tu."
        error={wrong.day}
        type="date"
        max="9998-12-31"
        value={day}
        onValue={setDay}
      />
      <TextField
        label="Che cosa fare"
        error={wrong.text}
        value={text}
        maxLength={WORD_CHARS}
        onValue={setText}
      />
    </FormDialog>
  );
}
