/** The conversation as the page knows it. Pure. Must never decide whether an answer is good: the server does. */
import type { ChatLine, ChatQuestion, ChatReply } from '../../shared/api/schema';
import type { Answers } from '../../shared/lib/kept-reports';
import { FAILED, OFFLINE } from '../messages';

/** Name of a question: a state, or `question:` and the key of one of the newsroom's own. */
export type Step = string;

export type Message = {
  from: 'bot' | 'user';
  text: string;
  /** The question that this answered: there the person may correct it. */
  step?: Step;
  /** It must be read: it stands above the box until the person has said so, or answers. */
  hold?: true;
  summary?: readonly ChatLine[];
};

/** A turn on its way: sending it again with the same token and text gives the same answer. */
export type Turn = {
  conversation: string | null;
  step: Step;
  text: string;
  /** Nothing is said: the question of `step` is to be put again. */
  back?: boolean;
};

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
  /** The kind of answer that the open question asks for; null until the server has told it. */
  question: ChatQuestion | null;
  answers: Answers;
  text: string;
  turn: Turn | null;
  checking: boolean;
  /** Why the last answer did not get through, in Italian; empty when it did. */
  failure: string;
  /** The server no longer knows this conversation: only a new one can go on. */
  lost: boolean;
  /** The sentence by which the last answer was refused; empty when it was accepted. */
  refusal: string;
  /** The reason for refusing that answer, besides the sentence; empty when there is no more to say. */
  reason: string;
  /** It was refused for its length alone. */
  short: boolean;
  /** The newsroom's advice for reporters who cannot give that answer; may be empty. */
  unable: string;
  /** Where a correction began, and what stood in the box; null while none is under way. */
  aside: { step: Step; text: string } | null;
  /** The last answer was sent, and may have arrived: an earlier one could no longer be changed. */
  unsure: boolean;
  /** The last words of a conversation that is done, which a reload shows again. */
  farewell: string;
  /** Why it cannot be begun any more; empty while it can. */
  shut: string;
  /** The code of the receipt, which a reload shows again; empty without one. */
  receipt: string;
  /** Neither telephone nor email was left: the code is the only way back. */
  unreachable: boolean;
  news: readonly string[];
  /** The numbers of help stay on the page. */
  helped: boolean;
  keptId: number | null;
  /** The conversation as it was before an answer ended it, to go back to once; in memory only. */
  before: Conversation | null;
  /** That answer was taken back. */
  undone: boolean;
};

export type Event =
  /** `enough`: the text is as long as an account has to be. */
  | { type: 'typed'; text: string; enough?: boolean }
  /** `shown`: what the bubble says where that is not what is sent. */
  | { type: 'submitted'; text?: string; shown?: string }
  | { type: 'read' }
  | { type: 'correcting'; step: Step }
  | { type: 'left' }
  | { type: 'undone' }
  | { type: 'reached' }
  | { type: 'started'; conversation: string }
  | { type: 'checking' }
  | { type: 'replied'; reply: ChatReply }
  | { type: 'failed'; failure: string; lost: boolean }
  | { type: 'kept'; id: number }
  | { type: 'closed'; note: string }
  | { type: 'shut'; note: string }
  | { type: 'settled'; phase: 'done' | 'ended'; reply?: ChatReply | undefined }
  | { type: 'reopened'; reply: ChatReply; text: string; answers: Answers }
  | { type: 'restored'; conversation: Conversation }
  | { type: 'restarted'; welcome: string };

const NOTHING_SAID = { failure: '', refusal: '', reason: '', short: false, unable: '', news: [] };

export function newConversation(welcome: string): Conversation {
  return {
    phase: 'asking',
    conversation: null,
    step: 'age_check',
    messages: [{ from: 'bot', text: welcome }],
    question: null,
    answers: {},
    text: '',
    turn: null,
    checking: false,
    ...NOTHING_SAID,
    lost: false,
    aside: null,
    unsure: false,
    farewell: '',
    shut: '',
    receipt: '',
    unreachable: false,
    helped: false,
    keptId: null,
    before: null,
    undone: false,
  };
}

/** The fields that a conversation must not keep once it is over. */
const OVER = { turn: null, conversation: null, answers: {} };

/** Whether an earlier answer can be corrected now: one at a time. */
export function isCorrectable({ phase, lost, unsure, aside }: Conversation): boolean {
  return phase === 'asking' && !lost && !unsure && aside === null;
}

/** Whether anything happened yet that would be a pity to lose. */
export function isPristine(state: Conversation): boolean {
  return state.phase === 'asking' && state.messages.length === 1 && state.turn === null && state.text === '';
}

export function isLastStep(step: Step): boolean {
  return step === 'collect_report' || step === 'final_question';
}

export function heldBy({ messages }: Conversation): readonly Message[] {
  return messages.filter(({ hold }) => hold);
}

function released(messages: readonly Message[]): readonly Message[] {
  return messages.map(({ hold: _, ...message }) => message);
}

function submitted(state: Conversation, answer: string, shown = answer.trim()): Conversation {
  const text = answer.trim();
  // The review shows the whole report before it is sent: there this text is an addition.
  if (answer === state.text && isLastStep(state.step) && state.aside === null && heldBy(state).length > 0) {
    return { ...state, messages: released(state.messages) };
  }
  if (state.phase !== 'asking' || state.lost || text === '') {
    return state;
  }
  return {
    ...state,
    phase: 'sending',
    messages: [...released(state.messages), { from: 'user', text: shown }],
    text: '',
    turn: { conversation: state.conversation, step: state.step, text },
    checking: false,
    ...NOTHING_SAID,
  };
}

/** An earlier answer is to be given anew: its question is asked for, the box stays as it is until it comes. */
function correcting(state: Conversation, step: Step): Conversation {
  const { conversation } = state;
  if (state.phase !== 'asking' || state.lost || conversation === null) {
    return state;
  }
  return {
    ...state,
    phase: 'sending',
    turn: { conversation, step, text: '', back: true },
    ...NOTHING_SAID,
  };
}

const CONTACTS: readonly Step[] = ['collect_phone', 'collect_email'];
const ACCEPTED: readonly ChatReply['rule'][] = ['answered', 'corrected'];
const REFUSED: readonly ChatReply['rule'][] = ['invalid', 'too_short', 'too_long', 'forbidden', 'incomplete'];

/** The transcript with the answer as its last bubble; an answer that it takes the place of can no longer be corrected. */
function accepted(messages: readonly Message[], step: Step): readonly Message[] {
  return messages.map(({ step: before, ...message }, index) => {
    const now = index === messages.length - 1 ? step : before === step ? undefined : before;
    return now === undefined ? message : { ...message, step: now };
  });
}

function bubbles({ messages, summary = [] }: ChatReply): Message[] {
  return messages.map(({ text, hold }, index) => ({
    from: 'bot',
    text,
    ...(hold && { hold }),
    ...(index === messages.length - 1 && summary.length > 0 && { summary }),
  }));
}

/** A message that interrupts by itself is not announced a second time. */
function newsOf({ messages }: ChatReply): string[] {
  return messages.filter(({ hold }) => !hold).map(({ text }) => text);
}

/** The options of a question of a callout, for people who do not see the buttons. */
function choicesOf({ question }: ChatReply): string[] {
  const texts = (question?.key && question.options?.map(({ text }) => text)) || [];
  return texts.length > 0 ? [`Risposte: ${texts.join('; ')}.`] : [];
}

/** Behind a correction that leads elsewhere not every answer may still count. */
function unmarked(messages: readonly Message[], step: Step): readonly Message[] {
  const from = messages.findIndex((message) => message.step === step);
  return messages.map((message, index) => {
    const { step: _, ...rest } = message;
    return index > from ? rest : message;
  });
}

/** The answer stands in the field, and below what is wrong with it; of what was said only help is left. */
function refused(state: Conversation, reply: ChatReply, answer: string): Conversation {
  const said = bubbles(reply);
  const known = state.messages.some(({ summary }) => summary);
  const help = said.filter(({ hold, summary }) => hold || (summary && !known));
  return {
    ...state,
    conversation: reply.conversation,
    step: reply.state,
    question: reply.question ?? null,
    messages: [...state.messages, ...help],
    text: answer,
    refusal: newsOf(reply).join(' '),
    reason: reply.reason ?? '',
    short: reply.rule === 'too_short',
    helped: state.helped || reply.helped === true,
    unable: reply.unable ?? '',
  };
}

/** By what was to be sent; of a conversation that showed nothing of it that is not known. */
function isUnreachable(messages: readonly Message[]): boolean {
  const lines = messages.findLast(({ summary }) => summary)?.summary ?? [];
  const ways = lines.filter(({ state }) => CONTACTS.includes(state));
  return lines.length > 0 && ways.every(({ text }) => text === '');
}

function replied(state: Conversation, reply: ChatReply): Conversation {
  const { turn } = state;
  if (turn === null) {
    return state;
  }
  const taken = ACCEPTED.includes(reply.rule);
  if (REFUSED.includes(reply.rule) && reply.state === turn.step) {
    return { ...refused(unsaid(state), reply, turn.text), unsure: false };
  }
  const away = taken && state.aside !== null && reply.state !== state.aside.step;
  const said = away ? unmarked(state.messages, turn.step) : state.messages;
  const before = taken ? accepted(said, turn.step) : said;
  const summed = (reply.summary?.length ?? 0) > 0;
  const next: Conversation = {
    ...state,
    turn: null,
    checking: false,
    unsure: false,
    news: [...newsOf(reply), ...choicesOf(reply)],
    helped: state.helped || reply.helped === true,
    messages: [...(summed ? before.map(({ summary: _, ...message }) => message) : before), ...bubbles(reply)],
  };
  if (reply.finished) {
    const done = reply.reportId !== undefined;
    const messages = done ? next.messages : bubbles(reply);
    const farewell = done ? (newsOf(reply)[0] ?? '') : '';
    return {
      ...next,
      ...OVER,
      messages,
      phase: done ? 'done' : 'ended',
      before: done || state.undone ? null : { ...unsaid(state), text: turn.text },
      farewell,
      receipt: reply.receipt ?? '',
      unreachable: done && isUnreachable(state.messages),
    };
  }
  const open: Conversation = {
    ...next,
    phase: 'asking',
    conversation: reply.conversation,
    step: reply.state,
    question: reply.question ?? null,
    text: reply.prefill ?? '',
  };
  const home = state.aside !== null && reply.state === state.aside.step;
  if (turn.back && !home) {
    const aside = state.aside ?? { step: state.step, text: state.text };
    return { ...open, text: state.answers[reply.state] ?? '', aside };
  }
  if (taken || home) {
    const understood = reply.understood?.map(({ state: step, text }) => [step, text]) ?? [];
    const told = { [turn.step]: turn.text, ...Object.fromEntries(understood) };
    const answers = taken ? { ...state.answers, ...told } : state.answers;
    return { ...open, answers, text: (away ? null : state.aside?.text) ?? open.text, aside: null };
  }
  return open;
}

/** The last answer does not count: its bubble goes, the box is open again. */
function unsaid(state: Conversation): Conversation {
  return { ...state, phase: 'asking', turn: null, checking: false, messages: state.messages.slice(0, -1) };
}

/** The answer did not leave: its text comes back into the box. */
function failed(state: Conversation, failure: string, lost: boolean): Conversation {
  if (state.turn === null) {
    return state;
  }
  if (state.turn.back) {
    // Nothing waits for the line: a caller that wants the question asks for it again.
    return { ...state, phase: 'asking', turn: null, failure: failure === OFFLINE ? FAILED : failure, lost };
  }
  const mayHaveArrived = [FAILED, OFFLINE].includes(failure) && isLastStep(state.turn.step);
  return {
    ...unsaid(state),
    text: state.turn.text,
    failure,
    lost,
    unsure: state.unsure || mayHaveArrived,
  };
}

/** A kept last answer was not accepted after all: the question is put again, with the answer in the box. */
function reopened(state: Conversation, event: Extract<Event, { type: 'reopened' }>): Conversation {
  const { reply, answers } = event;
  const begun = { ...newConversation(''), answers, helped: reply.helped === true };
  const before = state.phase === 'kept' ? state.messages : [];
  if (REFUSED.includes(reply.rule)) {
    // The conversation on the screen has the question, and as its last bubble the answer.
    return refused({ ...begun, messages: before.slice(0, -1) }, reply, event.text);
  }
  const { conversation, state: step, question = null } = reply;
  const messages = [...before, ...bubbles(reply)];
  return { ...begun, conversation, step, question, messages, news: newsOf(reply) };
}

/** The word that a refusal names, where it stands in that text; empty where it does not. */
export function namedIn({ reason }: Conversation, text: string): string {
  const word = /«(.+?)»/.exec(reason)?.[1] ?? '';
  const at = text.toLowerCase().indexOf(word.toLowerCase());
  return at < 0 ? '' : text.slice(at, at + word.length);
}

/**
 * Typing ends a refusal once the refused words are gone, or the text is long enough: the count of missing characters was that of
 * the sent text. An answer that waited for a connection is no longer sent by itself, since the person may mean another by now.
 */
function typed(state: Conversation, text: string, enough: boolean): Conversation {
  if (state.phase !== 'asking' || state.unsure) {
    return state;
  }
  const mended = state.short ? enough : namedIn(state, state.text) !== '' && namedIn(state, text) === '';
  const left = mended || state.failure === OFFLINE ? NOTHING_SAID : state.short ? { reason: '' } : {};
  return { ...state, ...left, text };
}

/** The line is back: what failed for want of it is no longer so, and what waited for it goes. */
function reached(state: Conversation): Conversation {
  if (state.failure === OFFLINE) {
    return submitted({ ...state, failure: '' }, state.text);
  }
  return state.failure === FAILED ? { ...state, failure: '' } : state;
}

export function reduce(state: Conversation, event: Event): Conversation {
  switch (event.type) {
    case 'typed':
      return typed(state, event.text, event.enough === true);
    case 'submitted':
      return submitted(state, event.text ?? state.text, event.shown);
    case 'read':
      return { ...state, messages: released(state.messages) };
    case 'correcting':
      return correcting(state, event.step);
    case 'left':
      return state.aside === null ? state : correcting(state, state.aside.step);
    case 'undone':
      return state.before === null ? state : { ...state.before, undone: true };
    case 'reached':
      return reached(state);
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
        farewell: event.note,
        messages: [...state.messages, { from: 'bot', text: event.note }],
        news: [event.note],
      };
    case 'shut':
      return { ...newConversation(''), shut: event.note };
    case 'settled':
      return state.phase === 'kept'
        ? {
            ...state,
            phase: event.phase,
            keptId: null,
            farewell: event.reply ? (newsOf(event.reply)[0] ?? '') : '',
            receipt: event.reply?.receipt ?? '',
            helped: state.helped || event.reply?.helped === true,
            messages: [
              ...state.messages,
              ...(event.reply ? bubbles(event.reply) : []).filter(({ hold }) => hold),
            ],
          }
        : state;
    case 'reopened':
      return reopened(state, event);
    case 'restored':
      return event.conversation;
    case 'restarted':
      return newConversation(event.welcome);
  }
}
