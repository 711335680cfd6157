import { useRef, useState } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { now } from '../../shared/lib/clock';
import { DAY_MS, dayOf } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Form } from '../../shared/ui/form';
import { Row, Stack } from '../../shared/ui/layout';
import { TextField } from '../../shared/ui/text-field';
import { Failure, Send, useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import { isSnoozed, morningOf, snoozes } from '../common/snooze';
import { useSnooze } from './api';

/** Puts a report off for everybody: it leaves the list until then. */
export default function SnoozeDialog({ report, onClose }: { report: ReportDetail; onClose: () => void }) {
  const { id, snooze } = report;
  const [word, setWord] = useState(snooze?.word ?? '');
  const [day, setDay] = useState('');
  const first = useRef<HTMLButtonElement>(null);
  const { keep, drop } = useSnooze(id);
  const action = useAction();
  const wrong = errorsOf(action.failure);
  const run = (work: () => Promise<void>) => void action.run(() => work().then(onClose));
  const until = (moment: string) => run(() => keep(moment, word));
  return (
    <Dialog
      open
      title="Rinvia"
      onCancel={onClose}
      initialFocus={first}
      actions={
        <>
          {isSnoozed(report) ? (
            <Button inactive={action.busy} onClick={() => run(drop)}>
              Rimettila nell’elenco
            </Button>
          ) : null}
          <Button onClick={onClose}>Annulla</Button>
        </>
      }
    >
      <Stack gap={4}>
        <p>Esce dall’elenco per tutti fino a quel momento, o finché chi ha segnalato scrive.</p>
        <Failure of={action} title="Segnalazione non rinviata" />
        <TextField label="Perché (facoltativo)" error={wrong.word} value={word} onValue={setWord} />
        <Row>
          {snoozes().map(({ label, until: moment }, place) => (
            <Button
              key={label}
              ref={place === 0 ? first : undefined}
              inactive={action.busy}
              onClick={() => until(moment)}
            >
              {label}
            </Button>
          ))}
        </Row>
        <Form label="Un altro giorno" gap={2} onSubmit={() => day && until(morningOf(day))}>
          <TextField
            label="Un altro giorno"
            error={wrong.until}
            type="date"
            min={dayOf(now() + DAY_MS)}
            max="9998-12-31"
            value={day}
            onValue={setDay}
          />
          <Row>
            <Send busy={action.busy} blocked={day === ''}>
              Rinvia
            </Send>
          </Row>
        </Form>
      </Stack>
    </Dialog>
  );
}
