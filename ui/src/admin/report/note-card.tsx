/** The newsroom's note. It is typed at length, so it has a save of its own; what is typed is never lost. */
import { Pin } from 'lucide-react';
import type { Ref } from 'react';
import { useController } from 'react-hook-form';
import { Button } from '../../shared/ui/button';
import { Form } from '../../shared/ui/form';
import { Row, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Spinner } from '../../shared/ui/spinner';
import { AreaField } from '../../shared/ui/text-field';
import { Failure } from '../common/action';
import { ConflictPanel } from '../common/conflict-panel';
import { RecoveredNotice } from '../common/forms/save-bar';
import { savedBefore } from './conflict';
import styles from './facts.module.css';
import type { NoteForm } from './use-note-form';

export function NoteShown({ note }: { note: string }) {
  return note ? (
    <section className={styles.note} aria-labelledby="note-interne">
      <h2 id="note-interne">Note Interne</h2>
      <Text kept>{note}</Text>
    </section>
  ) : null;
}

/** Pinned above what happened. */
export function NoteCard({ form: report, noteBox }: { form: NoteForm; noteBox: Ref<HTMLTextAreaElement> }) {
  const { form, dirty, busy, conflict } = report;
  const note = useController({ control: form.control, name: 'note' }).field;
  const shown = (text: string) => text || <em>Nessuna nota</em>;
  return (
    <Form className={styles.note} label="Note per il team" gap={2} onSubmit={report.save}>
      <Notices form={report} />
      <AreaField
        label={
          <>
            <Pin aria-hidden="true" /> Note Interne
          </>
        }
        error={form.formState.errors.note?.message}
        ref={noteBox}
        rows={2}
        aria-keyshortcuts="n"
        value={note.value}
        placeholder="Aggiungi note per il team..."
        onValue={note.onChange}
      />
      <Row>
        <Button
          type="submit"
          aria-keyshortcuts="Control+Enter"
          inactive={!dirty || busy || conflict !== null}
          icon={busy ? <Spinner /> : undefined}
        >
          {busy ? 'Salvataggio...' : 'Salva Modifiche'}
        </Button>
      </Row>
      <Failure of={report} title="Note non salvate" />
      {conflict ? (
        <ConflictPanel
          {...savedBefore(conflict)}
          rows={[{ name: 'Note Interne', saved: shown(conflict.note), mine: shown(form.getValues('note')) }]}
          busy={busy}
          onBoth={report.keepBoth}
          onKeep={report.keepMine}
          onTake={report.takeSaved}
        />
      ) : null}
    </Form>
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
