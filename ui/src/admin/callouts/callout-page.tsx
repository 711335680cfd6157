import { MessageCircle, Trash2 } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { get, set } from 'react-hook-form';
import { Navigate, useNavigate } from 'react-router-dom';
import type { Callout, CalloutDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Stack } from '../../shared/ui/layout';
import { Message } from '../../shared/ui/message';
import { Asked, Failure, useAction } from '../common/action';
import { errorsOf, isProblem } from '../common/errors';
import { RecoveredNotice, SaveBar } from '../common/forms/save-bar';
import { useSavedForm } from '../common/forms/use-saved-form';
import { useLeaveGuard } from '../common/leave-guard';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { RehearsalDialog } from '../prompts/rehearsal-dialog';
import { useCalloutChanges } from './api';
import styles from './callouts.module.css';
import { mayEdit, placeOf, UNNAMED } from './draft';
import { Asks, Routing, Texts } from './fields';
import { Frame, OfCallout } from './frame';
import { Questions } from './questions';
import { ShareCard } from './share';

export function CalloutPage() {
  const rights = useRights();
  const editor = (callout: CalloutDetail) =>
    mayEdit(rights, callout) ? (
      <Editor key={callout.id} callout={callout} />
    ) : (
      <Navigate to="answers" replace />
    );
  return <OfCallout>{editor}</OfCallout>;
}

/** The errors by field. */
type Faults = Readonly<Record<string, string>>;

/** The part of a callout that is edited. */
function draftOf(callout: CalloutDetail): Callout {
  const { id, state, version, revision, started, received, days, problems, ...draft } = callout;
  return draft;
}

/** The form over the callout as it was when its editing began: a newer one waits until nothing would be mixed with it. */
function useCalloutForm(callout: CalloutDetail) {
  const { save } = useCalloutChanges();
  const [held, setHeld] = useState(callout);
  const saved = useMemo(() => draftOf(held), [held]);
  const form = useSavedForm<Callout>({
    name: `callout ${callout.id}`,
    saved,
    send: async (changes) => {
      const draft = structuredClone(saved);
      for (const [field, value] of Object.entries(changes)) {
        set(draft, field, value);
      }
      return draftOf(await save(held, draft));
    },
    success: 'Inchiesta salvata.',
  });
  if (held !== callout && (!form.dirty || isProblem(form.failure, 'versione-superata'))) {
    setHeld(callout);
  }
  return { saved, ...form };
}

function Editor({ callout }: { callout: CalloutDetail }) {
  const { id, state, problems, received } = callout;
  const form = useCalloutForm(callout);
  const now = form.form.watch();
  const [trying, setTrying] = useState<Callout | null>(null);
  /** The errors of the draft that could not be opened. */
  const [refused, setRefused] = useState<{ errors: Faults; draft: Callout }>({ errors: {}, draft: now });
  const action = useAction();
  const { open, close, remove } = useCalloutChanges();
  const navigate = useNavigate();
  useLeaveGuard(form.dirty, 'Hai modificato l’inchiesta. Se esci adesso, le modifiche vanno perse.');

  // The title of a new callout is typed first.
  const unnamed = callout.slug.startsWith(UNNAMED);
  useEffect(() => {
    if (unnamed) {
      lead('title')?.select();
    }
  }, [unnamed]);

  // Once the run-through has closed and given the focus back.
  useEffect(() => {
    for (const field of Object.keys(refused.errors).slice(0, 1)) {
      lead(field);
    }
  }, [refused]);

  // The server's errors do not apply to fields that were changed since.
  const standing = (said: Faults, of: Callout) =>
    Object.entries(said).filter(
      ([field]) => JSON.stringify(get(now, field)) === JSON.stringify(get(of, field)),
    );
  const found = new Map([...standing(problems, form.saved), ...standing(refused.errors, refused.draft)]);
  const wrong = new Map([...found, ...Object.entries(errorsOf(form.failure))]);
  const fields = {
    now,
    fixed: state !== 'bozza',
    field: (name: string) => ({ name, error: wrong.get(name) }),
    type: (change: Partial<Callout>) => form.type(change),
  };
  const turn = async () => {
    if (state === 'aperta') {
      await close(id);
      return 'Inchiesta chiusa.';
    }
    return (await form.save()) && open(id).then(() => 'Inchiesta aperta.');
  };
  const drop = async () => {
    form.discard();
    await remove(callout);
    navigate(paths.callouts);
  };
  const actions = (
    <>
      <Button icon={<MessageCircle />} onClick={() => setTrying(now)}>
        Prova
      </Button>
      <Asked
        of={action}
        label={{ bozza: 'Apri', aperta: 'Chiudi', chiusa: 'Riapri' }[state]}
        confirmLabel="Chiudi l’inchiesta"
        variant={form.dirty || state === 'aperta' ? 'secondary' : 'primary'}
        unasked={state !== 'aperta'}
        work={turn}
      >
        <p>Chi apre il link legge che è chiusa; chi sta già rispondendo può finire. Si può riaprire.</p>
      </Asked>
    </>
  );
  return (
    <Frame callout={callout} actions={actions}>
      <Failure of={action} title="Operazione non riuscita" />
      <RecoveredNotice form={form} />
      {found.size > 0 ? (
        <Message kind="warning" title={state === 'bozza' ? 'Prima di aprirla' : 'Da correggere'}>
          {[...found].map(([field, said]) => (
            <button key={field} type="button" className={styles.jump} onClick={() => lead(field)}>
              {placeOf(field) + said}
            </button>
          ))}
        </Message>
      ) : null}
      <div className={styles.columns}>
        <div className={styles.main} ref={form.area}>
          <Stack gap={4}>
            <Texts {...fields} card="Presentazione" />
            <Questions {...fields} />
            <Asks {...fields} />
            <Routing {...fields} />
            <Texts {...fields} card="Alla fine" />
          </Stack>
          <SaveBar form={form} failureTitle="Inchiesta non salvata" />
        </div>
        <Stack gap={4} align="start">
          <ShareCard callout={callout} />
          {received === 0 ? (
            <Asked
              of={action}
              label="Elimina"
              confirmLabel="Elimina"
              variant="quiet"
              icon={<Trash2 />}
              work={drop}
            >
              <p>Non ha ancora ricevuto nulla. Domande e link spariscono, e non si può annullare.</p>
            </Asked>
          ) : null}
        </Stack>
      </div>
      {trying ? (
        <RehearsalDialog
          subject={{ prompts: {}, callout: trying }}
          onClose={() => setTrying(null)}
          onRefused={(errors) => {
            setRefused({ errors, draft: trying });
            setTrying(null);
            return true;
          }}
        />
      ) : null}
    </Frame>
  );
}

function lead(field: string) {
  const control = document.querySelector<HTMLInputElement>(`[name="${field}"]`);
  control?.focus({ preventScroll: true });
  control?.scrollIntoView({ block: 'center' });
  return control;
}
