import { useEffect, useState } from 'react';
import type { Answer } from '../../shared/api/client';
import { formatDateTime } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Card } from '../../shared/ui/card';
import { Row, Stack, Text } from '../../shared/ui/layout';
import { Skeleton } from '../../shared/ui/skeleton';
import { type Action, ActionNews, Asked, useAction } from '../common/action';
import { List, Time } from '../common/list';
import { Loaded } from '../common/loaded';
import { useRights } from '../session/session-context';
import { useCommentChanges, useComments } from './api';
import { Writing } from './writing';

type Comment = Answer<'/reports/{id}/comments'>['data'][number];

/** How long one's own comment can be changed, in milliseconds. */
const OWN_MS = 15 * 60_000;
const LOSS = 'Hai scritto un commento e non l’hai salvato. Se esci adesso, va perso.';

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
  const comments = useComments(id);
  const { add, change, remove } = useCommentChanges(id);
  const action = useAction();
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
            <List as="ol" of={data} label="Commenti" empty="Nessun commento. Li legge solo la redazione.">
              {(comment) => (
                <Entry
                  key={comment.n}
                  comment={comment}
                  action={action}
                  change={(text) => change(comment.n, text)}
                  remove={() => remove(comment.n).then(() => 'Commento eliminato.')}
                />
              )}
            </List>
            {edits ? (
              <Writing
                label="Aggiungi un commento"
                send="Commenta"
                loss={LOSS}
                action={action}
                onSend={add}
              />
            ) : null}
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
  change: (text: string) => Promise<void>;
  remove: () => Promise<string>;
}

function Entry({ comment, action, change, remove }: EntryProps) {
  const { edits } = useRights();
  const [editing, setEditing] = useState(false);
  const open = useOpen(comment);
  const { author, at, edited, text } = comment;
  const about = `il commento del ${formatDateTime(at)}`;
  return (
    <li>
      <Text small strong>
        {author?.name ?? 'Redazione'} · <Time at={at} />
        {edited ? ' (modificato)' : null}
      </Text>
      {editing ? (
        <Writing
          label="Modifica il commento"
          send="Salva"
          loss={LOSS}
          first={text}
          action={action}
          onSend={(typed) => change(typed).then(() => setEditing(false))}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <Text kept>{text}</Text>
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
    </li>
  );
}
