import { describe, expect, it } from 'vitest';
import type { ChatReply } from '../../shared/api/schema';
import { OFFLINE } from '../messages';
import { type Conversation, namedIn, newConversation, reduce } from './conversation';

const reply = (patch: Partial<ChatReply>): ChatReply => ({
  conversation: 'token-2',
  state: 'collect_name',
  messages: [{ type: 'bot', text: 'Come ti chiami?' }],
  finished: false,
  rule: patch.state === 'age_check' ? 'invalid' : 'answered',
  ...patch,
});

function asked(text: string, patch: Partial<Conversation> = {}): Conversation {
  const typed = reduce({ ...newConversation('Ciao'), ...patch }, { type: 'typed', text });
  return reduce(typed, { type: 'submitted' });
}

describe('the conversation', () => {
  it('sends the trimmed answer once and empties the box', () => {
    const state = asked('  34 ', { conversation: 'token-1' });
    expect(state).toMatchObject({ phase: 'sending', text: '' });
    expect(state.turn).toEqual({ conversation: 'token-1', step: 'age_check', text: '34' });
    expect(reduce(state, { type: 'submitted' })).toBe(state);
    expect(reduce(state, { type: 'typed', text: 'x' })).toBe(state);
  });

  it('shows the whole report before it leaves, with what was typed beside help', () => {
    const held = { from: 'bot', text: 'Chiama il 112.', hold: true } as const;
    const state = asked('aiutatemi', { step: 'collect_report', messages: [held], conversation: 'token-1' });
    expect(state).toMatchObject({ phase: 'asking', turn: null, text: 'aiutatemi' });
    expect(state.messages).toEqual([{ from: 'bot', text: 'Chiama il 112.' }]);
    expect(reduce(state, { type: 'submitted', text: 'aiutatemi' }).turn?.text).toBe('aiutatemi');
  });

  it('keeps the help that a report which left later is answered', () => {
    const kept: Conversation = { ...newConversation('Ciao'), phase: 'kept', keptId: 7 };
    const help = { type: 'bot', text: 'Chiama il 112.', hold: true };
    const left = reply({ finished: true, messages: [{ type: 'bot', text: 'Grazie.' }, help], helped: true });
    const state = reduce(kept, { type: 'settled', phase: 'done', reply: { ...left, receipt: 'AB' } });
    expect(state).toMatchObject({ phase: 'done', receipt: 'AB', helped: true });
    expect(state.messages.at(-1)).toEqual({ from: 'bot', text: 'Chiama il 112.', hold: true });
  });

  it('tells a filed report from a chat that was closed', () => {
    const last = asked('no', { step: 'collect_report', answers: { collect_name: 'Maria' } });
    const end = reply({ conversation: '', state: 'collect_report', finished: true });
    expect(reduce(last, { type: 'replied', reply: { ...end, reportId: 'r1' } }).phase).toBe('done');
    const closed = reduce(last, { type: 'replied', reply: end });
    expect(closed).toMatchObject({ phase: 'ended', answers: {}, conversation: null });
  });

  it('goes back once behind an answer that ended it', () => {
    const sent = asked('14', { conversation: 'token-1' });
    const end = reply({ conversation: '', state: 'age_check', finished: true, rule: 'minor' });
    const ended = reduce(sent, { type: 'replied', reply: end });
    const undone = reduce(ended, { type: 'undone' });
    expect(undone).toMatchObject({ phase: 'asking', text: '14', conversation: 'token-1', step: 'age_check' });
    expect(undone.messages).toEqual([{ from: 'bot', text: 'Ciao' }]);
    const again = reduce(reduce(undone, { type: 'submitted' }), { type: 'replied', reply: end });
    expect(again).toMatchObject({ phase: 'ended', before: null });
    expect(reduce(again, { type: 'undone' })).toBe(again);
  });

  it('sends by itself what waited for the line, unless it is being changed', () => {
    const waiting = reduce(asked('34'), { type: 'failed', failure: OFFLINE, lost: false });
    expect(waiting).toMatchObject({ phase: 'asking', text: '34', failure: OFFLINE });
    const back = reduce(waiting, { type: 'reached' });
    expect(back).toMatchObject({ phase: 'sending', failure: '', turn: { text: '34' } });
    const changed = reduce(waiting, { type: 'typed', text: '35' });
    expect(reduce(changed, { type: 'reached' })).toMatchObject({ phase: 'asking', text: '35', failure: '' });
  });

  it('does not send what is being written where a correction found no line', () => {
    const writing = { ...newConversation('Ciao'), step: 'collect_name', conversation: 't', text: 'Mar' };
    const asking = reduce(writing, { type: 'correcting', step: 'age_check' });
    const failed = reduce(asking, { type: 'failed', failure: OFFLINE, lost: false });
    expect(reduce(failed, { type: 'reached' })).toMatchObject({ phase: 'asking', text: 'Mar', failure: '' });
  });

  it('names the word that has to go, and is content once it is gone', () => {
    const refused = reply({
      state: 'age_check',
      messages: [{ type: 'bot', text: 'Non posso.' }],
      reason: 'Togli la parola «avvocato».',
    });
    const state = reduce(asked('Un AVVOCATO lo sa'), { type: 'replied', reply: refused });
    expect(state).toMatchObject({ refusal: 'Non posso.', reason: 'Togli la parola «avvocato».' });
    expect(namedIn(state, state.text)).toBe('AVVOCATO');
    const still = reduce(state, { type: 'typed', text: 'Un avvocato' });
    expect(still.refusal).toBe('Non posso.');
    expect(reduce(still, { type: 'typed', text: 'Uno' })).toMatchObject({ refusal: '', reason: '' });
  });

  it('says that an account is too short until it is long enough', () => {
    const short = reply({
      state: 'investigative_questions',
      messages: [{ type: 'bot', text: 'Servono almeno 70 caratteri.' }],
      rule: 'too_short',
      reason: 'Mancano 58 caratteri: chi, dove, quando?',
    });
    const state = reduce(asked('In ospedale.', { step: short.state }), { type: 'replied', reply: short });
    expect(state).toMatchObject({ refusal: 'Servono almeno 70 caratteri.', reason: short.reason });
    // Its count is of what was sent.
    const more = reduce(state, { type: 'typed', text: 'In ospedale a', enough: false });
    expect(more).toMatchObject({ refusal: 'Servono almeno 70 caratteri.', reason: '' });
    expect(reduce(more, { type: 'typed', text: 'Tutto.', enough: true })).toMatchObject({ refusal: '' });
  });

  it('leaves another refusal of an account that is long enough', () => {
    const named = reply({
      state: 'investigative_questions',
      messages: [{ type: 'bot', text: 'Non posso.' }],
      rule: 'forbidden',
      reason: 'Togli la parola «avvocato».',
    });
    const state = reduce(asked('Un avvocato', { step: named.state }), { type: 'replied', reply: named });
    const still = reduce(state, { type: 'typed', text: 'Un avvocato dice', enough: true });
    expect(still).toMatchObject({ refusal: 'Non posso.', reason: named.reason });
  });

  it('knows who left no way to be reached', () => {
    const ended = (phone: string) => {
      const summary = [
        { state: 'collect_name', text: 'Maria' },
        { state: 'collect_phone', text: phone },
        { state: 'collect_email', text: '' },
      ];
      const state = asked('no', {
        step: 'collect_report',
        messages: [{ from: 'bot', text: 'Manca qualcosa?', summary }],
      });
      const done = reply({ conversation: '', finished: true, reportId: 'r', receipt: 'AB' });
      return reduce(state, { type: 'replied', reply: done }).unreachable;
    };
    expect([ended(''), ended('3331234567')]).toEqual([true, false]);
  });

  it.each(['forbidden', 'guided'] as const)(
    'keeps help in reach where a kept answer comes back %s',
    (rule) => {
      const back = reply({ state: 'collect_report', rule, helped: true });
      const reopened = { type: 'reopened', reply: back, text: 'no', answers: {} } as const;
      expect(reduce(newConversation('Ciao'), reopened).helped).toBe(true);
    },
  );

  it('reopens after a kept answer was refused', () => {
    const kept = reduce(asked('avvocato', { step: 'collect_report' }), { type: 'kept', id: 7 });
    expect(kept).toMatchObject({ phase: 'kept', keptId: 7, turn: null });
    const messages = [{ type: 'bot', text: 'No.' }];
    const refused = reply({ state: 'collect_report', messages, rule: 'forbidden' });
    const state = reduce(kept, {
      type: 'reopened',
      reply: refused,
      text: 'avvocato',
      answers: { collect_name: 'M' },
    });
    expect(state).toMatchObject({ phase: 'asking', keptId: null, text: 'avvocato', conversation: 'token-2' });
    expect(state.answers).toEqual({ collect_name: 'M' });
    expect(state).toMatchObject({ refusal: 'No.', messages: [{ text: 'Ciao' }] });
  });
});
