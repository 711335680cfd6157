/** Must never say that an answer got through without an acknowledgement. */
import type { Dispatch } from 'react';
import { ApiProblem, isTemporary } from '../../shared/api/errors';
import { type Boot, ownName } from '../../shared/lib/boot';
import { now } from '../../shared/lib/clock';
import { lookAfterFiles, shownFiles } from '../attach/files';
import { FAILED, OFFLINE } from '../messages';
import { type Conversation, type Event, isLastStep, type Turn } from './conversation';
import { keep, type Own, toKeptReport } from './outbox';
import { converse } from './turns';

/** The server no longer knows the conversation, for instance because its key was lost. */
function isLost(error: unknown): boolean {
  return error instanceof ApiProblem && ['token-non-valido', 'stato-non-valido'].includes(error.slug);
}

/** Files that the page shows are gone: nothing was sent. */
export const isLacking = (error: unknown): boolean =>
  error instanceof ApiProblem && error.slug === 'allegato-mancante';

export function eventOf(error: unknown): Extract<Event, { type: 'failed' | 'closed' }> {
  if (error instanceof ApiProblem) {
    if (error.status === 409 && !isLacking(error)) {
      return { type: 'closed', note: error.detail || 'La redazione ha già ricevuto questa segnalazione.' };
    }
    const lost = isLost(error);
    const said = lost || (error.status < 500 && error.detail !== '');
    return {
      type: 'failed',
      failure: said ? (error.errors.text ?? error.detail) : FAILED,
      lost,
    };
  }
  return { type: 'failed', failure: navigator.onLine ? FAILED : OFFLINE, lost: false };
}

/** Keeps the report when its last turn did not get through: a finished account must not have to be written again. */
function keepLast(
  boot: Boot,
  state: Conversation,
  turn: Turn,
  files: string[] | undefined,
  error: unknown,
): Event | undefined {
  const { conversation } = turn;
  if (
    turn.back ||
    !isLastStep(turn.step) ||
    conversation === null ||
    !(isTemporary(error) || isLost(error))
  ) {
    return undefined;
  }
  const at = new Date(now());
  const kept = toKeptReport(state.answers, { ...turn, conversation }, at, ownOf(boot, state));
  const report = { ...kept, ...(files && { attachments: files }) };
  return keep(ownName(boot), report) ? { type: 'kept', id: report.id } : undefined;
}

/** The callout, and what was answered to its own questions. */
function ownOf({ callout }: Boot, { messages }: Conversation): Own | undefined {
  const lines = messages.findLast(({ summary }) => summary)?.summary ?? [];
  const told = lines.flatMap(({ label, text }) => (label && text ? [`${label}\n${text}`] : []));
  return callout ? { callout: callout.slug, told } : undefined;
}

/** `state` gives the conversation as it stands when the turn has failed. */
export async function talk(
  boot: Boot,
  state: () => Conversation,
  turn: Turn,
  signal: AbortSignal,
  dispatch: Dispatch<Event>,
): Promise<void> {
  const started = (conversation: string) => dispatch({ type: 'started', conversation });
  const checking = () => dispatch({ type: 'checking' });
  const callout = boot.callout?.slug;
  const files = shownFiles();
  try {
    dispatch({ type: 'replied', reply: await converse(turn, files, callout, signal, started, checking) });
  } catch (error) {
    if (isLacking(error)) {
      await lookAfterFiles();
    }
    if (!signal.aborted) {
      const event = keepLast(boot, state(), turn, files, error) ?? eventOf(error);
      // Before it has begun there is no report that could have arrived.
      const shut = callout && state().conversation === null && event.type === 'closed';
      dispatch(shut ? { type: 'shut', note: event.note } : event);
    }
  }
}
