import type { Span } from '../../shared/api/schema';
import { Button } from '../../shared/ui/button';
import { Message } from '../../shared/ui/message';
import { ConflictPanel } from '../common/conflict-panel';
import { without } from './places';
import { both, type Choice, type ChoiceSteps, choiceOf } from './use-choice';
import type { Saved } from './use-saved';

interface MaskConflictProps {
  characters: readonly string[];
  saved: Saved;
  steps: ChoiceSteps;
}

/** What one covers and the other does not. */
function only(characters: readonly string[], one: Choice, other: Choice): string {
  const rest = other.spans.reduce<Span[]>((left, hole) => without(left, hole), [...one.spans]);
  const texts = rest.map(({ start, end }) => characters.slice(start, end).join('').trim());
  const fields = one.fields.filter((field) => !other.fields.includes(field));
  return (
    [...fields, ...texts.filter((text) => text !== '').map((text) => `«${text}»`)].join(', ') ||
    'niente in più'
  );
}

/** Two chose what to cover at once. */
export function MaskConflict({ characters, saved, steps: { now } }: MaskConflictProps) {
  const { conflict } = saved;
  if (!conflict) {
    return null;
  }
  if (!conflict.saved) {
    return (
      <Message
        kind="error"
        title="Il testo della segnalazione è cambiato"
        actions={<Button onClick={() => void saved.reload()}>Carica il testo nuovo</Button>}
      >
        <p>Ciò che hai coperto vale per il testo di prima, e va scelto di nuovo.</p>
      </Message>
    );
  }
  const theirs = choiceOf(conflict);
  const row = {
    name: 'Coperto solo qui',
    saved: only(characters, theirs, now),
    mine: only(characters, now, theirs),
  };
  return (
    <ConflictPanel
      title="Un’altra persona ha salvato prima di te"
      rows={[row]}
      busy={saved.busy}
      onBoth={() => saved.keep(both(theirs, now), conflict)}
      onKeep={() => saved.keep(now, conflict)}
      onTake={() => saved.take(conflict)}
    />
  );
}
