/** The list of the stories: the newsroom's own, then what is proposed. Each is one line. */
import { Plus, Search } from 'lucide-react';
import type { ReactNode, Ref } from 'react';
import { Link } from 'react-router-dom';
import type { Story } from '../../shared/api/schema';
import { counted, formatNumber } from '../../shared/lib/text';
import { Button, buttonClass } from '../../shared/ui/button';
import { Text } from '../../shared/ui/layout';
import { matches } from '../common/list/marked';
import { Loaded } from '../common/loaded';
import { useHeading } from '../common/page';
import { paths } from '../common/paths';
import { useRights } from '../common/session/session-context';
import { LOOK_MS, MOST, quoted } from '../common/stories';
import { ToastPlace } from '../common/toast-strip';
import { useRead } from '../common/use-read';
import { useKeyboard } from '../keyboard/keyboard-context';
import { type Proposal, sizeOf, type useProposals } from './api';
import styles from './story-list.module.css';

interface StoryListProps {
  proposals: ReturnType<typeof useProposals>;
  /** The key of the proposal that is shown. */
  open: string | undefined;
  onOpen: (key: string) => void;
  /** The rows of the proposals. */
  rows: Ref<HTMLUListElement>;
  /** What has to be read before. */
  notice: ReactNode;
}

export function StoryList({ proposals, open, onOpen, rows, notice }: StoryListProps) {
  const stories = useRead('/stories', { with: { query: { limit: MOST } }, refetchInterval: LOOK_MS });
  const { edits } = useRights();
  const { openPalette } = useKeyboard();
  const heading = useHeading('Storie');
  return (
    <div className={styles.list}>
      <header className={styles.head}>
        <h1 tabIndex={-1} ref={heading}>
          Storie
        </h1>
        <Button variant="icon" aria-label="Cerca" title="Cerca" icon={<Search />} onClick={openPalette} />
        {edits ? (
          <Link
            className={buttonClass}
            data-variant="icon"
            to={paths.reports}
            aria-label="Nuova storia, dalle segnalazioni che scegli nell’elenco"
            title="Nuova storia: scegli le segnalazioni nell’elenco"
          >
            <Plus />
          </Link>
        ) : null}
      </header>
      {notice}
      <h2>
        Della redazione <Count of={stories.data?.data} />
      </h2>
      <Loaded
        query={stories}
        loading="Caricamento…"
        failed="Non è stato possibile caricare le storie"
        lines={3}
      >
        {({ data, nextCursor }) => (
          <>
            {data.length === 0 ? (
              <Text tone="muted" small>
                Nessuna, per ora. Nasce da una proposta, o dalle segnalazioni che scegli nell’elenco.
              </Text>
            ) : (
              <ul className={styles.own} aria-label="Storie">
                {data.map((story) => (
                  <OwnRow key={story.id} story={story} />
                ))}
              </ul>
            )}
            {nextCursor ? <Text tone="muted" small>{`Le ultime ${MOST}.`}</Text> : null}
          </>
        )}
      </Loaded>
      <h2>
        Proposte <Count of={proposals.data?.data} />
      </h2>
      <Loaded query={proposals} loading="Caricamento…" failed="Proposte non caricate" lines={5} part>
        {({ data, ready }) => (
          <>
            <p role="status" className={ready ? 'visually-hidden' : undefined}>
              {ready ? '' : 'Sto leggendo l’archivio…'}
            </p>
            {ready && data.length === 0 ? (
              <Text tone="muted" small>
                Nessuna. Quando più racconti nominano la stessa cosa, compaiono qui insieme: decidi tu.
              </Text>
            ) : null}
            <ul className={styles.proposals} aria-label="Proposte" ref={rows}>
              {data.map((proposal) => (
                <ProposalRow
                  key={proposal.key}
                  proposal={proposal}
                  shown={proposal.key === open}
                  onOpen={onOpen}
                />
              ))}
            </ul>
          </>
        )}
      </Loaded>
      <ToastPlace />
    </div>
  );
}

const Count = ({ of }: { of: readonly unknown[] | undefined }) =>
  of && of.length > 0 ? <span>{formatNumber(of.length)}</span> : null;

/** The news of a story: answers come before reports that are still unopened. */
function newsOf({ answers, unread }: Story): string {
  return answers > 0
    ? counted(answers, 'risposta', 'risposte')
    : unread > 0
      ? counted(unread, 'nuova', 'nuove')
      : '';
}

function OwnRow({ story }: { story: Story }) {
  const { id, title, reports, people } = story;
  const facts = [sizeOf(reports), ...people.map(({ name }) => name)].join(' · ');
  const news = newsOf(story);
  return (
    <li>
      <Link to={paths.story(id)} data-news={news === '' ? undefined : ''}>
        <b title={title}>{title}</b>
        <span className={styles.facts}>{facts}</span>
        {news === '' ? null : <span className={styles.news}>{news}</span>}
      </Link>
    </li>
  );
}

interface ProposalRowProps {
  proposal: Proposal;
  shown: boolean;
  onOpen: (key: string) => void;
}

/** A row leads to its proposal by its address, too: in another tab, or back to it. */
function ProposalRow({ proposal: { key, title, story, names, reports }, shown, onOpen }: ProposalRowProps) {
  const name = story ? `Per «${title}»` : (title ?? 'Senza un nome in comune');
  const others = names.filter((one) => !matches(name, one));
  return (
    <li>
      <Link
        to={paths.proposal(key)}
        aria-current={shown ? 'true' : undefined}
        onClick={(event) => {
          if (!(event.ctrlKey || event.metaKey || event.shiftKey)) {
            event.preventDefault();
            onOpen(key);
          }
        }}
      >
        <span>
          <b title={name}>{name}</b> <span className={styles.why}>{quoted(others.slice(0, 2))}</span>
        </span>
        <span>
          <span aria-hidden="true">{`${story ? '+' : ''}${formatNumber(reports.length)}`}</span>
          <span className="visually-hidden">{counted(reports.length, 'segnalazione', 'segnalazioni')}</span>
        </span>
      </Link>
    </li>
  );
}
