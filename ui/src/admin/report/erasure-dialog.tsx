import { type UseQueryResult, useQueryClient } from '@tanstack/react-query';
import { Trash2, UserX } from 'lucide-react';
import { type FormEvent, useId, useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { ReportDetail, SamePerson, SamePersonRow } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Dialog } from '../../shared/ui/dialog';
import { Field } from '../../shared/ui/field';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Skeleton } from '../../shared/ui/skeleton';
import { TextInput } from '../../shared/ui/text-input';
import { useAction } from '../common/action';
import { ErrorCard, FaultText } from '../common/error-card';
import { isProblem } from '../common/errors';
import { dropKept } from '../common/forms/kept';
import { Loading } from '../common/loaded';
import { paths } from '../common/paths';
import { useRead } from '../common/use-read';
import { SEARCH_TIMEOUT_MS } from '../reports/filters';
import { reportKey } from './queries';
import styles from './report.module.css';
import { formName } from './use-report-form';

/** What must be typed before anything is erased. */
const WORD = 'CANCELLA';

interface ErasureDialogProps {
  report: ReportDetail;
  scope: Scope;
  list: string;
  onCancel: () => void;
}

/** Asks before something is erased that nobody can bring back: the word has to be typed, a key pressed twice is no answer. */
function ErasureDialog({ report, scope, list, onCancel }: ErasureDialogProps) {
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
      <Stack as="ul" gap={1} dotted>
        <li>I backup già fatti: restano finché non vengono sostituiti. Ripristinarne uno non la riporta.</li>
        <li>Le email e le chiamate del webhook già partite.</li>
        <li>I file già scaricati: CSV, schede PDF, backup del pannello.</li>
      </Stack>
    </details>
  );
}

/** What is to be erased: this report, or all of its person. */
type Scope = 'report' | 'person';

/** The reports with the same e-mail address or phone number, as they stand when the question is put. */
function useSamePerson(id: string, scope: Scope): UseQueryResult<SamePerson> {
  return useRead('/reports/{id}/same-person', {
    with: { path: { id }, timeoutMs: SEARCH_TIMEOUT_MS },
    enabled: scope === 'person',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
}

interface Erasure {
  busy: boolean;
  failure: unknown;
  /** Erases the report in the version that is shown. */
  one: () => void;
  /** Erases exactly these. */
  many: (ids: readonly string[]) => void;
}

/** Erases, and leads to the list. */
function useErasure(report: ReportDetail, list: string): Erasure {
  const client = useQueryClient();
  const navigate = useNavigate();
  const { busy, failure, run: start } = useAction();
  const { id, versione } = report;

  const run = (erase: () => Promise<{ erased: number }>) =>
    void start(async () => {
      try {
        const { erased } = await erase();
        dropKept(formName(id));
        // Nothing of it is to stay in this page's memory, nor to be asked for again.
        await client.cancelQueries({ queryKey: reportKey(id) });
        void client.invalidateQueries({ queryKey: ['/reports'] });
        void client.invalidateQueries({ queryKey: ['/retention'] });
        navigate(paths.reports + list, { replace: true, state: { erased: Math.max(1, erased) } });
        return null;
      } catch (error) {
        if (isProblem(error, 'cancellata')) {
          void client.invalidateQueries({ queryKey: reportKey(id) });
        }
        throw error;
      }
    });
  return {
    busy,
    failure,
    one: () => run(() => call('delete', '/reports/{id}', { path: { id }, ifMatch: versione })),
    many: (ids) => run(() => call('post', '/reports/erasures', { body: { ids: [...ids] } })),
  };
}

/** The way to erase a report or all of its person. Nothing happens before the question is answered. */
export function ErasureCard({ report, list }: { report: ReportDetail; list: string }) {
  const [scope, setScope] = useState<Scope | null>(null);
  return (
    <Card title="Cancellazione">
      <Stack>
        <p>Cancella per sempre ciò che è stato scritto. Nessuno potrà recuperarlo.</p>
        <Row>
          <Button variant="danger" icon={<Trash2 aria-hidden="true" />} onClick={() => setScope('report')}>
            Cancella questa segnalazione…
          </Button>
          <Button icon={<UserX aria-hidden="true" />} onClick={() => setScope('person')}>
            Cancella tutte quelle di questa persona…
          </Button>
        </Row>
      </Stack>
      {scope ? (
        <ErasureDialog report={report} scope={scope} list={list} onCancel={() => setScope(null)} />
      ) : null}
    </Card>
  );
}
