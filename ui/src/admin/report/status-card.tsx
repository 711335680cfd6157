import type { FormEvent, Ref } from 'react';
import { useController } from 'react-hook-form';
import { messages } from '../../shared/messages';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Field } from '../../shared/ui/field';
import { Stack } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { type Option, Select } from '../../shared/ui/select';
import { Spinner } from '../../shared/ui/spinner';
import { TextArea } from '../../shared/ui/text-area';
import { Failure, News } from '../common/action-news';
import { DESKS, type Desk } from '../common/departments';
import { RecoveredNotice } from '../common/forms/save-bar';
import { STATI, type Stato } from '../common/stato';
import { ConflictPanel } from './conflict-panel';
import type { ReportForm } from './use-report-form';

const OPTIONS: readonly Option<Stato>[] = STATI.map((stato) => ({ value: stato, label: stato }));

const DESK_OPTIONS: readonly Option<Desk>[] = DESKS.map(({ key, name }) => ({ value: key, label: name }));

interface StatusCardProps {
  form: ReportForm;
  noteBox: Ref<HTMLTextAreaElement>;
}

/** Status, department and internal notes. Errors show here, where the save was pressed. */
export function StatusCard({ form: report, noteBox }: StatusCardProps) {
  const { form, dirty, busy, conflict } = report;
  const { control, formState } = form;
  const stato = useController({ control, name: 'stato' }).field;
  const department = useController({ control, name: 'department' }).field;
  const note = useController({ control, name: 'note' }).field;
  const { errors } = formState;
  return (
    <Card title="Gestione Stato">
      <Stack
        as="form"
        gap={4}
        aria-label="Gestione Stato"
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          report.save();
        }}
      >
        <Notices form={report} />
        <Field label="Stato" error={errors.stato?.message}>
          {(of) => <Select {...of} value={stato.value} options={OPTIONS} onValue={stato.onChange} />}
        </Field>
        <Field label="Reparto" error={errors.department?.message}>
          {(of) => (
            <Select {...of} value={department.value} options={DESK_OPTIONS} onValue={department.onChange} />
          )}
        </Field>
        <Field label="Note Interne" error={errors.note?.message}>
          {(of) => (
            <TextArea
              {...of}
              ref={noteBox}
              aria-keyshortcuts="n"
              value={note.value}
              placeholder={messages.reports.notesPlaceholder}
              onChange={note.onChange}
            />
          )}
        </Field>
        <Failure of={report} title="Modifiche non salvate" />
        {conflict ? (
          <ConflictPanel
            current={conflict}
            typed={form.getValues()}
            busy={busy}
            onKeepMine={report.keepMine}
            onUseSaved={report.takeSaved}
          />
        ) : null}
        <Button
          type="submit"
          variant="primary"
          aria-keyshortcuts="Control+Enter"
          inactive={!dirty || busy || conflict !== null}
          icon={busy ? <Spinner /> : undefined}
        >
          {busy ? messages.reports.saving : messages.reports.save}
        </Button>
        <News of={report} />
      </Stack>
    </Card>
  );
}

function Notices({ form }: { form: ReportForm }) {
  return (
    <>
      <RecoveredNotice form={form} />
      {form.overtaken ? (
        <div role="status">
          <Message kind="warning">
            <p>
              Un’altra persona ha appena modificato questa segnalazione. Il tuo testo resta qui: al
              salvataggio potrai confrontare le due versioni.
            </p>
          </Message>
        </div>
      ) : null}
      {form.discarded ? (
        <Message
          kind="info"
          onDismiss={form.forgetDiscarded}
          actions={<Button onClick={form.bringBack}>Ripristina le mie modifiche</Button>}
        >
          <p>Ora vedi la versione salvata.</p>
        </Message>
      ) : null}
    </>
  );
}
