/** A newsroom made of memory for the tests: speaks the chat's contract through `fetch`, and can be made to fail. */
import type { ChatQuestion, ChatReply, Proof } from '../../shared/api/schema';
import { type Request as Asked, lineDown, problem, serve } from '../../shared/testing/server';
import { STEPS } from '../chat/field-hints';
import { head } from '../chat/solve';

/** `turns`: a conversation can be begun, but no turn succeeds. */
type Fault = 'line' | 'turns' | 500 | 503 | 507 | 400;
type Request = {
  path: string;
  body: {
    conversation?: string;
    text?: string;
    state?: string;
    proof?: Proof;
    callout?: string;
    attachments?: string[];
  };
  headers: Headers;
};

/** A question of a callout, and what it asks of its answer. */
export type OwnQuestion = Omit<ChatQuestion, 'place' | 'places'> & { key: string; text: string };

/** The code of every receipt. */
export const CODE = 'ABCDE-12345-FGHJK-67890';

const SUMMARY = [
  { state: 'collect_name', text: 'Come tenuto' },
  { state: 'collect_email', text: '' },
  { state: 'investigative_questions', text: 'Il racconto.' },
];

export class FakeNewsroom {
  fault: Fault | null = null;
  database: 'online' | 'demo' | 'unavailable' = 'online';
  /** The last turn needs a proof of so many bits. */
  bits: number | null = null;
  /** Further fields of the answer to the next turn. */
  next: Partial<ChatReply> = {};
  /** Names of the files that are gone: a turn that names files is refused. */
  gone: readonly string[] = [];
  /** Questions of the callout that is open; `null`: it is over. */
  own: readonly OwnQuestion[] | null = [];
  /** Everything that was asked, in order. */
  readonly requests: Request[] = [];
  /** Last texts of the reports that were filed, by id. */
  readonly reports = new Map<string, string>();
  #started = 0;
  readonly #answers = new Map<string, string>();

  install(): this {
    serve((request) => this.#answer(request));
    return this;
  }

  turns(): Array<Request['body']> {
    return this.requests.filter((request) => request.path === '/chat/turns').map((request) => request.body);
  }

  async #answer({ path, body: given = {}, headers }: Asked): Promise<Response> {
    const body = given as Request['body'];
    this.requests.push({ path, body, headers });
    if (this.fault === 'line') {
      return lineDown();
    }
    if (path === '/status') {
      return Response.json({ database: this.database, version: '1' });
    }
    if (typeof this.fault === 'number') {
      return refused(this.fault);
    }
    if (path === '/chat') {
      if (body.callout !== undefined && this.own === null) {
        return refused(409);
      }
      this.#started += 1;
      // The name of the conversation holds the callout's.
      const id = [this.#started, body.callout].join(body.callout === undefined ? '' : '@');
      return Response.json(this.#reply(`${id}:0`, 0, ['Quanti anni hai?']));
    }
    if (this.fault === 'turns') {
      return refused(500);
    }
    if (path === '/chat/back') {
      return this.#back(body.conversation ?? '', body.state ?? '');
    }
    if (this.gone.length > 0 && (body.attachments ?? []).length > 0) {
      const detail = `${this.gone.join(', ')} non c’è più: allegalo di nuovo.`;
      return problem(409, 'allegato-mancante', { detail, missing: this.gone });
    }
    const { next } = this;
    this.next = {};
    const answer = this.#turn(body.conversation ?? '', body.text ?? '', body.proof);
    return answer.ok ? Response.json({ ...(await answer.json()), ...next }) : answer;
  }

  /** The states of the conversation that the token is of. */
  #steps(token: string): readonly string[] {
    const own = this.own?.map(({ key }) => `question:${key}`) ?? [];
    return token.includes('@') ? ['age_check', ...own, 'collect_report'] : STEPS;
  }

  #turn(token: string, text: string, proof?: Proof): Response {
    const [id = '', place = '', stood = ''] = token.split(':');
    const step = Number(place);
    const last = this.#steps(token).length - 1;
    if (/avvocato/i.test(text) || (step === 0 && !/\d/.test(text))) {
      const why = step === 0 ? {} : { reason: 'Togli la parola «avvocato».' };
      return Response.json({ ...this.#reply(token, step, ['Non va bene.']), rule: 'invalid', ...why });
    }
    if (step === 0 && Number(/\d+/.exec(text)?.[0]) < 18) {
      return Response.json({ ...this.#reply('', 0, ['La chat termina qui.']), finished: true });
    }
    if (step === last && this.bits !== null && !proves(proof, this.bits)) {
      const challenge = { salt: 'sale', bits: this.bits, expires: '2026-03-10T09:30:00Z', wait: 60 };
      return problem(428, 'prova', { detail: 'Verifica.', challenge });
    }
    if (step === last) {
      this.reports.set(id, text);
      const end = { finished: true, reportId: id, receipt: CODE };
      return Response.json({ ...this.#reply('', step, ['Grazie!']), ...end });
    }
    this.#answers.set(this.#steps(token)[step] ?? '', text);
    // Behind the place: where a correction comes back to.
    const next = stood === '' ? step + 1 : Number(stood);
    const summary = next === last ? this.#summary(token) : undefined;
    const rule = stood === '' ? 'answered' : 'corrected';
    const own = token.includes('@') ? this.own?.[next - 1]?.text : undefined;
    return Response.json({
      ...this.#reply(`${id}:${next}`, next, [own ?? `Domanda ${next + 1}`]),
      rule,
      summary,
    });
  }

  #back(token: string, state: string): Response {
    const [id = '', place = '', stood = ''] = token.split(':');
    const step = this.#steps(token).indexOf(state);
    const again = this.#reply(`${id}:${step}:${stood || place}`, step, [`Di nuovo ${step + 1}`]);
    return Response.json({ ...again, rule: 'guided' });
  }

  #summary(token: string) {
    const own = this.own?.map(({ key, text }) => {
      const state = `question:${key}`;
      return { state, text: this.#answers.get(state) ?? '', label: text };
    });
    return token.includes('@') ? own : SUMMARY;
  }

  #reply(conversation: string, step: number, texts: string[]): ChatReply {
    const own = conversation.includes('@') ? this.own?.[step - 1] : undefined;
    return {
      conversation,
      state: this.#steps(conversation)[step] ?? 'final_question',
      messages: texts.map((text) => ({ type: 'bot', text })),
      finished: false,
      rule: 'answered',
      ...(own && { question: { ...own, place: step + 1, places: this.#steps(conversation).length } }),
    };
  }
}

const refused = (status: number) =>
  problem(status, status === 400 ? 'token-non-valido' : 'guasto', { detail: `Motivo ${status}.` });

function proves(proof: Proof | undefined, bits: number): boolean {
  return proof?.salt === 'sale' && Math.clz32(head(`sale:${proof.n}`)) >= bits;
}
