/** The newsroom's note. It is typed at length, so it has a save of its own; what is typed is never lost. */
import type { Ref } from 'react';
import { useController } from 'react-hook-form';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Form } from '../../shared/ui/form';
import { Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Spinner } from '../../shared/ui/spinner';
import { AreaField } from '../../shared/ui/text-field';
import { Failure, News } from '../common/action';
import { RecoveredNotice } from '../common/forms/save-bar';
import { ConflictPanel } from './conflict-panel';
import type { NoteForm } from './use-note-form';

export function NoteShown({ note }: { note: string }) {
  return (
    <Card title="Note Interne">
      {note ? <Text kept>{note}</Text> : <Text tone="muted">Nessuna nota</Text>}
    </Card>
  );
}

export function NoteCard({ form: report, noteBox }: { form: NoteForm; noteBox: Ref<HTMLTextAreaElement> }) {
  const { form, dirty, busy, conflict } = report;
  const note = useController({ control: form.control, name: 'note' }).field;
  const shown = (text: string) => text || <em>Nessuna nota</em>;
  return (
    <Card>
      <Form label="Note per il team" onSubmit={report.save}>
        <Notices form={report} />
        <AreaField
          label="Note Interne"
          error={form.formState.errors.note?.message}
          ref={noteBox}
          rows={3}
          aria-keyshortcuts="n"
          value={note.value}
          placeholder="Aggiungi note per il team..."
          onValue={note.onChange}
        />
        <Failure of={report} title="Note non salvate" />
        {conflict ? (
          <ConflictPanel
            current={conflict}
            rows={[
              { name: 'Note Interne', saved: shown(conflict.note), mine: shown(form.getValues('note')) },
            ]}
            busy={busy}
            onKeep={report.keepMine}
            onTake={report.takeSaved}
          />
        ) : null}
        <Stack align="start">
          <Button
            type="submit"
            variant="primary"
            aria-keyshortcuts="Control+Enter"
            inactive={!dirty || busy || conflict !== null}
            icon={busy ? <Spinner /> : undefined}
          >
            {busy ? 'Salvataggio...' : 'Salva Modifiche'}
          </Button>
        </Stack>
        <News of={report} />
      </Form>
    </Card>
  );
}

function Notices({ form }: { form: NoteForm }) {
  return (
    <>
      <RecoveredNotice form={form} />
      {form.overtaken ? (
        <div role="status">
          <Message kind="warning">
            <p>
              Un’altra persona ha appena modificato queste note. Il tuo testo resta qui: al salvataggio potrai
              confrontare le due versioni.
            </p>
          </Message>
        </div>
      ) : null}
      {form.bringBack ? (
        <Message kind="info" actions={<Button onClick={form.bringBack}>Ripristina le mie modifiche</Button>}>
          <p>Ora vedi la versione salvata.</p>
        </Message>
      ) : null}
    </>
  );
}
