/** One question of several: its line, and its text in place of that line while it is open. */
import { ChevronRight } from 'lucide-react';
import type { CalloutQuestion } from '../../shared/api/schema';
import { TextField } from '../../shared/ui/text-field';
import * as draft from './draft';
import type { FieldsProps } from './fields';
import { hidden, onEnter, type Put } from './options';

interface LineProps {
  question: CalloutQuestion;
  at: number;
  lack?: string | undefined;
  /** What stands behind its kind. */
  note?: string;
  onOpen: () => void;
}

/** A question that is not open. */
export function Line({ question: { kind, text }, at, lack, note, onOpen }: LineProps) {
  return (
    <button
      type="button"
      name={`questions.${at}`}
      aria-expanded={false}
      aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
      onClick={onOpen}
    >
      <span title={text}>
        <span className="visually-hidden">{`Domanda ${at + 1}: `}</span>
        {text.trim() || 'Senza testo'}
      </span>
      <small>
        {lack ? <b>{lack}</b> : null}
        {draft.KINDS.find(({ value }) => value === kind)?.label}
        {note}
      </small>
      <ChevronRight aria-hidden="true" />
    </button>
  );
}

interface AskingProps extends Pick<FieldsProps, 'field'> {
  question: CalloutQuestion;
  at: number;
  put: Put;
  /** Enter goes on to the first answer unless this says where. */
  onNext?: () => void;
}

/** The text of the question that is open. */
export function Asking({ question, at, field, put, onNext }: AskingProps) {
  return (
    <TextField
      label={hidden(`Domanda ${at + 1}`)}
      {...field(`questions.${at}.text`)}
      value={question.text}
      onKeyDown={onEnter(onNext ?? (() => put({}, 'options.0.text')))}
      onValue={(text) => put({ text })}
    />
  );
}
