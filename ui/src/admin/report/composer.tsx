/** The one box of a report. Must never send outward what was meant for the newsroom, nor lose what did not arrive. */
import { Lock, SendHorizontal } from 'lucide-react';
import { type RefObject, useState } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { SendKey } from '../../shared/lib/send-key';
import { Checkbox } from '../../shared/ui/checkbox';
import { Form } from '../../shared/ui/form';
import { Row } from '../../shared/ui/layout';
import { Failure, Send, useAction } from '../common/action';
import { useLeaveGuard } from '../common/leave-guard';
import { usePeople } from '../common/people/people';
import { useRead } from '../common/use-read';
import { useCommentChanges, useMessages, useSendMessage } from './api';
import { type Ready, SuggestingArea } from './suggesting-area';
import styles from './timeline.module.css';

export const CHARS = 5000;

/** Whom it is for: the newsroom, or the reporter. */
export type Way = 'in' | 'out';

export type Drafts = Readonly<Record<Way, string>>;

export const unsentOf = (drafts: Drafts): string[] =>
  Object.values(drafts).filter((draft) => draft.trim() !== '');

const WAYS = [
  { to: 'in', label: 'Alla redazione', key: 'c', Icon: Lock },
  { to: 'out', label: 'A chi ha segnalato', key: 'w', Icon: SendHorizontal },
] as const;

interface ComposerProps {
  report: ReportDetail;
  way: Way;
  onWay: (way: Way) => void;
  box: RefObject<HTMLTextAreaElement | null>;
  drafts: Drafts;
  onDrafts: (change: (now: Drafts) => Drafts) => void;
}

export function Composer({ report, way, onWay, box, drafts, onDrafts }: ComposerProps) {
  const { id, nome } = report;
  const { add } = useCommentChanges(id);
  const sendMessage = useSendMessage(id);
  const unreadable = useMessages(id).data?.receipt === false && way === 'out';
  const [keys] = useState(() => ({ in: new SendKey(), out: new SendKey() }));
  const [ticked, setTicked] = useState(false);
  const action = useAction();
  const ready = useReady();
  const text = drafts[way];
  useLeaveGuard(
    unsentOf(drafts).length > 0,
    'Hai scritto qualcosa e non l’hai inviato. Se esci adesso, va perso.',
  );
  const answers = way === 'out' && report.withdrawal !== null;
  const closes = answers && ticked;

  const send = async () => {
    const key = keys[way].of(text);
    await (way === 'in' ? add(text, key) : sendMessage(text, key, closes));
    keys[way].arrived();
    // Text that was typed meanwhile stays.
    onDrafts((now) => (now[way] === text ? { ...now, [way]: '' } : now));
    return way === 'in' ? 'Commento salvato' : `Messaggio inviato${nome ? ` a ${nome}` : ''}`;
  };
  const outward = closes ? 'Rispondi e chiudi la richiesta' : `Invia a ${nome || 'chi ha segnalato'}`;
  const label = way === 'in' ? 'Aggiungi un commento' : 'Scrivi a chi ha segnalato';
  return (
    <Form
      className={styles.composer}
      label={label}
      gap={2}
      onSubmit={() => text.trim() !== '' && void action.run(send)}
    >
      <Failure of={action} title={way === 'in' ? 'Commento non salvato' : 'Messaggio non inviato'} />
      <div className={styles.box} data-way={way}>
        <fieldset className={styles.switch}>
          <legend className="visually-hidden">A chi scrivi</legend>
          {WAYS.map(({ to, label: whom, key, Icon }) => (
            <label key={to} title={`${whom} (${key})`}>
              <input
                type="radio"
                name="way"
                className="visually-hidden"
                checked={way === to}
                aria-keyshortcuts={key}
                onChange={() => onWay(to)}
              />
              <Icon aria-hidden="true" />
              {whom} <kbd>{key}</kbd>
            </label>
          ))}
        </fieldset>
        <div className={styles.area}>
          {unreadable ? (
            <p>Questa segnalazione non ha una ricevuta: chi l’ha inviata non può leggere messaggi.</p>
          ) : (
            <>
              <SuggestingArea
                ref={box}
                label={label}
                maxLength={CHARS}
                value={text}
                ready={ready[way]}
                placeholder={
                  way === 'in'
                    ? 'Scrivi un commento: @ nomina una persona, # mette un testo pronto'
                    : `Scrivi a ${nome}: lo leggerà con il suo codice. # mette un testo pronto`
                }
                onValue={(typed) => onDrafts((before) => ({ ...before, [way]: typed }))}
              />
              <Row gap={2}>
                {answers ? (
                  <Checkbox checked={ticked} onChange={setTicked}>
                    Risponde alla richiesta di ritirare tutto
                  </Checkbox>
                ) : null}
                <Send busy={action.busy} variant="primary" blocked={text.trim() === ''}>
                  {way === 'in' ? 'Commenta' : outward}
                </Send>
              </Row>
            </>
          )}
        </div>
      </div>
    </Form>
  );
}

/** The suggestions behind a mark: the newsroom's reply templates, and in a comment its people. */
function useReady(): Readonly<Record<Way, readonly Ready[]>> {
  const { present } = usePeople();
  const { data } = useRead('/settings/desk', { background: true, staleTime: Number.POSITIVE_INFINITY });
  const templates = (data?.replyTemplates ?? '')
    .split(/\n\s*\n/)
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text): Ready => ({ mark: '#', label: text, text }));
  const people = present.map(({ name }): Ready => ({ mark: '@', label: name, text: `@${name} ` }));
  return { in: [...people, ...templates], out: templates };
}
