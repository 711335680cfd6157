/**
 * A run-through of the conversation with phrases that are not saved. Pure. Must never decide what the assistant answers:
 * that is the server's word.
 */
import type { ChatReply } from '../../shared/api/schema';

export type ChatState = ChatReply['state'];

export interface Said {
  from: 'bot' | 'user';
  text: string;
}

export interface Rehearsal {
  said: readonly Said[];
  state: ChatState;
  /** Token of the last answer; undefined before the first. */
  conversation: string | undefined;
  finished: boolean;
}

export const NOT_STARTED: Rehearsal = {
  said: [],
  state: 'age_check',
  conversation: undefined,
  finished: false,
};

/** The run-through after an answer, and after what was said to get it. */
export function replied(before: Rehearsal, text: string | undefined, reply: ChatReply): Rehearsal {
  const asked: Said[] = text === undefined ? [] : [{ from: 'user', text }];
  const answers = reply.messages.map((message): Said => ({ from: 'bot', text: message.text }));
  return {
    said: [...before.said, ...asked, ...answers],
    state: reply.state,
    conversation: reply.conversation,
    finished: reply.finished,
  };
}

/** What the box is called, and an answer that the rules accept, so that one can step through without typing. */
export const STEPS: Readonly<Record<ChatState, { label: string; sample: string }>> = {
  age_check: { label: 'Età', sample: '34' },
  collect_name: { label: 'Nome', sample: 'Giulia' },
  collect_surname: { label: 'Cognome', sample: 'Esempio' },
  collect_phone: { label: 'Cellulare', sample: '3123456789' },
  collect_email: { label: 'Email', sample: 'giulia@esempio.example' },
  collect_address: { label: 'Indirizzo', sample: 'Via di Prova 1, 00100 Roma' },
  investigative_questions: {
    label: 'Racconto',
    sample:
      'Da marzo nella mensa della scuola servono piatti scaduti: ho le fotografie delle etichette e due persone sono disposte a parlare.',
  },
  collect_report: { label: 'Altre informazioni', sample: 'no' },
  final_question: { label: 'Risposta', sample: 'no' },
};
