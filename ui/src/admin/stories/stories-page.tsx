import { type Ref, useId, useImperativeHandle, useRef, useState } from 'react';
import { Link } from 'react-router-dom';
import { call } from '../../shared/api/client';
import type { StoryList } from '../../shared/api/schema';
import { counted, formatNumber } from '../../shared/lib/text';
import { Badge } from '../../shared/ui/badge';
import { Button, type ButtonVariant } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { TextField } from '../../shared/ui/text-field';
import { Failure, useAction } from '../common/action';
import { useDepartments } from '../common/departments';
import { errorsOf } from '../common/errors';
import { LabelChips } from '../common/labels/labels';
import { Age, MINUTE_MS } from '../common/list/age';
import { Loaded } from '../common/loaded';
import { Page } from '../common/page';
import { paths } from '../common/paths';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import { LOOK_MS, MOST, TITLE_CHARS } from '../common/stories';
import { useToast } from '../common/toast';
import { useNow } from '../common/use-now';
import { useRead, useRefresh } from '../common/use-read';
import { type Command, useShortcuts } from '../keyboard/keyboard-context';
import { ANNOUNCED, factsOf, type Proposal, useProposals } from './api';
import styles from './stories.module.css';
import { type Addressed, type Sent, SentNotice, WriteToAll } from './write-to-all';

export function StoriesPage() {
  const stories = useRead('/stories', { with: { query: { limit: MOST } }, refetchInterval: LOOK_MS });
  const [writing, setWriting] = useState<Addressed | null>(null);
  const [sent, setSent] = useState<Sent | null>(null);
  const { show } = useToast();
  return (
    <Page title="Storie" subtitle="Segnalazioni che parlano della stessa cosa">
      {sent ? <SentNotice sent={sent} onClose={() => setSent(null)} /> : null}
      {writing ? <WriteToAll to={writing} onSent={setSent} onClose={() => setWriting(null)} /> : null}
      <Proposals onNews={(text) => show({ text })} onWrite={setWriting} />
      <Loaded query={stories} loading="Caricamento…" failed="Non è stato possibile caricare le storie">
        {(found) => <Stories found={found} />}
      </Loaded>
    </Page>
  );
}

function Stories({ found: { data, nextCursor } }: { found: StoryList }) {
  const now = useNow(MINUTE_MS);
  const { nameOf } = useDepartments();
  return (
    <Card title="Storie">
      {data.length === 0 ? (
        <Text tone="muted">
          Nessuna, per ora. Nasce da una proposta, o dalle segnalazioni che scegli nell’elenco.
        </Text>
      ) : (
        <Stack as="ul" lined aria-label="Storie">
          {data.map((story) => (
            <li key={story.id} className={styles.entry}>
              <Link className={styles.whole ?? ''} to={paths.story(story.id)}>
                {story.title}
              </Link>
              <Age instant={story.last} now={now} />
              <Row gap={2}>
                <Text as="span" small tone="muted">
                  {factsOf(story, nameOf)}
                </Text>
                <LabelChips ids={story.labels} />
              </Row>
            </li>
          ))}
        </Stack>
      )}
      {nextCursor ? <Text tone="muted">{`Le ultime ${MOST}.`}</Text> : null}
    </Card>
  );
}

/** Proposals at once: the next ones come as these are answered. */
const SHOWN = 10;

const ANSWERS = {
  s: 'Sì, una storia',
  w: 'Sì, e scrivi a tutti',
  n: 'No, sono cose diverse',
} as const;

type AnswerKey = keyof typeof ANSWERS;
const ANSWER_KEYS = ['s', 'w', 'n'] as const satisfies AnswerKey[];

function bring(entry: Element | null | undefined) {
  if (entry instanceof HTMLElement) {
    entry.focus({ preventScroll: true });
    entry.scrollIntoView({ block: 'nearest' });
  }
}

interface ProposalsProps {
  onNews: (text: string) => void;
  onWrite: (to: Addressed) => void;
}

interface EntryProps extends ProposalsProps {
  proposal: Proposal;
  /** Takes the answers given with a key. */
  ref: Ref<Answering>;
}

/** Answers a proposal by a key. */
type Answering = (key: AnswerKey) => void;

function Proposals(props: ProposalsProps) {
  const proposals = useProposals();
  const { edits } = useRights();
  const list = useRef<HTMLUListElement>(null);
  const answering = useRef(new Map<string, Answering>());
  const entries = () => [...(list.current?.children ?? [])];
  const place = () => entries().findIndex((one) => one.contains(document.activeElement));
  const step = (by: 1 | -1) => bring(entries()[Math.max(place() + by, 0)]);
  // They go to the proposal that has the focus; without one they bring it to the first.
  const answer = (key: AnswerKey) => {
    const within = proposals.data?.data[place()];
    within ? answering.current.get(within.key)?.(key) : step(1);
  };
  const commands: Command[] = [
    { keys: 'j', label: 'Proposta successiva', run: () => step(1), repeats: true },
    { keys: 'k', label: 'Proposta precedente', run: () => step(-1), repeats: true },
    ...(edits ? ANSWER_KEYS.map((keys) => ({ keys, label: ANSWERS[keys], run: () => answer(keys) })) : []),
  ];
  useShortcuts('Nelle proposte', commands, proposals.isPending);
  return (
    <Card title="Proposte">
      <Loaded query={proposals} loading="Caricamento…" failed="Proposte non caricate" part>
        {({ data, ready }) => (
          <Stack>
            <p role="status" className={ready ? 'visually-hidden' : undefined}>
              {ready ? '' : 'Sto leggendo l’archivio…'}
            </p>
            {ready && data.length === 0 ? (
              <Text tone="muted">
                Nessuna. Quando più racconti nominano la stessa cosa, compaiono qui insieme: decidi tu.
              </Text>
            ) : null}
            <Stack as="ul" lined aria-label="Proposte" ref={list}>
              {data.slice(0, SHOWN).map((proposal) => (
                <Entry
                  key={proposal.key}
                  ref={(take) => {
                    if (take) {
                      answering.current.set(proposal.key, take);
                    }
                    return () => void answering.current.delete(proposal.key);
                  }}
                  proposal={proposal}
                  {...props}
                />
              ))}
            </Stack>
            {data.length > SHOWN ? (
              <Text tone="muted">{`Dopo queste, altre ${formatNumber(data.length - SHOWN)}.`}</Text>
            ) : null}
          </Stack>
        )}
      </Loaded>
    </Card>
  );
}

function Entry({ proposal, ref, onNews, onWrite }: EntryProps) {
  const { key, reports, story, reasons } = proposal;
  const { edits } = useRights();
  const id = useId();
  const entry = useRef<HTMLLIElement>(null);
  const [title, setTitle] = useState(proposal.title ?? '');
  const refresh = useRefresh();
  const action = useAction();
  const size = counted(reports.length, 'segnalazione', 'segnalazioni');
  const answer = (accept: boolean, write = false) => {
    const body = { accept, ...(accept && !story && title.trim() && { title }) };
    void action.run(async () => {
      const made = await call('post', '/stories/proposals/{key}', { path: { key }, body });
      onNews(accept ? `Nella storia: ${size}.` : 'Non verranno più proposte insieme.');
      if (write && made.story) {
        onWrite({ id: made.story, title: title || size, reports: reports.length });
      }
      await refresh();
    });
    // On to the next one at once: this one goes as soon as the server has the answer.
    bring(entry.current?.nextElementSibling ?? entry.current?.previousElementSibling);
  };
  const take: Answering = (key) => {
    // For an existing story, the answer writes to no reporter.
    if (!action.busy && !(story && key === 'w')) {
      answer(key !== 'n', key === 'w');
    }
  };
  useImperativeHandle(ref, () => take);
  const button = (key: AnswerKey, variant: ButtonVariant, label: string = ANSWERS[key]) => (
    <Button
      variant={variant}
      about={title || size}
      title={key}
      aria-keyshortcuts={key}
      inactive={action.busy}
      onClick={() => take(key)}
    >
      {label}
    </Button>
  );
  return (
    <li ref={entry} className={styles.proposal} tabIndex={-1} aria-labelledby={id} aria-busy={action.busy}>
      <Row gap={2}>
        <h3 id={id}>{proposal.title ?? 'Senza un nome in comune'}</h3>
        <Badge {...(reports.length >= ANNOUNCED && { tone: 'blue' })}>{size}</Badge>
      </Row>
      {reasons.map((reason) => (
        <p key={reason}>{reason}</p>
      ))}
      <Rows of={proposal} />
      {edits && !story ? (
        <TextField
          label="Titolo"
          error={errorsOf(action.failure).title}
          value={title}
          maxLength={TITLE_CHARS}
          onValue={setTitle}
          onKeyDown={(event) => event.key === 'Enter' && answer(true)}
        />
      ) : null}
      {edits ? (
        <Row gap={2}>
          {button('s', 'secondary', story ? `Aggiungi alla storia «${title}»` : ANSWERS.s)}
          {story ? null : button('w', 'secondary')}
          {button('n', 'quiet')}
        </Row>
      ) : null}
      <Failure of={action} title="Risposta non salvata" />
    </li>
  );
}

/** The reports of a proposal, each to be read in a tab of its own: what was begun here stays. */
function Rows({ of: { heads } }: { of: Proposal }) {
  return (
    <ul className={styles.rows}>
      {heads.map((head) => (
        <li key={head.id}>
          <Link to={paths.report(head.id)} target="_blank">
            {reporterName(head)}
            <span className="visually-hidden"> (in un’altra scheda)</span>
          </Link>{' '}
          {head.excerpt}
        </li>
      ))}
    </ul>
  );
}
