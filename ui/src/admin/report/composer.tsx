/** The one box of a report. Must never send outward what was meant for the newsroom, nor lose what did not arrive. */
import { Lock, SendHorizontal } from 'lucide-react';
import { type FocusEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import type { CalloutQuestion, ReportDetail } from '../../shared/api/schema';
import { SendKey } from '../../shared/lib/send-key';
import { counted } from '../../shared/lib/text';
import { Checkbox } from '../../shared/ui/checkbox';
import { Form } from '../../shared/ui/form';
import { useAsking } from '../callouts/asking';
import { Failure, Send, useAction } from '../common/action';
import { errorsOf } from '../common/errors';
import { kept } from '../common/kept';
import { useKeyRegistry } from '../common/keys/registry';
import { firstName } from '../common/moment';
import { useOthers } from '../common/people/people';
import { useToast } from '../common/toast';
import { useRead } from '../common/use-read';
import { useCommentChanges, useComments, useMessageChanges, useMessages } from './api';
import styles from './composer.module.css';
import { type Ready, SuggestingArea } from './suggesting-area';

/** Whom it is for: the newsroom, or the reporter. */
export type Way = 'in' | 'out';

/** The questions go with what is for the reporter. */
export type Drafts = Readonly<Record<Way, string> & { questions: readonly CalloutQuestion[] }>;

export const EMPTY: Drafts = { in: '', out: '', questions: [] };

const UNREADABLE = 'Questa segnalazione non ha una ricevuta: chi l’ha inviata non può leggere messaggi.';

export const unsentOf = (drafts: Drafts): string[] =>
  [drafts.in, drafts.out, ...drafts.questions.map(({ text }) => text)].filter((draft) => draft.trim() !== '');

/** What was typed for a report and not sent: it is there again when the report is opened again. */
export function useDrafts(id: string) {
  const name = `drafts ${id}`;
  const [drafts, setDrafts] = useState<Drafts>(() => ({ ...EMPTY, ...kept.get(name)?.changes }));
  useEffect(() => {
    if (unsentOf(drafts).length > 0) {
      kept.set(name, { base: EMPTY, changes: drafts });
    } else {
      kept.delete(name);
    }
  }, [name, drafts]);
  return [drafts, setDrafts] as const;
}

/** Whom the last word was with; of a new report, its reporter. A message to a reporter without a receipt is never read. */
export function useLastWay({ id, origin }: ReportDetail): Way {
  const messages = useMessages(id).data;
  const comments = useComments(id).data?.data ?? [];
  if (messages ? !messages.receipt : origin !== 'chat') {
    return 'in';
  }
  const time = (one: { at: string } | undefined) => (one ? Date.parse(one.at) : 0);
  return time(comments.at(-1)) > time(messages?.data.at(-1)) ? 'in' : 'out';
}

interface ComposerProps {
  report: ReportDetail;
  way: Way;
  onWay: (way: Way) => void;
  box: RefObject<HTMLTextAreaElement | null>;
  drafts: Drafts;
  onDrafts: (change: (now: Drafts) => Drafts) => void;
  /** Chooses whom it is for, and goes to the box. */
  onWrite: (way: Way) => void;
  onSend: () => void;
}

export function Composer({ report, way, onWay, onWrite, box, drafts, onDrafts, onSend }: ComposerProps) {
  const { id, nome } = report;
  const { add } = useCommentChanges(id);
  const messages = useMessageChanges(id);
  const unreadable = useMessages(id).data?.receipt === false && way === 'out';
  const [keys] = useState(() => ({ in: new SendKey(), out: new SendKey() }));
  const [ticked, setTicked] = useState(false);
  const [used, setUsed] = useState(false);
  const action = useAction();
  const { show } = useToast();
  const pressed = useKeyRegistry();
  const ready = useReady(report);
  const readers = useReaders(report);
  const text = unreadable ? '' : drafts[way];
  const questions = way === 'out' && !unreadable ? drafts.questions : [];
  const asking = useAsking(
    {
      questions,
      onQuestions: (change) => onDrafts((now) => ({ ...now, questions: change(now.questions) })),
    },
    action.failure,
  );
  const answers = way === 'out' && report.withdrawal !== null;
  const closes = answers && ticked;
  const sent = async () => {
    // The keys are commands again, for what follows the message: they wait until it has arrived.
    const arrived = pressed.hold();
    box.current?.blur();
    const key = keys[way].of(JSON.stringify([text, questions]));
    try {
      if (way === 'in') {
        await add(text, key);
        return null;
      }
      return await messages.send({ text, key, closesWithdrawal: closes, questions: [...questions] });
    } catch (error) {
      box.current?.focus();
      throw error;
    } finally {
      arrived();
    }
  };
  const send = async () => {
    onSend();
    const takeBack = await sent();
    keys[way].arrived();
    // Text that was typed meanwhile stays.
    onDrafts((now) => ({
      ...now,
      [way]: now[way] === text ? '' : now[way],
      questions: now.questions === questions ? [] : now.questions,
    }));
    if (takeBack === null) {
      return 'Commento salvato';
    }
    // What was taken back is there to be written anew.
    const undo = async () => {
      await takeBack();
      onDrafts((now) =>
        now.out === '' && now.questions.length === 0 ? { ...now, out: text, questions } : now,
      );
    };
    show({ text: `Messaggio inviato${nome ? ` a ${nome}` : ''}`, undo });
    return null;
  };
  const refused = errorsOf(action.failure).text;
  const failure = useId();
  const whom = nome || 'chi ha segnalato';
  const to = questions.length > 0 ? `con ${counted(questions.length, 'domanda', 'domande')}` : `a ${whom}`;
  const outward = closes ? 'Rispondi e chiudi la richiesta' : `Invia ${to}`;
  const label = way === 'in' ? 'Aggiungi un commento' : 'Scrivi a chi ha segnalato';
  const reads = way === 'in' ? readers : 'Lo legge con il suo codice';
  const open = used || text !== '' || questions.length > 0 || unreadable || action.failure !== null;
  const onBlur = ({ currentTarget, relatedTarget }: FocusEvent) =>
    setUsed(relatedTarget instanceof Node && currentTarget.contains(relatedTarget));
  return (
    <Form
      className={styles.composer}
      label={label}
      gap={2}
      onSubmit={() => text.trim() !== '' && void action.run(send)}
    >
      <Failure of={action} title={way === 'in' ? 'Commento non salvato' : 'Messaggio non inviato'}>
        {refused && <p id={failure}>{refused}</p>}
      </Failure>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only hears when the focus comes and goes */}
      <div
        className={styles.box}
        data-way={way}
        data-open={open || undefined}
        onFocus={() => {
          setUsed(true);
          // The text typed from here on is for them, even if the other side writes meanwhile.
          onWay(way);
        }}
        onBlur={onBlur}
      >
        <fieldset className={styles.switch}>
          <legend className="visually-hidden">A chi scrivi</legend>
          <Whom {...{ way, onWay, onWrite }} to="out" keys="w" label={`A ${whom}`} Icon={SendHorizontal} />
          <Whom {...{ way, onWay, onWrite }} to="in" keys="c" label="Alla redazione" Icon={Lock} />
        </fieldset>
        {/* A box even where nothing can be written: what is typed into it must not run as commands. */}
        <SuggestingArea
          ref={box}
          label={label}
          rows={unreadable ? 3 : 1}
          readOnly={unreadable}
          aria-invalid={refused ? true : undefined}
          aria-describedby={refused && failure}
          value={unreadable ? UNREADABLE : text}
          ready={ready[way]}
          placeholder={
            questions.length > 0
              ? 'Due parole, prima delle domande'
              : open
                ? ''
                : way === 'in'
                  ? 'Scrivi un commento'
                  : 'Scrivi: lo legge con il suo codice'
          }
          onValue={(typed) => onDrafts((before) => ({ ...before, [way]: typed }))}
        />
        {asking.list}
        {unreadable ? null : (
          <div className={styles.foot}>
            {way === 'out' && open ? asking.more : null}
            <p title={reads}>{reads}</p>
            {answers ? (
              <Checkbox checked={ticked} onChange={setTicked}>
                Risponde alla richiesta di ritirare tutto
              </Checkbox>
            ) : null}
            <kbd>Ctrl ↵</kbd>
            <Send busy={action.busy} variant="primary" blocked={text.trim() === ''}>
              {way === 'in' ? 'Commenta' : outward}
            </Send>
          </div>
        )}
      </div>
    </Form>
  );
}

interface WhomProps extends Pick<ComposerProps, 'way' | 'onWay' | 'onWrite'> {
  to: Way;
  keys: string;
  label: string;
  Icon: typeof Lock;
}

function Whom({ to, way, keys, label, Icon, onWay, onWrite }: WhomProps) {
  const pointed = useRef(false);
  return (
    <label
      title={`${label} (${keys})`}
      onPointerDown={() => {
        pointed.current = true;
      }}
      onKeyDown={() => {
        pointed.current = false;
      }}
      // A pointer comes to write; with the arrows one only looks at the other.
      onClick={() => pointed.current && onWrite(to)}
    >
      <input
        type="radio"
        name="way"
        className="visually-hidden"
        checked={way === to}
        aria-keyshortcuts={keys}
        onChange={() => onWay(to)}
      />
      <Icon aria-hidden="true" />
      <span>{label}</span> <kbd>{keys}</kbd>
    </label>
  );
}

/** Who reads a comment: `Lo legge chi vede Sanità: Laura, Davide, tu`. */
function useReaders({ id, departmentName }: ReportDetail): string {
  const others = useOthers(id).map(({ name }) => firstName(name));
  return `Lo legge chi vede ${departmentName}: ${[...others, 'tu'].join(', ')}`;
}

/** The suggestions behind a mark: the newsroom's reply templates, and in a comment its people. */
function useReady({ id }: ReportDetail): Readonly<Record<Way, readonly Ready[]>> {
  const others = useOthers(id);
  const { data } = useRead('/settings/desk', { background: true, staleTime: Number.POSITIVE_INFINITY });
  const templates = (data?.replyTemplates ?? '')
    .split(/\n\s*\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text): Ready => ({ mark: '#', label: text, text }));
  const people = others.map(({ name }): Ready => ({ mark: '@', label: name, text: `@${name} ` }));
  return { in: [...people, ...templates], out: templates };
}
