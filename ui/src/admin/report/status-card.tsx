import type { Ref } from 'react';
import { ApiProblem } from '../../shared/api/errors';
import { messages } from '../../shared/messages';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Field } from '../../shared/ui/field';
import { Message } from '../../shared/ui/message';
import { type Option, Select } from '../../shared/ui/select';
import { Spinner } from '../../shared/ui/spinner';
import { StatusMessage } from '../../shared/ui/status-message';
import { TextArea } from '../../shared/ui/text-area';
import { DESKS, type Desk } from '../common/departments';
import { FaultText } from '../common/error-card';
import { STATI, type Stato } from '../common/stato';
import { ConflictPanel } from './conflict-panel';
import styles from './status-card.module.css';
import type { ReportForm } from './use-report-form';

const OPTIONS: readonly Option<Stato>[] = STATI.map((stato) => ({ value: stato, label: stato }));

const DESK_OPTIONS: readonly Option<Desk>[] = DESKS.map(({ key, name }) => ({ value: key, label: name }));

interface StatusCardProps {
  form: ReportForm;
  noteBox: Ref<HTMLTextAreaElement>;
}

/** Status, department and internal notes. Errors show here, where the save was pressed. */
export function StatusCard({ form, noteBox }: StatusCardProps) {
  const { draft, dirty, saving, failure } = form;
  const fields = failure instanceof ApiProblem ? failure.errors : {};
  return (
    <Card title="Gestione Stato">
      <form
        className={styles.form}
        aria-label="Gestione Stato"
        onSubmit={(event) => {
          event.preventDefault();
          form.save();
        }}
      >
        <Notices form={form} />
        <Field label="Stato" error={fields.stato}>
          {(control) => (
            <Select {...control} value={draft.typed.stato} options={OPTIONS} onValue={form.setStato} />
          )}
        </Field>
        <Field label="Reparto" error={fields.department}>
          {(control) => (
            <Select
              {...control}
              value={draft.typed.department}
              options={DESK_OPTIONS}
              onValue={form.setDepartment}
            />
          )}
        </Field>
        <Field label="Note Interne" error={fields.note}>
          {(control) => (
            <TextArea
              {...control}
              ref={noteBox}
              aria-keyshortcuts="n"
              value={draft.typed.note}
              placeholder={messages.reports.notesPlaceholder}
              onChange={(event) => form.setNote(event.target.value)}
            />
          )}
        </Field>
        {failure ? (
          <Message kind="error" title="Modifiche non salvate" onDismiss={form.dismissFailure}>
            <FaultText error={failure} />
          </Message>
        ) : null}
        {draft.conflict ? (
          <ConflictPanel
            current={draft.conflict}
            typed={draft.typed}
            busy={saving}
            onKeepMine={form.keepMine}
            onUseSaved={form.takeSaved}
          />
        ) : null}
        <Button
          type="submit"
          variant="primary"
          aria-keyshortcuts="Control+Enter"
          inactive={!dirty || saving || draft.conflict !== null}
          icon={saving ? <Spinner /> : undefined}
        >
          {saving ? messages.reports.saving : messages.reports.save}
        </Button>
        <StatusMessage message={form.news} onDone={form.dismissNews} />
      </form>
    </Card>
  );
}

function Notices({ form }: { form: ReportForm }) {
  const { draft } = form;
  return (
    <>
      {form.recovered ? (
        <Message kind="info" onDismiss={form.dismissRecovered}>
          <p>La sessione era finita prima del salvataggio: abbiamo conservato ciò che avevi scritto.</p>
        </Message>
      ) : null}
      {draft.overtaken ? (
        <div role="status">
          <Message kind="warning">
            <p>
              Un’altra persona ha appena modificato questa segnalazione. Il tuo testo resta qui: al
              salvataggio potrai confrontare le due versioni.
            </p>
          </Message>
        </div>
      ) : null}
      {draft.discarded ? (
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
