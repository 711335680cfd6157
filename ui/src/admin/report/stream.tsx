/** What was said and decided about a report, in one order, the newest at the end. Must never hide what is new. */
import {
  BadgeCheck,
  ChevronRight,
  Flag,
  FolderInput,
  type LucideIcon,
  Mail,
  Paperclip,
  Pencil,
  Tag,
  UserRound,
} from 'lucide-react';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ReportDetail } from '../../shared/api/schema';
import { counted } from '../../shared/lib/text';
import { type Action, Failure, useAction } from '../common/action';
import { ErrorCard } from '../common/error-card';
import list from '../common/list/list.module.css';
import { firstName } from '../common/moment';
import { Moment } from '../common/moment-tag';
import { usePeople } from '../common/people/people';
import { useCommentChanges, useComments, useMessages } from './api';
import { CommentText } from './comment';
import { isDecision, type Kind, sentenceOf } from './history';
import styles from './stream.module.css';
import type { Fit } from './use-fit';
import { type Entry, lastWordOf, Said, useWritten } from './written';

const ICONS: Partial<Record<Kind, LucideIcon>> = {
  reparto: FolderInput,
  urgente: Flag,
  inoltrata: Flag,
  etichette: Tag,
  assegnata: UserRound,
  allegato: Paperclip,
  ritiro: Mail,
  consenso: BadgeCheck,
};

const PARTS = ['commenti', 'messaggi'];

const timeOf = ({ at }: { at: string }) => Date.parse(at);

function useDecided(report: ReportDetail): Entry[] {
  const { nameOf } = usePeople();
  return report.storia.filter(isDecision).map((entry, place): Entry => {
    const { tipo, a, author, data } = entry;
    const Icon = ICONS[tipo] ?? Pencil;
    const sentence = tipo === 'stato' && a ? a : sentenceOf(entry, report, nameOf);
    return {
      key: `${place} ${tipo}`,
      at: data,
      short: sentence,
      ...(tipo === 'consenso' && { by: 'reporter' }),
      node: (
        <div className={styles.change}>
          {tipo === 'stato' ? <i className={list.dot} data-stato={a} /> : <Icon aria-hidden="true" />}
          <p title={sentence}>
            {author ? `${author.name}: ` : null}
            <b>{sentence}</b>
          </p>
          <Moment at={data} />
        </div>
      ),
    };
  });
}

function useCommented(report: ReportDetail, action: Action): Entry[] {
  const comments = useComments(report.id).data?.data ?? [];
  const { change, remove } = useCommentChanges(report.id);
  return comments.map((comment): Entry => {
    const name = comment.author?.name;
    return {
      key: `comment ${comment.n}`,
      at: comment.at,
      short: `commento di ${name ? firstName(name) : 'redazione'}`,
      ...(comment.mine ? {} : { by: 'colleague' }),
      node: (
        <Said
          way="in"
          name={name}
          whom={`alla redazione${comment.edited ? ' · modificato' : ''}`}
          at={comment.at}
        >
          <CommentText
            comment={comment}
            action={action}
            change={(text) => change(comment.n, text)}
            remove={() => remove(comment.n)}
          />
        </Said>
      ),
    };
  });
}

const NEVER = Number.POSITIVE_INFINITY;

interface Beginnings {
  /** Messages after it are new to the person who looks. */
  fresh: Readonly<Record<NonNullable<Entry['by']>, number>>;
  /** What the reporter wrote after it waits for an answer. */
  waits: number;
}

/** Moments in ms, fixed as the messages come, until the report is left. Without a person it is not known what was seen. */
function useBeginnings(report: ReportDetail): Beginnings {
  const { data } = useMessages(report.id);
  const [found, setFound] = useState<Beginnings | null>(null);
  if (data && found === null) {
    const ours = data.data.findLast(({ from }) => from === 'redazione');
    const time = (moment: string | undefined) => Date.parse(moment ?? report.data_creazione);
    const waits = data.unread ? time(ours?.at) : NEVER;
    const seen = report.lastSeen ? time(report.lastSeen) : NEVER;
    const reporter = report.lastSeen ? seen : Math.min(waits, time(lastWordOf(data.data)));
    setFound({ fresh: { reporter, colleague: seen }, waits });
  }
  return found ?? { fresh: { reporter: NEVER, colleague: NEVER }, waits: NEVER };
}

interface StreamProps {
  report: ReportDetail;
  fit: Fit;
  /** One's own words are on their way: as soon as they stand here, they are brought into sight. */
  sending: RefObject<boolean>;
}

export function Stream({ report, fit, sending }: StreamProps) {
  const comments = useComments(report.id);
  const messages = useMessages(report.id);
  const { fresh, waits } = useBeginnings(report);
  const action = useAction();
  const entries = [...useDecided(report), ...useCommented(report, action), ...useWritten(report)].sort(
    (one, other) => timeOf(one) - timeOf(other),
  );
  const first = entries.findIndex((entry) => entry.by && timeOf(entry) > fresh[entry.by]);
  const waiting = entries.findIndex((entry) => entry.by === 'reporter' && timeOf(entry) > waits);
  const cut = Math.min(...[first, waiting].filter((place) => place >= 0), entries.length);
  const news = cut < entries.length;
  const read = fit.folded && news ? entries.slice(0, cut) : [];
  const shown = entries.slice(read.length);
  const end = useRef<HTMLLIElement>(null);
  const { opened, folded } = fit;
  const ready = comments.isFetched && messages.isFetched;
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again once the rest is folded
  useLayoutEffect(() => {
    if (ready) {
      opened(news, end.current);
    }
  }, [ready, news, opened, folded]);
  const last = entries.at(-1)?.key;
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever another one stands at the end
  useEffect(() => {
    if (sending.current) {
      sending.current = false;
      end.current?.scrollIntoView({ block: 'end' });
    }
  }, [last]);
  return (
    <section className={styles.stream} aria-labelledby="conversazione">
      <h2 id="conversazione" className="visually-hidden">
        Conversazione
      </h2>
      {[comments, messages].map(({ data, isError, error, refetch }, place) =>
        data === undefined && isError ? (
          <ErrorCard
            key={PARTS[place]}
            title={`Non è stato possibile leggere i ${PARTS[place]}`}
            error={error}
            onRetry={() => void refetch()}
          />
        ) : null,
      )}
      <Folded read={read} beside={fit.beside} onUnfold={fit.unfold} />
      <ol>
        {shown.map(({ key, node }, place) => (
          <li key={key} ref={place === shown.length - 1 ? end : undefined}>
            {place + read.length === first ? <p className={styles.fresh}>Nuovo</p> : null}
            {node}
          </li>
        ))}
      </ol>
      <Failure of={action} title="Commento non salvato" />
    </section>
  );
}

interface FoldedProps {
  read: readonly Entry[];
  /** What else the line unfolds. */
  beside: readonly string[];
  onUnfold: () => void;
}

/** `3 già letti · In lavorazione, commento di Laura`, or `Tutto il racconto · 3 file · 4 già letti`. */
function Folded({ read, beside, onUnfold }: FoldedProps) {
  const counts = [...beside, ...(read.length > 0 ? [counted(read.length, 'già letto', 'già letti')] : [])];
  if (counts.length === 0) {
    return null;
  }
  const words = beside.length > 0 ? '' : ` · ${read.map(({ short }) => short).join(', ')}`;
  return (
    <button
      type="button"
      className={styles.fold}
      aria-expanded={false}
      title={counts.join(' · ') + words}
      onClick={onUnfold}
    >
      <ChevronRight aria-hidden="true" />
      <span>
        <b>{counts.join(' · ')}</b>
        {words}
      </span>
    </button>
  );
}
