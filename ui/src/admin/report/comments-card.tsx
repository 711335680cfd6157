/** What the newsroom says about a report among itself, with names. Must never lose what was typed when it does not arrive. */
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { type Answer, call } from '../../shared/api/client';
import { formatDateTime } from '../../shared/lib/dates';
import { SendKey } from '../../shared/lib/send-key';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Field } from '../../shared/ui/field';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { TextArea } from '../../shared/ui/text-input';
import { type Action, ActionNews, Asked, Send, useAction } from '../common/action';
import { useLeaveGuard } from '../common/leave-guard';
import { Loaded } from '../common/loaded';
import { usePeople } from '../common/people/people';
import { pollEvery } from '../common/polling';
import { adopt, useRead } from '../common/use-read';
import { useRights } from '../session/session-context';

type Comment = Answer<'/reports/{id}/comments'>['data'][number];

const CHARS = 5000;
/** How long one's own comment can be changed, in milliseconds. */
const OWN_MS = 15 * 60_000;

/** Whether its author may still change it: the buttons go when the time is over, the server decides. */
function useOpen({ mine, at }: Comment): boolean {
  const left = () => Date.parse(at) + OWN_MS - Date.now();
  const [open, setOpen] = useState(mine && left() > 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the time of a comment does not change
  useEffect(() => {
    const timer = open ? setTimeout(() => setOpen(false), left()) : undefined;
    return () => clearTimeout(timer);
  }, [open]);
  return open;
}

export function CommentsCard({ id }: { id: string }) {
  const { edits } = useRights();
  const comments = useRead('/reports/{id}/comments', {
    with: { path: { id } },
    refetchInterval: pollEvery,
    gcTime: 0,
  });
  const client = useQueryClient();
  const action = useAction();
  const key = ['/reports/{id}/comments', { path: { id } }];
  const [sending] = useState(() => new SendKey());
  const add = (text: string) =>
    action.run(async () => {
      const body = { text, key: sending.of(text) };
      const list = await call('post', '/reports/{id}/comments', { path: { id }, body });
      sending.arrived();
      await adopt(client, key, list);
      return null;
    });
  const change = (n: number, text: string) =>
    action.run(async () => {
      const path = { id, n };
      await adopt(client, key, await call('patch', '/reports/{id}/comments/{n}', { path, body: { text } }));
      return null;
    });
  const remove = async (n: number) => {
    await call('delete', '/reports/{id}/comments/{n}', { path: { id, n } });
    await client.invalidateQueries({ queryKey: key });
    return 'Commento eliminato.';
  };
  return (
    <Card title="Commenti">
      <Loaded
        query={comments}
        part
        loading="Caricamento dei commenti…"
        failed="Non è stato possibile leggere i commenti"
        placeholder={<Skeleton lines={2} />}
      >
        {({ data }) => (
          <Stack gap={4}>
            {data.length > 0 ? (
              <Stack as="ol" lined aria-label="Commenti">
                {data.map((comment) => (
                  <Entry
                    key={comment.n}
                    comment={comment}
                    action={action}
                    onChange={(text) => change(comment.n, text)}
                    remove={() => remove(comment.n)}
                  />
                ))}
              </Stack>
            ) : (
              <Text tone="muted">Nessun commento. Li legge solo la redazione.</Text>
            )}
            {edits ? <Writing label="Aggiungi un commento" action={action} onSave={add} /> : null}
          </Stack>
        )}
      </Loaded>
      <ActionNews action={action} failed="Commento non salvato" />
    </Card>
  );
}

interface EntryProps {
  comment: Comment;
  action: Action;
  onChange: (text: string) => Promise<boolean>;
  remove: () => Promise<string | null>;
}

function Entry({ comment, action, onChange, remove }: EntryProps) {
  const { nameOf } = usePeople();
  const { edits } = useRights();
  const [editing, setEditing] = useState(false);
  const open = useOpen(comment);
  const { author, at, edited, text } = comment;
  const change = async (typed: string) => {
    const changed = await onChange(typed);
    setEditing(!changed);
    return changed;
  };
  return (
    <li>
      <Text small strong>
        {author === null ? 'Redazione' : (nameOf(author) ?? '…')}
        {' · '}
        <time dateTime={at}>{formatDateTime(at)}</time>
        {edited ? ' (modificato)' : null}
      </Text>
      {editing ? (
        <Writing
          label="Modifica il commento"
          first={text}
          action={action}
          onSave={change}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <Text kept>{text}</Text>
      )}
      {edits && open && !editing ? (
        <Row gap={1}>
          <Button variant="quiet" onClick={() => setEditing(true)}>
            Modifica
          </Button>
          <Asked
            of={action}
            label="Elimina"
            title="Eliminare il commento?"
            confirmLabel="Elimina"
            variant="quiet"
            work={remove}
          >
            <p>Non si può recuperare.</p>
          </Asked>
        </Row>
      ) : null}
    </li>
  );
}

interface WritingProps {
  label: string;
  /** What is changed; absent for a new one. */
  first?: string;
  action: Action;
  onSave: (text: string) => Promise<boolean>;
  onCancel?: () => void;
}

function Writing({ label, first = '', action, onSave, onCancel }: WritingProps) {
  const [text, setText] = useState(first);
  const empty = text.trim() === '';
  const dirty = !empty && text !== first;
  useLeaveGuard(dirty, 'Hai scritto un commento e non l’hai salvato. Se esci adesso, va perso.');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (dirty && (await onSave(text))) {
      setText('');
    }
  };
  return (
    <Stack as="form" gap={2} aria-label={label} onSubmit={(event: FormEvent) => void submit(event)}>
      <Field label={label}>
        {(of) => (
          <TextArea
            {...of}
            rows={2}
            maxLength={CHARS}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
      <Row>
        <Send busy={action.busy} blocked={!dirty}>
          {first ? 'Salva' : 'Commenta'}
        </Send>
        {onCancel ? (
          <Button variant="quiet" onClick={onCancel}>
            Annulla
          </Button>
        ) : null}
      </Row>
    </Stack>
  );
}
