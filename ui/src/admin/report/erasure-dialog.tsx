import { type FormEvent, useId, useRef, useState } from 'react';
import type { ReportDetail, SamePersonRow } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Dialog } from '../../shared/ui/dialog';
import { Field } from '../../shared/ui/field';
import { Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { TextInput } from '../../shared/ui/text-input';
import { ErrorCard, FaultText } from '../common/error-card';
import { Loading } from '../common/loading';
import type { Scope } from './erasure-scope';
import styles from './report.module.css';
import { useErasure, useSamePerson } from './use-erasure';

/** What must be typed before anything is erased. */
const WORD = 'CANCELLA';

interface ErasureDialogProps {
  report: ReportDetail;
  scope: Scope;
  list: string;
  onCancel: () => void;
}

/** Asks before something is erased that nobody can bring back: the word has to be typed, a key pressed twice is no answer. */
export function ErasureDialog({ report, scope, list, onCancel }: ErasureDialogProps) {
  // What the question was put about is what goes, whatever the page hears meanwhile.
  const [asked] = useState(report);
  const erasure = useErasure(asked, list);
  const person = useSamePerson(asked.id, scope);
  const [typed, setTyped] = useState('');
  const [reminded, setReminded] = useState(false);
  const cancel = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLInputElement>(null);
  const form = useId();
  const rows = person.data?.data ?? [];
  const count = scope === 'person' ? rows.length : 1;
  const ready = scope === 'report' || person.data !== undefined;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim().toUpperCase() !== WORD) {
      setReminded(true);
      box.current?.focus();
    } else if (scope === 'person') {
      erasure.many(rows.map((row) => row.id));
    } else {
      erasure.one();
    }
  };

  return (
    <Dialog
      open
      title={scope === 'person' ? 'Cancella le segnalazioni di questa persona' : 'Cancella la segnalazione'}
      onCancel={onCancel}
      initialFocus={cancel}
      actions={
        <>
          <Button ref={cancel} onClick={onCancel}>
            Annulla
          </Button>
          <Button variant="danger" type="submit" form={form} inactive={!ready || erasure.busy}>
            {erasure.busy ? 'Cancellazione…' : labelOf(scope, count, ready)}
          </Button>
        </>
      }
    >
      <Stack as="form" id={form} onSubmit={submit} noValidate>
        {scope === 'report' ? (
          <p>
            Quella di{' '}
            <strong>
              {asked.nome} {asked.cognome}
            </strong>
            , ricevuta il {formatDate(asked.data_creazione)}, sparisce con note, cronologia e consegne in
            attesa. Non si può annullare.
          </p>
        ) : person.data ? (
          <People rows={rows} more={person.data.more} />
        ) : person.isError ? (
          <ErrorCard
            title="Non è stato possibile cercare le altre segnalazioni"
            error={person.error}
            onRetry={() => void person.refetch()}
          />
        ) : (
          <Loading label="Ricerca delle segnalazioni di questa persona…">
            <Skeleton lines={3} />
          </Loading>
        )}
        <OutOfReach />
        {erasure.failure ? (
          <Message kind="error" title="Segnalazione non cancellata">
            <FaultText error={erasure.failure} />
          </Message>
        ) : null}
        <Field
          label={`Per confermare scrivi ${WORD}`}
          error={reminded ? `Scrivi ${WORD} per confermare.` : undefined}
        >
          {(control) => (
            <TextInput
              {...control}
              ref={box}
              autoComplete="off"
              autoCapitalize="characters"
              spellCheck={false}
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value);
                setReminded(false);
              }}
            />
          )}
        </Field>
      </Stack>
    </Dialog>
  );
}

function labelOf(scope: Scope, count: number, ready: boolean): string {
  if (scope === 'report' || !ready) {
    return 'Cancella per sempre';
  }
  return count === 1 ? 'Cancella una segnalazione' : `Cancella ${count} segnalazioni`;
}

function People({ rows, more }: { rows: readonly SamePersonRow[]; more: boolean }) {
  return (
    <>
      <p>
        {rows.length === 1
          ? 'Con la stessa email o lo stesso telefono c’è solo questa. Non si può annullare.'
          : `Con la stessa email o lo stesso telefono ce ne sono ${rows.length}: controlla che siano della stessa persona. Non si può annullare.`}
      </p>
      {/* It scrolls, so it must be reached by keyboard. */}
      <Stack
        as="ul"
        lined
        className={styles.people}
        aria-label="Segnalazioni che verranno cancellate"
        tabIndex={0}
      >
        {rows.map((row) => (
          <li key={row.id}>
            {row.nome} {row.cognome}
            <Text tone="muted">
              {formatDate(row.data_creazione)} · {row.stato} · {sameOf(row)}
            </Text>
          </li>
        ))}
      </Stack>
      {more ? <p>Ce ne sono altre: dopo queste, ripeti la cancellazione.</p> : null}
    </>
  );
}

function sameOf({ email, telefono }: SamePersonRow): string {
  if (email && telefono) {
    return 'stessa email e stesso telefono';
  }
  return email ? 'stessa email' : 'stesso telefono';
}

function OutOfReach() {
  return (
    <details>
      <summary>Che cosa non viene cancellato</summary>
      <ul className={styles.reach}>
        <li>I backup già fatti: restano finché non vengono sostituiti. Ripristinarne uno non la riporta.</li>
        <li>Le email e le chiamate del webhook già partite.</li>
        <li>I file già scaricati: CSV, schede PDF, backup del pannello.</li>
      </ul>
    </details>
  );
}
