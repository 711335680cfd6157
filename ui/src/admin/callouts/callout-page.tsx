import { MessageCircle, Trash2 } from 'lucide-react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { get, set } from 'react-hook-form';
import { Navigate, useLocation, useNavigate, useParams } from 'react-router-dom';
import type { Callout, CalloutDetail } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Asked, useAction } from '../common/action';
import { GENERAL, useDepartments } from '../common/departments';
import { errorsOf, isProblem } from '../common/errors';
import { Fold } from '../common/fold';
import { RecoveredNotice, SaveBar } from '../common/forms/save-bar';
import { useSavedForm } from '../common/forms/use-saved-form';
import type { FieldChanges } from '../common/kept';
import { useLeaveGuard } from '../common/leave-guard';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { RehearsalDialog } from '../prompts/rehearsal-dialog';
import { useCalloutChanges } from './api';
import styles from './callouts.module.css';
import { Collided } from './collided';
import { blank, mayEdit, NEW } from './draft';
import { Asks, Department, Texts, Timing } from './fields';
import { Frame, OfCallout, Turn } from './frame';
import { Lacks } from './lacks';
import { type Collision, merge, mineOf, same, taken } from './merge';
import { Questions } from './questions';
import { Address, Sharing } from './share';
import { useLead } from './use-lead';

export function CalloutPage() {
  const rights = useRights();
  const { id } = useParams();
  const editor = (callout: CalloutDetail) =>
    mayEdit(rights, callout) ? (
      <Editor key={callout.id} callout={callout} />
    ) : (
      <Navigate to="answers" replace />
    );
  return id === NEW ? <New /> : <OfCallout>{editor}</OfCallout>;
}

/** The server does not know it until it is saved. */
function New() {
  const { edits } = useRights();
  const { seen } = useDepartments();
  const department = (seen.find(({ key }) => key === GENERAL) ?? seen[0])?.key;
  const callout = useMemo(() => department && blank(department), [department]);
  if (!edits) {
    return <Navigate to={paths.callouts} replace />;
  }
  return callout ? <Editor callout={callout} /> : null;
}

/** The errors by field. */
type Faults = Readonly<Record<string, string>>;

/** The part of a callout that is edited. */
function draftOf(callout: CalloutDetail): Callout {
  const { id, state, version, revision, started, received, days, problems, ...draft } = callout;
  return draft;
}

/** The form over the callout as it was when its editing began: a newer one waits until nothing would be mixed with it. */
function useCalloutForm(callout: CalloutDetail, onRefused: (fields: readonly string[]) => void) {
  const { add, save } = useCalloutChanges();
  const [held, setHeld] = useState(callout);
  /** The last that the server answered. */
  const stored = useRef(callout);
  const saved = useMemo(() => draftOf(held), [held]);
  const { over, ...collided } = useCollisions();
  const store = async (draft: Callout) => {
    stored.current = await (held.id ? save(held, draft) : add(draft));
    return draftOf(stored.current);
  };
  const form = useSavedForm<Callout>({
    name: `callout ${callout.id}`,
    saved,
    send: (changes) => {
      const draft = structuredClone(saved);
      for (const [field, value] of Object.entries(changes)) {
        set(draft, field, value);
      }
      return store(draft);
    },
    success: 'Inchiesta salvata.',
    merge: over,
    onRefused,
  });
  if (held !== callout && (!form.dirty || isProblem(form.failure, 'versione-superata'))) {
    setHeld(callout);
  }
  const collision = collided.first(form.form.watch());
  /** Keeps what one has, or takes what the server holds. */
  const settle = (one: Collision, theirs: boolean) => {
    if (theirs) {
      form.type(taken(form.form.getValues(), one, saved.questions));
    }
    collided.drop(one);
  };
  const discard = () => {
    collided.drop();
    form.discard();
  };
  /** Saves what there is to save; gives what is stored then, and nothing where it was refused or waits for a choice. */
  const keep = async () => {
    if (collision) {
      collided.ask();
      return null;
    }
    const first = held.id === '' && !form.dirty;
    return (first ? await store(saved) : await form.save()) ? stored.current : null;
  };
  return { saved, keep, ...form, discard, collision, settle, asked: collided.asked };
}

/** What others have changed as well: each waits until one of the two is chosen. */
function useCollisions() {
  const [all, setAll] = useState<readonly Collision[]>([]);
  const [asked, setAsked] = useState(0);
  const over = useCallback((changes: FieldChanges, base: Callout, newer: Callout) => {
    const { changes: merged, collisions } = merge(changes, base, newer);
    const again = (one: Collision) =>
      collisions.some(({ field, key }) => field === one.field && key === one.key);
    setAll((before) => [...before.filter((one) => !again(one)), ...collisions]);
    return merged;
  }, []);
  return {
    over,
    asked,
    ask: () => setAsked((before) => before + 1),
    first: (draft: Callout) => all.find((one) => !same(mineOf(draft, one), one.theirs)),
    drop: (which?: Collision) => setAll((before) => before.filter((one) => which && one !== which)),
  };
}

/** What is left in the history where a new callout was to be opened, and is not complete. */
const ASKED = 'asked';

function Editor({ callout }: { callout: CalloutDetail }) {
  const { id, state, problems, received } = callout;
  const [asked, setAsked] = useState(useLocation().state === ASKED);
  const first = asked ? Object.keys(problems)[0] : undefined;
  const way = useLead(callout.questions, id === '' ? 'title' : first);
  const form = useCalloutForm(callout, ([field = '']) => way.lead(field, now.questions));
  const now = form.form.watch();
  const { collision } = form;
  const [trying, setTrying] = useState<Callout | null>(null);
  /** The errors of the draft that could not be tried. */
  const [refused, setRefused] = useState<{ errors: Faults; draft: Callout }>({ errors: {}, draft: now });
  const [made, setMade] = useState<{ to: string; state: unknown } | null>(null);
  const action = useAction();
  const { open, remove } = useCalloutChanges();
  const navigate = useNavigate();
  useLeaveGuard(form.dirty, 'Hai modificato l’inchiesta. Se esci adesso, le modifiche vanno perse.');

  // The server's errors do not apply to fields that were changed since.
  const standing = (said: Faults, of: Callout) =>
    Object.entries(said).filter(
      ([field]) => JSON.stringify(get(now, field)) === JSON.stringify(get(of, field)),
    );
  const tried = standing(refused.errors, refused.draft);
  const lacks = new Map([...standing(problems, form.saved), ...tried]);
  // Beside the questions from the beginning; at the fields once it was to be opened.
  const wrong = new Map([...(asked ? lacks : tried), ...Object.entries(errorsOf(form.failure))]);
  const lead = (field: string) => way.lead(field, now.questions);
  const fields = {
    now,
    fixed: state !== 'bozza',
    field: (name: string) => ({ name, error: wrong.get(name) }),
    type: (change: Partial<Callout>) => form.type(change),
  };

  const keep = async (state: unknown = null) => {
    const saved = await form.keep();
    if (saved && id === '') {
      setMade({ to: paths.callout(saved.id), state });
    }
    return saved;
  };
  const settle = (one: Collision, theirs: boolean) => {
    form.settle(one, theirs);
    const { questions } = form.form.getValues();
    const at = questions.findIndex(({ key }) => key === one.key);
    way.lead(at < 0 ? one.field : `questions.${at}.text`, questions);
  };
  const publish = async () => {
    const saved = await keep(ASKED);
    try {
      return saved && (await open(saved.id)) && 'Inchiesta aperta.';
    } catch (error) {
      const [lacking] = Object.keys(errorsOf(error));
      if (lacking === undefined) {
        throw error;
      }
      setAsked(true);
      return way.lead(lacking, saved?.questions ?? []);
    }
  };
  const drop = async () => {
    form.discard();
    await remove(callout);
    navigate(paths.callouts);
  };
  // Once nothing is unsaved any more.
  if (made && !form.dirty && !action.busy) {
    return <Navigate {...made} replace />;
  }
  const acts = (
    <>
      <Button icon={<MessageCircle />} onClick={() => setTrying(now)}>
        Prova
      </Button>
      <Turn {...{ callout, action }} unsaved={form.dirty} onOpen={publish} />
    </>
  );
  return (
    <Frame callout={{ ...callout, title: now.title }} action={action} acts={acts}>
      <RecoveredNotice form={form} />
      {collision ? (
        <Collided
          key={`${collision.field} ${collision.key} ${form.asked}`}
          collision={collision}
          now={now}
          stored={form.saved.questions}
          onKeep={() => settle(collision, false)}
          onTake={() => settle(collision, true)}
        />
      ) : null}
      <div className={styles.columns}>
        <div className={styles.side}>
          <Lacks {...{ lacks, state, lead }} ready={!form.dirty && id !== ''} />
          <Address callout={callout} slug={now.slug} onChange={() => lead('slug')} />
          <Department {...fields} />
          <Fold title="Presentazione">
            <Texts {...fields} of="before" />
          </Fold>
        </div>
        <div className={styles.main}>
          <Questions {...fields} {...{ lacks, way }} />
          <SaveBar form={form} failureTitle="Inchiesta non salvata" onSave={() => void keep()} />
        </div>
        <div className={styles.side}>
          <Fold title="Che cosa si chiede">
            <Asks {...fields} />
          </Fold>
          <Fold title="Date ed etichette">
            <Timing {...fields} />
          </Fold>
          <Fold title="Alla fine">
            <Texts {...fields} of="after" />
          </Fold>
          {id ? (
            <Fold title="QR e codice per un sito">
              <Sharing callout={callout} />
            </Fold>
          ) : null}
          {id && received === 0 ? (
            <Asked
              of={action}
              label="Elimina"
              confirmLabel="Elimina"
              about="l’inchiesta"
              variant="quiet"
              icon={<Trash2 />}
              work={drop}
            >
              <p>Non ha ancora ricevuto nulla. Domande e link spariscono, e non si può annullare.</p>
            </Asked>
          ) : null}
        </div>
      </div>
      {trying ? (
        <RehearsalDialog
          subject={{ prompts: {}, callout: trying }}
          onClose={() => setTrying(null)}
          onRefused={(errors) => {
            setRefused({ errors, draft: trying });
            setTrying(null);
            lead(Object.keys(errors)[0] ?? '');
            return true;
          }}
        />
      ) : null}
    </Frame>
  );
}
