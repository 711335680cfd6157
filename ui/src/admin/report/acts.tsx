/** What is done with a report as a whole: its status, done, later, the rest. Must never save a value that was only passed by. */
import {
  AlarmClock,
  BadgeCheck,
  Check,
  Ellipsis,
  Files,
  PenLine,
  Printer,
  TriangleAlert,
  UserMinus,
} from 'lucide-react';
import { type RefObject, useEffect, useId, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { addressOf } from '../../shared/api/client';
import type { ReportDetail } from '../../shared/api/schema';
import { Button, buttonClass } from '../../shared/ui/button';
import { Failure, useAction } from '../common/action';
import { CopyButton } from '../common/copy-button';
import { useKeyRegistry } from '../common/keys/registry';
import list from '../common/list/list.module.css';
import { DONE_KEY, useDone } from '../common/list/use-done';
import { Opener } from '../common/opener';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { isSnoozed } from '../common/snooze';
import { STATO_OPTIONS } from '../common/stato';
import { choicesOf, useChanges } from '../desk/changes';
import styles from './acts.module.css';
import { useMessages } from './api';
import { Chooser } from './chooser';
import { ASIDE_MEANS, type SenderAside } from './sender-aside';

interface ActsProps {
  report: ReportDetail;
  doneButton: RefObject<HTMLButtonElement | null>;
  snoozeButton: RefObject<HTMLButtonElement | null>;
  sender: SenderAside;
  printing: boolean;
  onPrint: () => void;
}

export function Acts(props: ActsProps) {
  const { stato } = props.report;
  return useRights().edits ? (
    <Choices {...props} />
  ) : (
    <p className={styles.standing}>
      <i className={list.dot} data-stato={stato} /> {stato}
    </p>
  );
}

function Choices({ report, doneButton, snoozeButton, sender, printing, onPrint }: ActsProps) {
  const means = useId();
  const changes = useChanges();
  const { stato, urgente } = { ...choicesOf(report), ...changes.pending(report.id) };
  const more = useOpened();
  const receipt = useMessages(report.id).data?.receipt;
  return (
    <section ref={more.ref} className={styles.acts} aria-label="Azioni" data-open={more.open || undefined}>
      <Chooser
        label="Stato"
        keys="1 2 3 4"
        title="Stato (da 1 a 4)"
        value={stato}
        options={STATO_OPTIONS}
        icon={<i className={list.dot} data-stato={stato} />}
        second
        onValue={(to) => to !== stato && changes.change(report, { stato: to })}
      />
      <Done report={report} button={doneButton} />
      <Opener
        ref={snoozeButton}
        load={() => import('./snooze-dialog')}
        props={{ report }}
        variant="quiet"
        data-second=""
        aria-pressed={isSnoozed(report)}
        aria-keyshortcuts="h"
        title="Rinvia (h)"
        icon={<AlarmClock />}
      >
        <span className={styles.words}>Rinvia</span>
      </Opener>
      <Button
        variant="quiet"
        ref={more.button}
        aria-label="Altro"
        aria-expanded={more.open}
        title="Altro: urgente, PDF, ZIP, copia oscurata, consensi, ID, chi scrive"
        icon={<Ellipsis />}
        onClick={more.toggle}
      />
      {more.open ? (
        <div className={styles.menu}>
          <Button
            variant="quiet"
            aria-pressed={urgente}
            aria-keyshortcuts="u"
            title="Urgente (u)"
            icon={<TriangleAlert />}
            onClick={more.choosing(() => changes.change(report, { urgente: !urgente }))}
          >
            Urgente
          </Button>
          <Button
            variant="quiet"
            aria-keyshortcuts="p"
            inactive={printing}
            icon={<Printer />}
            onClick={more.choosing(onPrint)}
          >
            {printing ? 'Preparazione…' : 'Stampa PDF'}
          </Button>
          {report.attachments.length > 0 ? (
            <a
              className={buttonClass}
              data-variant="quiet"
              href={addressOf('/reports/{id}/dossier.zip', { path: { id: report.id } })}
              download
              onClick={more.choosing()}
            >
              <Files aria-hidden="true" />
              Scarica tutto (ZIP)
            </a>
          ) : null}
          {receipt ? (
            <Opener
              load={() => import('./consent-dialog')}
              props={{ report }}
              variant="quiet"
              icon={<BadgeCheck />}
            >
              Chiedi un consenso
            </Opener>
          ) : null}
          <Link className={buttonClass} data-variant="quiet" to={paths.copy(report.id)}>
            <PenLine aria-hidden="true" />
            Prepara una copia oscurata
          </Link>
          <CopyButton text={report.id} label="Copia l’ID" variant="quiet" />
          <Button
            variant="quiet"
            aria-describedby={means}
            aria-keyshortcuts="d"
            inactive={sender.busy}
            icon={<UserMinus />}
            onClick={more.choosing(sender.turn)}
          >
            {report.aside ? 'Riprendi chi scrive' : 'Metti da parte chi scrive'}
          </Button>
          <p id={means}>{ASIDE_MEANS}</p>
        </div>
      ) : null}
    </section>
  );
}

function Done({ report, button }: { report: ReportDetail; button: RefObject<HTMLButtonElement | null> }) {
  const action = useAction();
  const markDone = useDone();
  const keys = useKeyRegistry();
  const done = async () => {
    // What comes next is found, and left for, when it is done.
    const arrived = keys.hold();
    await markDone(report).finally(arrived);
  };
  return (
    <>
      <Button
        ref={button}
        className={styles.done}
        aria-keyshortcuts={DONE_KEY}
        title={`Esce da «Da fare» per tutti (${DONE_KEY})`}
        inactive={action.busy}
        icon={<Check />}
        onClick={() => void action.run(done)}
      >
        Fatto
      </Button>
      <Failure of={action} title="Non è uscita da «Da fare»" />
    </>
  );
}

/** A menu of seldom used actions closes when one of them is chosen, or something else is pressed. */
function useOpened() {
  const [open, setOpen] = useState(false);
  const ref = useRef<HTMLElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!open) {
      return;
    }
    const close = (event: Event) => {
      const within = event.target instanceof Node && ref.current?.contains(event.target);
      if (event instanceof globalThis.KeyboardEvent ? event.key === 'Escape' : !within) {
        setOpen(false);
      }
    };
    const gone = new AbortController();
    document.addEventListener('pointerdown', close, gone);
    document.addEventListener('keydown', close, gone);
    return () => gone.abort();
  }, [open]);
  /** The menu goes with what was pressed in it: the focus goes back to where it came from. */
  const choosing = (act?: () => void) => () => {
    setOpen(false);
    button.current?.focus();
    act?.();
  };
  return { open, ref, button, choosing, toggle: () => setOpen(!open) };
}
