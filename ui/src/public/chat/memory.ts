/**
 * The running conversation in the tab's own storage, so that a reload resumes it. Must never outlive the conversation:
 * once it is over, or closed for a minor, nothing stays.
 */
import { openStore, readJson, writeJson } from '../../shared/lib/storage';
import {
  type Conversation,
  isPristine,
  type Message,
  newConversation,
  STEPS,
  type Step,
  type Turn,
} from './conversation';
import { isKept as isWaiting } from './outbox';

type Kept = Pick<Conversation, 'conversation' | 'step' | 'messages' | 'answers' | 'text' | 'turn' | 'keptId'>;

const keyOf = (slug: string) => `${slug}_chat`;

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isStep(value: unknown): value is Step {
  return value === 'final_question' || STEPS.some((step) => step === value);
}

function isMessage(value: unknown): value is Message {
  return isRecord(value) && (value.from === 'bot' || value.from === 'user') && typeof value.text === 'string';
}

function isTurn(value: unknown): value is Turn {
  return (
    isRecord(value) && isToken(value.conversation) && isStep(value.step) && typeof value.text === 'string'
  );
}

function isToken(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isKept(value: unknown): value is Kept {
  return (
    isRecord(value) &&
    isToken(value.conversation) &&
    isStep(value.step) &&
    Array.isArray(value.messages) &&
    value.messages.every(isMessage) &&
    isRecord(value.answers) &&
    Object.entries(value.answers).every(([step, text]) => isStep(step) && typeof text === 'string') &&
    typeof value.text === 'string' &&
    (value.turn === null || isTurn(value.turn)) &&
    (value.keptId === null || typeof value.keptId === 'number')
  );
}

/** Keeps the conversation as it stands, or forgets it when there is nothing left to resume. */
export function remember(slug: string, state: Conversation): void {
  const store = openStore('sessionStorage');
  if (state.phase === 'done' || state.phase === 'ended' || isPristine(state)) {
    store?.removeItem(keyOf(slug));
    return;
  }
  const { conversation, step, messages, answers, text, turn, keptId } = state;
  const kept: Kept = { conversation, step, messages, answers, text, turn, keptId };
  writeJson(store, keyOf(slug), kept);
}

/** The conversation this tab was in, unless its report has left this browser meanwhile; an answer that was on its way is on its way again. */
export function recall(slug: string): Conversation | undefined {
  const kept = readJson(openStore('sessionStorage'), keyOf(slug));
  if (!isKept(kept) || (kept.keptId !== null && !isWaiting(slug, kept.keptId))) {
    return undefined;
  }
  const phase = kept.keptId !== null ? 'kept' : kept.turn !== null ? 'sending' : 'asking';
  return { ...newConversation(''), ...kept, phase };
}
