import { type FormEvent, type Ref, useEffect, useId, useRef } from 'react';
import { useController } from 'react-hook-form';
import type { ReportDetail } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { Badge } from '../../shared/ui/badge';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Field } from '../../shared/ui/field';
import { Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { SelectField } from '../../shared/ui/select';
import { Spinner } from '../../shared/ui/spinner';
import { TextArea } from '../../shared/ui/text-input';
import { Failure, News } from '../common/action';
import { DESK_OPTIONS, deskName } from '../common/departments';
import { RecoveredNotice } from '../common/forms/save-bar';
import { STATO_OPTIONS, toneOf } from '../common/stato';
import styles from './report.module.css';
import { type ReportForm, type Values, valuesOf } from './use-report-form';

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
        <SelectField
          label="Stato"
          error={errors.stato?.message}
          value={stato.value}
          options={STATO_OPTIONS}
          onValue={stato.onChange}
        />
        <SelectField
          label="Reparto"
          error={errors.department?.message}
          value={department.value}
          options={DESK_OPTIONS}
          onValue={department.onChange}
        />
        <Field label="Note Interne" error={errors.note?.message}>
          {(of) => (
            <TextArea
              {...of}
              ref={noteBox}
              aria-keyshortcuts="n"
              value={note.value}
              placeholder="Aggiungi note per il team..."
              onChange={note.onChange}
            />
          )}
        </Field>
        <Failure of={report} title="Modifiche non salvate" />
        {conflict ? <ConflictPanel current={conflict} form={report} /> : null}
        <Button
          type="submit"
          variant="primary"
          aria-keyshortcuts="Control+Enter"
          inactive={!dirty || busy || conflict !== null}
          icon={busy ? <Spinner /> : undefined}
        >
          {busy ? 'Salvataggio...' : 'Salva Modifiche'}
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
      {form.bringBack ? (
        <Message kind="info" actions={<Button onClick={form.bringBack}>Ripristina le mie modifiche</Button>}>
          <p>Ora vedi la versione salvata.</p>
        </Message>
      ) : null}
    </>
  );
}

/** A save was refused because somebody else saved first: both versions side by side, and the choice between them. */
function ConflictPanel({ current, form }: { current: ReportDetail; form: ReportForm }) {
  const { busy, keepMine, takeSaved } = form;
  const typed = form.form.getValues();
  const saved = valuesOf(current);
  const id = useId();
  const ref = useRef<HTMLElement>(null);
  // The save was the editor's own gesture, so the focus may follow its result.
  useEffect(() => {
    ref.current?.focus({ preventScroll: true });
    ref.current?.scrollIntoView({ block: 'nearest' });
  }, []);

  return (
    <Stack
      as="section"
      gap={4}
      className={styles.conflict}
      ref={ref}
      tabIndex={-1}
      aria-labelledby={`${id}-title`}
    >
      <div role="alert">
        <h3 id={`${id}-title`}>Un’altra persona ha salvato prima di te</h3>
        <p>
          Il {formatDateTime(current.data_aggiornamento)} questa segnalazione è stata modificata. Nulla di ciò
          che hai scritto è andato perso: scegli come continuare.
        </p>
      </div>
      <Stack className={styles.versions}>
        <Version title="Versione salvata" values={saved} other={typed} />
        <Version title="Le tue modifiche" values={typed} other={saved} />
      </Stack>
      <Stack gap={2}>
        <Button variant="primary" inactive={busy} onClick={keepMine}>
          Mantieni le mie modifiche
        </Button>
        <Button inactive={busy} onClick={takeSaved}>
          Usa la versione salvata
        </Button>
      </Stack>
    </Stack>
  );
}

function Version({ title, values, other }: { title: string; values: Values; other: Values }) {
  const rows = [
    { name: 'Stato', field: 'stato', shown: <Badge tone={toneOf(values.stato)}>{values.stato}</Badge> },
    { name: 'Reparto', field: 'department', shown: deskName(values.department) },
    { name: 'Note Interne', field: 'note', shown: values.note || <em>Nessuna nota</em> },
  ] as const;
  return (
    <div className={styles.version}>
      <h4>{title}</h4>
      <Stack as="dl" gap={2}>
        {rows.map(({ name, field, shown }) => (
          <div key={field} data-differs={values[field] !== other[field] || undefined}>
            <dt>{name}</dt>
            <Text as="dd" kept className={field === 'note' ? styles.note : undefined}>
              {shown}
            </Text>
          </div>
        ))}
      </Stack>
    </div>
  );
}
