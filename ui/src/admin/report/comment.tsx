/** A comment of the newsroom. Its author may change it for a quarter of an hour. */
import { Fragment, useEffect, useState } from 'react';
import type { Answer } from '../../shared/api/client';
import { now } from '../../shared/lib/clock';
import { formatDateTime } from '../../shared/lib/dates';
import { Button } from '../../shared/ui/button';
import { Form } from '../../shared/ui/form';
import { Row, Text } from '../../shared/ui/layout';
import { AreaField } from '../../shared/ui/text-field';
import { type Action, Asked, Send } from '../common/action';
import { errorsOf } from '../common/errors';
import { useLeaveGuard } from '../common/leave-guard';
import { usePeople } from '../common/people/people';
import { useRights } from '../common/session/session-context';
import { partsAt } from './parts';

export type Comment = Answer<'/reports/{id}/comments'>['data'][number];

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
  remove: () => Promise<void>;
}

export function CommentText({ comment, action, change, remove }: CommentProps) {
  const { edits } = useRights();
  const [editing, setEditing] = useState(false);
  const open = useOpen(comment);
  const about = `il commento del ${formatDateTime(comment.at)}`;
  return (
    <>
      {editing ? (
        <Correction text={comment.text} action={action} change={change} onDone={() => setEditing(false)} />
      ) : (
        <Text kept>
          <Mentions text={comment.text} />
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
    </>
  );
}

function Mentions({ text }: { text: string }) {
  const names = usePeople().present.map(({ name }) => `@${name}`);
  return partsAt(text, names).map(({ part, found, key }) => (
    <Fragment key={key}>{found ? <strong>{part}</strong> : part}</Fragment>
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
      <AreaField
        label="Modifica il commento"
        rows={3}
        error={errorsOf(action.failure).text}
        value={typed}
        onValue={setTyped}
      />
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
