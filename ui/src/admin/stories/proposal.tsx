/** A proposal, open. Nothing is joined, set apart or sent but what the buttons say. */
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { Fragment, type ReactNode, type Ref } from 'react';
import { Link } from 'react-router-dom';
import type { MessagesSent } from '../../shared/api/schema';
import { formatNumber } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { TextField } from '../../shared/ui/text-field';
import { Failure } from '../common/action';
import { errorsOf } from '../common/errors';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import { ToastPlace } from '../common/toast-strip';
import { type Command, useShortcuts } from '../keyboard/keyboard-context';
import { Letter } from '../letters/letter';
import type { Draft, Proposal } from './api';
import styles from './proposal.module.css';
import { ProposalLines } from './proposal-lines';
import { useDecision } from './use-decision';

export interface OpenProposalProps {
  proposal: Proposal;
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
  place: number;
  of: number;
  /** It stands alone on the page, instead of beside the list. */
  alone: boolean;
  onStep: (by: 1 | -1) => void;
  /** It was decided. */
  onDone: () => void;
  /** That was taken back. */
  onUndone: () => void;
  /** A letter did not reach all of those who have a code. */
  onRefused: (refused: MessagesSent['refused']) => void;
  /** What has to be read before. */
  notice: ReactNode;
  /** To the reports of it. */
  onEnter: () => void;
  onBack: () => void;
  ref: Ref<HTMLElement>;
}

export function OpenProposal(props: OpenProposalProps) {
  const { proposal, draft, onDraft, place, of, alone, notice, onStep, onEnter, onBack, ref } = props;
  const { story, reasons, heads } = proposal;
  const { edits } = useRights();
  const decision = useDecision(props);
  const { kept, enough, title, action, accept, refuse } = decision;
  const readers = kept.filter(({ code }) => code).length;
  const writes = !story && readers > 0;
  const commands: Command[] = [
    {
      keys: 's',
      label: story ? 'Sì, aggiungi alla storia' : 'Sì, una storia',
      run: () => void accept(),
    },
    ...(writes ? [{ keys: 'w', label: 'Sì, e scrivi a tutti', run: () => onDraft({ writing: true }) }] : []),
    { keys: 'n', label: 'No, sono cose diverse', run: () => void refuse() },
    {
      keys: 'x',
      label: 'Togli o rimetti la segnalazione evidenziata',
      run: () => toggleFocused() || onEnter(),
    },
  ];
  useShortcuts('Nella proposta', edits ? commands : []);
  const toggle = (id: string) =>
    onDraft({
      without: draft.without.includes(id)
        ? draft.without.filter((other) => other !== id)
        : [...draft.without, id],
    });
  const Heading = alone ? 'h1' : 'h2';
  const counts = kept.length < heads.length ? ` (${kept.length} di ${heads.length})` : '';
  return (
    <section className={styles.open} tabIndex={-1} aria-labelledby="proposta" ref={ref}>
      {alone ? <Back /> : null}
      <header className={styles.top}>
        <Heading id="proposta" className={edits && !story ? 'visually-hidden' : undefined}>
          {story ? `Per la storia «${title}»` : title}
        </Heading>
        {edits && !story ? (
          <TextField
            label="Titolo"
            error={errorsOf(action.failure).title}
            value={draft.title}
            onValue={(typed) => onDraft({ title: typed })}
            onKeyDown={(event) => event.key === 'Enter' && void accept()}
          />
        ) : null}
        <p className={styles.why}>
          <Reasons of={reasons} /> {countedToo(story !== null, kept.length < heads.length)}
        </p>
      </header>
      <div className={styles.scroller}>
        {notice}
        <Failure of={action} title="Risposta non salvata" />
        <ProposalLines of={proposal} without={draft.without} onToggle={toggle} onEscape={onBack} />
      </div>
      {edits && draft.writing && writes ? (
        <div className={styles.writing}>
          <Letter
            readers={readers}
            others={kept.filter(({ code }) => !code).map(reporterName)}
            consequence="La storia nasce quando invii; chi hai tolto resta fuori."
            act=" e fai la storia"
            text={draft.letter}
            onText={(letter) => onDraft({ letter })}
            asked={{
              questions: draft.questions,
              onQuestions: (change) => onDraft({ questions: change(draft.questions) }),
            }}
            onSend={decision.send}
            onClose={() => {
              onDraft({ writing: false });
              onBack();
            }}
          />
        </div>
      ) : (
        <footer className={styles.answers}>
          {edits ? (
            <>
              <Button
                variant="primary"
                aria-keyshortcuts="s"
                inactive={action.busy || !enough}
                onClick={() => void accept()}
              >
                {story ? (
                  <span>{`Aggiungi alla storia «${title}»${counts}`}</span>
                ) : (
                  <span>
                    Sì, una storia <span className={styles.of}>di {formatNumber(kept.length)}</span>
                  </span>
                )}
              </Button>
              {writes ? (
                <Button
                  aria-keyshortcuts="w"
                  inactive={action.busy || !enough}
                  onClick={() => onDraft({ writing: true })}
                >
                  Sì, e scrivi a tutti
                </Button>
              ) : null}
              <Button
                variant="quiet"
                aria-keyshortcuts="n"
                inactive={action.busy}
                onClick={() => void refuse()}
              >
                No, sono cose diverse
              </Button>
            </>
          ) : null}
          <div className={styles.steps}>
            <p role="status">
              {enough ? `${place + 1} di ${of}` : `Ne ${story ? 'serve almeno una' : 'servono almeno due'}`}
            </p>
            <Button
              variant="icon"
              aria-label="Proposta precedente"
              icon={<ChevronLeft />}
              inactive={place === 0}
              onClick={() => onStep(-1)}
            />
            <Button
              variant="icon"
              aria-label="Proposta successiva"
              icon={<ChevronRight />}
              inactive={place === of - 1}
              onClick={() => onStep(1)}
            />
          </div>
        </footer>
      )}
      {alone ? <ToastPlace /> : null}
    </section>
  );
}

export const Back = () => (
  <Link className={styles.back ?? ''} to={paths.stories}>
    <ChevronLeft aria-hidden="true" />
    Storie
  </Link>
);

/** Whether there was one. */
function toggleFocused(): boolean {
  const box = document.activeElement?.closest('li')?.querySelector<HTMLElement>('input[type="checkbox"]');
  box?.click();
  return box != null;
}

/** Whom the reasons count beside those that stay in. */
function countedToo(story: boolean, out: boolean): string {
  const also = [story && 'quelle già nella storia', out && 'quelle tolte'].filter(Boolean).join(' e ');
  return also && `Contate anche ${also}.`;
}

/** The names that they quote stand out. */
const Reasons = ({ of }: { of: readonly string[] }) =>
  of
    .join(' ')
    .split(/(«[^»]+»)/)
    .map((part, index) => {
      const Element = part.startsWith('«') ? 'b' : Fragment;
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
      return <Element key={index}>{part}</Element>;
    });
