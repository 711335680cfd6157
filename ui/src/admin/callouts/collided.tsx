/** What two have changed at once, each in another way, and the choice between them. */
import type { ReactNode } from 'react';
import type { Callout, CalloutQuestion } from '../../shared/api/schema';
import { formatDateTime } from '../../shared/lib/dates';
import { ConflictPanel } from '../common/conflict-panel';
import { useDepartments } from '../common/departments';
import { LabelChips } from '../common/labels/labels';
import { END, KINDS, optionsOf } from './draft';
import { LABELS, NEEDS } from './fields';
import { type Collision, mineOf } from './merge';

interface CollidedProps {
  collision: Collision;
  now: Callout;
  /** The questions that the server holds. */
  stored: readonly CalloutQuestion[];
  onKeep: () => void;
  onTake: () => void;
}

export function Collided({ collision, now, stored, onKeep, onTake }: CollidedProps) {
  const { nameOf } = useDepartments();
  const { field, key, theirs } = collision;
  const mine = mineOf(now, collision);
  const at = [now.questions, stored].map((all) => all.findIndex((question) => question.key === key));
  const place = at.find((found) => found >= 0) ?? 0;
  const name = key === undefined ? (LABELS.get(field) ?? field) : `la domanda ${place + 1}`;
  const did = theirs === undefined ? 'eliminato' : 'cambiato';
  const shown = (value: unknown, questions: readonly CalloutQuestion[]): ReactNode =>
    key === undefined
      ? shownOf(field, value, nameOf)
      : value === undefined
        ? 'Eliminata'
        : wordsOf(value as CalloutQuestion, questions);
  return (
    <ConflictPanel
      title={`Un’altra persona ha ${did} ${key === undefined ? `«${name}»` : name}`}
      rows={[
        {
          name: key === undefined ? name : `Domanda ${place + 1}`,
          saved: shown(theirs, stored),
          mine: shown(mine, now.questions),
        },
      ]}
      onKeep={onKeep}
      onTake={onTake}
    />
  );
}

function shownOf(field: string, value: unknown, department: (key: string) => string): ReactNode {
  if (field === 'department') {
    return typeof value === 'string' ? department(value) : 'Secondo lo smistamento';
  }
  if (Array.isArray(value)) {
    return value.length > 0 ? <LabelChips ids={value} /> : 'Nessuna';
  }
  if (typeof value === 'boolean') {
    return value ? 'Sì' : 'No';
  }
  if (typeof value !== 'string' || value === '') {
    return 'Vuoto';
  }
  const dated = field === 'opensAt' || field === 'closesAt';
  return dated ? formatDateTime(value) : (NEEDS.find((need) => need.value === value)?.label ?? value);
}

/** A question as one reads it: what it asks, how it is answered, and where each answer leads. */
function wordsOf(question: CalloutQuestion, all: readonly CalloutQuestion[]): string {
  const { text, help, kind, required, min, max } = question;
  const leads = (next: string | null) =>
    next?.startsWith(END)
      ? ` → fine: ${next.slice(END.length)}`
      : next
        ? ` → ${all.find(({ key }) => key === next)?.text ?? next}`
        : '';
  const answer = [
    KINDS.find(({ value }) => value === kind)?.label,
    required ? 'obbligatoria' : '',
    min === null ? '' : `da ${min}`,
    max === null ? '' : `a ${max}`,
  ];
  return [
    text || 'Senza testo',
    help,
    answer.filter(Boolean).join(', '),
    ...optionsOf(question).map((option) => `– ${option.text}${leads(option.next)}`),
  ]
    .filter(Boolean)
    .join('\n');
}
