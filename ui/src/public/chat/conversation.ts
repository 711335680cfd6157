/**
 * The conversation as the page knows it: what was said, what is in the box, and where things stand.
 * Pure. Must never decide whether an answer is good: that is the server's word.
 */
import type { ChatReply } from '../../shared/api/schema';
import type { Answers } from '../../shared/lib/kept-reports';

export type Step = ChatReply['state'];

export type Message = { from: 'bot' | 'user'; text: string };

/** A turn on its way: sending it again with the same token and text gives the same answer. */
export type Turn = { conversation: string | null; step: Step; text: string };

/**
 * - `asking`: the box is open
 * - `sending`: an answer is on its way
 * - `kept`: the last answer could not be sent, the report waits in this browser
 * - `done`: the newsroom has the report
 * - `ended`: closed without a report (minors)
 */
export type Phase = 'asking' | 'sending' | 'kept' | 'done' | 'ended';

export type Conversation = {
  phase: Phase;
  /** The server's sealed token; `null` until the first answer is sent. */
  conversation: string | null;
  step: Step;
  messages: readonly Message[];
  answers: Answers;
  text: string;
  turn: Turn | null;
  /** The page proves that nobody sends by the thousand (siege mode). */
  checking: boolean;
  /** Why the last answer did not get through, in Italian; empty when it did. */
  failure: string;
  /** The server no longer knows this conversation: only a new one can go on. */
  lost: boolean;
  /** Why the assistant did not accept the last answer; empty when it did. */
  refusal: string;
  news: readonly string[];
  keptId: number | null;
};

export type Event =
  | { type: 'typed'; text: string }
  | { type: 'submitted' }
  | { type: 'started'; conversation: string }
  | { type: 'checking' }
  | { type: 'replied'; reply: ChatReply }
  | { type: 'failed'; failure: string; lost: boolean }
  | { type: 'kept'; id: number }
  | { type: 'closed'; note: string }
  /** The kept report has arrived, or was deleted. */
  | { type: 'settled'; phase: 'done' | 'ended' }
  | { type: 'reopened'; reply: ChatReply; text: string; answers: Answers }
  | { type: 'restored'; conversation: Conversation }
  | { type: 'restarted'; welcome: string };

export function newConversation(welcome: string): Conversation {
  return {
    phase: 'asking',
    conversation: null,
    step: 'age_check',
    messages: [{ from: 'bot', text: welcome }],
    answers: {},
    text: '',
    turn: null,
    checking: false,
    failure: '',
    lost: false,
    refusal: '',
    news: [],
    keptId: null,
  };
}

/** What a conversation that is over must not keep. */
const OVER = { turn: null, conversation: null, answers: {} };

/** Whether anything happened yet that would be a pity to lose. */
export function isPristine(state: Conversation): boolean {
  return state.messages.length === 1 && state.turn === null && state.text === '';
}

export function isLastStep(step: Step): boolean {
  return step === 'collect_report' || step === 'final_question';
}

function submitted(state: Conversation): Conversation {
  const text = state.text.trim();
  if (state.phase !== 'asking' || state.lost || text === '') {
    return state;
  }
  return {
    ...state,
    phase: 'sending',
    messages: [...state.messages, { from: 'user', text }],
    text: '',
    turn: { conversation: state.conversation, step: state.step, text },
    checking: false,
    failure: '',
    refusal: '',
    news: [],
  };
}

function replied(state: Conversation, reply: ChatReply): Conversation {
  if (state.turn === null) {
    return state;
  }
  const said = reply.messages.map((message) => message.text);
  const next: Conversation = {
    ...state,
    turn: null,
    news: said,
    messages: [...state.messages, ...said.map((text): Message => ({ from: 'bot', text }))],
  };
  if (reply.finished) {
    return { ...next, ...OVER, phase: reply.reportId === undefined ? 'ended' : 'done' };
  }
  const open: Conversation = { ...next, phase: 'asking', conversation: reply.conversation };
  if (reply.state === state.step) {
    return { ...open, text: state.turn.text, refusal: said.join(' ') };
  }
  return { ...open, step: reply.state, answers: { ...state.answers, [state.step]: state.turn.text } };
}

/** The answer did not leave: its bubble goes, its text comes back into the box. */
function failed(state: Conversation, failure: string, lost: boolean): Conversation {
  if (state.turn === null) {
    return state;
  }
  return {
    ...state,
    phase: 'asking',
    messages: state.messages.slice(0, -1),
    text: state.turn.text,
    turn: null,
    failure,
    lost,
  };
}

/** A kept last answer was not accepted after all: the question is put again, with the answer in the box. */
function reopened(state: Conversation, event: Extract<Event, { type: 'reopened' }>): Conversation {
  const said = event.reply.messages.map((message) => message.text);
  const before = state.phase === 'kept' ? state.messages : [];
  return {
    ...newConversation(''),
    conversation: event.reply.conversation,
    step: event.reply.state,
    messages: [...before, ...said.map((text): Message => ({ from: 'bot', text }))],
    answers: event.answers,
    text: event.text,
    refusal: said.join(' '),
    news: said,
  };
}

export function reduce(state: Conversation, event: Event): Conversation {
  switch (event.type) {
    case 'typed':
      return state.phase === 'asking' ? { ...state, text: event.text } : state;
    case 'submitted':
      return submitted(state);
    case 'started':
      return { ...state, conversation: event.conversation };
    case 'checking':
      return { ...state, checking: true };
    case 'replied':
      return replied(state, event.reply);
    case 'failed':
      return failed(state, event.failure, event.lost);
    case 'kept':
      return { ...state, ...OVER, phase: 'kept', keptId: event.id };
    case 'closed':
      return {
        ...state,
        ...OVER,
        phase: 'done',
        messages: [...state.messages, { from: 'bot', text: event.note }],
        news: [event.note],
      };
    case 'settled':
      return state.phase === 'kept' ? { ...state, phase: event.phase, keptId: null } : state;
    case 'reopened':
      return reopened(state, event);
    case 'restored':
      // What was typed before the page came to life is newer than what the tab remembers.
      return { ...event.conversation, text: state.text || event.conversation.text };
    case 'restarted':
      return newConversation(event.welcome);
  }
}
