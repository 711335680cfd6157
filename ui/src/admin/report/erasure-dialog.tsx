import { useRef, useState } from 'react';
import { useNavigate } from 'react-router-dom';
import type { ReportDetail, SamePerson } from '../../shared/api/schema';
import { formatDate } from '../../shared/lib/dates';
import { Stack, Text } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { TextField } from '../../shared/ui/text-field';
import { useAction } from '../common/action';
import { Details } from '../common/fold';
import { FormDialog } from '../common/form-dialog';
import { kept } from '../common/kept';
import { Loaded } from '../common/loaded';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { useRead } from '../common/use-read';
import { useErase } from './api';
import styles from './report.module.css';
import { formName } from './use-note-form';

const WORD = 'CANCELLA';

interface ErasureDialogProps {
  report: ReportDetail;
  scope: 'report' | 'person';
  list: string;
  onClose: () => void;
}

/** Asks before something is erased for good: the word has to be typed, a key pressed twice is no answer. */
export default function ErasureDialog({ report, scope, list, onClose }: ErasureDialogProps) {
  // The reports that the question named are erased, whatever the page hears meanwhile.
  const [asked] = useState(report);
  const person = useRead('/reports/{id}/related', {
    with: { path: { id: asked.id } },
    enabled: scope === 'person',
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const ready = scope === 'report' || person.data?.ready === true;
  const rows = [asked, ...(person.data?.samePerson ?? [])];
  const erase = useErase(asked);
  const navigate = useNavigate();
  const action = useAction();
  const [typed, setTyped] = useState('');
  const [reminded, setReminded] = useState(false);
  const box = useRef<HTMLInputElement>(null);

  const submit = () => {
    if (typed.trim().toUpperCase() !== WORD) {
      setReminded(true);
      box.current?.focus();
    } else {
      void action.run(async () => {
        const erased = await erase(scope === 'person' ? rows.map(({ id }) => id) : null);
        kept.delete(formName(asked.id));
        navigate(paths.reports + list, { replace: true, state: { erased } });
      });
    }
  };

  return (
    <FormDialog
      title={scope === 'person' ? 'Cancella le segnalazioni di questa persona' : 'Cancella la segnalazione'}
      of={action}
      failed="Segnalazione non cancellata"
      label={labelOf(scope === 'person' && ready ? rows.length : 0)}
      variant="danger"
      blocked={!ready}
      cautious
      onSubmit={submit}
      onClose={onClose}
    >
      {scope === 'report' ? (
        <p>
          Quella di <strong>{reporterName(asked)}</strong>, ricevuta il {formatDate(asked.data_creazione)},
          sparisce con note, cronologia e consegne in attesa. Non si può annullare.
        </p>
      ) : (
        <Loaded
          query={person}
          loading="Ricerca delle segnalazioni di questa persona…"
          failed="Non è stato possibile cercare le altre segnalazioni"
          placeholder={<Skeleton lines={3} />}
        >
          {({ more }) =>
            ready ? (
              <People rows={rows} more={more} />
            ) : (
              <p>L’indice è in costruzione: chiudi e riprova tra poco.</p>
            )
          }
        </Loaded>
      )}
      <Details summary="Che cosa non viene cancellato">
        <Stack as="ul" gap={1} dotted>
          <li>
            I backup già fatti: restano finché non vengono sostituiti. Ripristinarne uno non la riporta.
          </li>
          <li>Le email e le chiamate del webhook già partite.</li>
          <li>I file già scaricati: CSV, schede PDF, backup del pannello.</li>
        </Stack>
      </Details>
      <TextField
        label={`Per confermare scrivi ${WORD}`}
        error={reminded ? `Scrivi ${WORD} per confermare.` : undefined}
        ref={box}
        autoCapitalize="characters"
        spellCheck={false}
        value={typed}
        onValue={(text) => {
          setTyped(text);
          setReminded(false);
        }}
      />
    </FormDialog>
  );
}

/** `count`: how many of a person; 0 where that is not asked, or not known. */
function labelOf(count: number): string {
  if (count === 0) {
    return 'Cancella per sempre';
  }
  return count === 1 ? 'Cancella una segnalazione' : `Cancella ${count} segnalazioni`;
}

type OfPerson = Pick<SamePerson, 'id' | 'nome' | 'cognome' | 'data_creazione' | 'stato'> & {
  email: string | boolean;
  telefono: string | boolean;
};

function People({ rows, more }: { rows: readonly OfPerson[]; more: boolean }) {
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
            {reporterName(row)}
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

function sameOf({ email, telefono }: OfPerson): string {
  if (email && telefono) {
    return 'stessa email e stesso telefono';
  }
  return email ? 'stessa email' : 'stesso telefono';
}
