/** All that happened to a report, in one order: changes, comments, messages both ways, files. The newest stands at the end. */
import {
  Check,
  Download,
  Flag,
  FolderInput,
  Inbox,
  type LucideIcon,
  Paperclip,
  Pencil,
  Tag,
  UserRound,
} from 'lucide-react';
import { Fragment, type ReactNode, useEffect, useState } from 'react';
import type { Answer } from '../../shared/api/client';
import type { HistoryEntry, ReportDetail } from '../../shared/api/schema';
import { now } from '../../shared/lib/clock';
import { formatDateTime } from '../../shared/lib/dates';
import { counted } from '../../shared/lib/text';
import { Button } from '../../shared/ui/button';
import { Form } from '../../shared/ui/form';
import { Row, Text } from '../../shared/ui/layout';
import { AreaField } from '../../shared/ui/text-field';
import { type Action, Asked, Failure, Send, useAction } from '../common/action';
import { ErrorCard } from '../common/error-card';
import { useLeaveGuard } from '../common/leave-guard';
import { Time } from '../common/list/list';
import { Face } from '../common/people/face';
import { type People, usePeople } from '../common/people/people';
import { reporterName } from '../common/reporter-name';
import { useRights } from '../common/session/session-context';
import { useCommentChanges, useComments, useMessages } from './api';
import { CHARS } from './composer';
import styles from './timeline.module.css';

const ARRIVED: Readonly<Record<ReportDetail['origin'], string>> = {
  chat: 'Arrivata dalla chat',
  telefono: 'Arrivata per telefono',
  lettera: 'Arrivata per lettera',
  'di persona': 'Raccontata di persona',
};

type Kind = HistoryEntry['tipo'];

const YES = '1';

const SENTENCES: Readonly<
  Record<Kind, (entry: HistoryEntry, origin: ReportDetail['origin'], nameOf: People['nameOf']) => string>
> = {
  ricevuta: (_, origin) => ARRIVED[origin],
  aperta: () => 'Aperta in redazione',
  stato: ({ da, a }) => (da && a ? `Stato modificato da ${da} a ${a}` : 'Stato modificato'),
  note: () => 'Note interne modificate',
  esportata: () => 'Segnalazione esportata',
  reparto: ({ fromName, toName }) => `Spostata da ${fromName} a ${toName}`,
  urgente: ({ a }) => (a === YES ? 'Segnata come urgente' : 'Tolto il segno «urgente»'),
  inoltrata: ({ a }) => (a === YES ? 'Inoltrata alle autorità' : 'Tolto l’inoltro alle autorità'),
  etichette: () => 'Etichette modificate',
  messaggio: () => 'Messaggio inviato a chi ha segnalato',
  risposta: () => 'Messaggio di chi ha segnalato',
  assegnata: ({ a }, _, nameOf) => (nameOf(a) ? `Assegnata a ${nameOf(a)}` : 'Non più assegnata'),
  ritiro: ({ a }) =>
    a === YES ? 'Chi ha segnalato chiede di ritirare tutto' : 'Richiesta di ritiro chiusa con una risposta',
  fatta: ({ a }) => (a === YES ? 'Fatta' : 'Rimessa in Da fare'),
  rinviata: ({ a }) => (a === YES ? 'Rinviata' : 'Rimessa nell’elenco'),
  storia: ({ a }) => (a === YES ? 'Aggiunta a una storia' : 'Tolta dalla storia'),
  allegato: () => 'File ritirato da chi ha segnalato',
};

const ICONS: Partial<Record<Kind, LucideIcon>> = {
  ricevuta: Inbox,
  stato: Check,
  esportata: Download,
  reparto: FolderInput,
  urgente: Flag,
  inoltrata: Flag,
  etichette: Tag,
  assegnata: UserRound,
  allegato: Paperclip,
};

const PARTS = ['commenti', 'messaggi'];

interface Entry {
  key: string;
  at: string;
  node: ReactNode;
}

/** The files that came with each moment: with the report itself, or with a message of its reporter. */
function arrivals({ attachments }: ReportDetail): Map<string, string> {
  const counts = new Map<string, number>();
  for (const { at } of attachments) {
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  return new Map([...counts].map(([at, count]) => [at, counted(count, 'file', 'file')]));
}

export function Timeline({ report }: { report: ReportDetail }) {
  const { id } = report;
  const { nameOf } = usePeople();
  const comments = useComments(id);
  const messages = useMessages(id);
  const { change, remove } = useCommentChanges(id);
  const action = useAction();
  const files = arrivals(report);

  const happened = report.storia
    // These two are shown as they were written.
    .filter(({ tipo }) => tipo !== 'messaggio' && tipo !== 'risposta')
    .map((entry, place): Entry => {
      const name = entry.author?.name;
      const along = entry.tipo === 'ricevuta' ? files.get(entry.data) : undefined;
      const Icon = ICONS[entry.tipo] ?? Pencil;
      const sentence = `${SENTENCES[entry.tipo](entry, report.origin, nameOf)}${along ? `, con ${along}` : ''}`;
      return {
        key: `${place} ${entry.tipo}`,
        at: entry.data,
        node: (
          <>
            <Icon aria-hidden="true" />
            <p>{name ? `${sentence} · ${name}` : sentence}</p>
          </>
        ),
      };
    });
  const commented = (comments.data?.data ?? []).map(
    (comment): Entry => ({
      key: `comment ${comment.n}`,
      at: comment.at,
      node: (
        <CommentEntry
          comment={comment}
          action={action}
          change={(text) => change(comment.n, text)}
          remove={() => remove(comment.n).then(() => 'Commento eliminato.')}
        />
      ),
    }),
  );
  const written = (messages.data?.data ?? []).map(({ from, text, at, author }, place): Entry => {
    const ours = from === 'redazione';
    const along = ours ? undefined : files.get(at);
    return {
      key: `message ${place}`,
      at,
      node: (
        <Said
          way={ours ? 'out' : 'back'}
          whose={ours ? `${author?.name ?? 'Redazione'}, a chi ha segnalato` : reporterName(report)}
          name={author?.name}
        >
          <Text kept>{text}</Text>
          {along ? (
            <Text small tone="muted">
              Con {along}
            </Text>
          ) : null}
        </Said>
      ),
    };
  });
  const entries = [...happened, ...commented, ...written].sort(
    (one, other) => Date.parse(one.at) - Date.parse(other.at),
  );
  return (
    <section aria-labelledby="cronologia">
      <h2 id="cronologia" className="visually-hidden">
        Cronologia
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
      <ol className={styles.timeline}>
        {entries.map(({ key, at, node }) => (
          <li key={key}>
            {node}
            <Time at={at} />
          </li>
        ))}
      </ol>
      <Failure of={action} title="Commento non salvato" />
    </section>
  );
}

interface SaidProps {
  way: 'in' | 'out' | 'back';
  whose: string;
  /** The name of a member of the newsroom. */
  name?: string | undefined;
  children: ReactNode;
}

function Said({ way, whose, name, children }: SaidProps) {
  return (
    <>
      {name ? <Face name={name} /> : <UserRound aria-hidden="true" />}
      <div className={styles.said} data-way={way}>
        <p>{whose}</p>
        {children}
      </div>
    </>
  );
}

type Comment = Answer<'/reports/{id}/comments'>['data'][number];

/** How long one's own comment can be changed, in milliseconds. */
const OWN_MS = 15 * 60_000;

/** Whether its author may still change it: the buttons go when the time is over, the server decides. */
function useOpen({ mine, at }: Comment): boolean {
  const left = () => Date.parse(at) + OWN_MS - now();
  const [open, setOpen] = useState(mine && left() > 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time of a comment does not change
  useEffect(() => {
    const timer = open ? setTimeout(() => setOpen(false), left()) : undefined;
    return () => clearTimeout(timer);
  }, [open]);
  return open;
}

interface CommentProps {
  comment: Comment;
  action: Action;
  change: (text: string) => Promise<void>;
  remove: () => Promise<string>;
}

function CommentEntry({ comment, action, change, remove }: CommentProps) {
  const { edits } = useRights();
  const [editing, setEditing] = useState(false);
  const open = useOpen(comment);
  const { author, at, edited, text } = comment;
  const name = author?.name;
  const about = `il commento del ${formatDateTime(at)}`;
  return (
    <Said
      way="in"
      whose={`${name ?? 'Redazione'}, alla redazione${edited ? ' (modificato)' : ''}`}
      name={name}
    >
      {editing ? (
        <Correction text={text} action={action} change={change} onDone={() => setEditing(false)} />
      ) : (
        <Text kept>
          <Mentions text={text} />
        </Text>
      )}
      {edits && open && !editing ? (
        <Row gap={1}>
          <Button variant="quiet" about={about} onClick={() => setEditing(true)}>
            Modifica
          </Button>
          <Asked
            of={action}
            label="Elimina"
            about={about}
            title="Eliminare il commento?"
            confirmLabel="Elimina"
            variant="quiet"
            work={remove}
          >
            <p>Non si può recuperare.</p>
          </Asked>
        </Row>
      ) : null}
    </Said>
  );
}

function Mentions({ text }: { text: string }) {
  const names = usePeople().present.map(({ name }) => `@${name}`);
  if (names.length === 0) {
    return text;
  }
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return text.split(new RegExp(`(${escaped.join('|')})`)).map((part, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
    <Fragment key={place}>{names.includes(part) ? <strong>{part}</strong> : part}</Fragment>
  ));
}

interface CorrectionProps extends Pick<CommentProps, 'action' | 'change'> {
  text: string;
  onDone: () => void;
}

function Correction({ text, action, change, onDone }: CorrectionProps) {
  const [typed, setTyped] = useState(text);
  const dirty = typed.trim() !== '' && typed !== text;
  useLeaveGuard(dirty, 'Hai modificato un commento e non l’hai salvato. Se esci adesso, va perso.');
  return (
    <Form
      label="Modifica il commento"
      gap={2}
      onSubmit={() => dirty && void action.run(() => change(typed).then(onDone))}
    >
      <AreaField label="Modifica il commento" rows={3} maxLength={CHARS} value={typed} onValue={setTyped} />
      <Row>
        <Send busy={action.busy} blocked={!dirty}>
          Salva
        </Send>
        <Button variant="quiet" onClick={onDone}>
          Annulla
        </Button>
      </Row>
    </Form>
  );
}
