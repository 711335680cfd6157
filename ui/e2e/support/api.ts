/** The server's interface for programs, to prepare and to check what a test is not about. */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type {
  Challenge,
  ChatReply,
  ReportDetail,
  ReportList,
  ReportPatch,
  Security,
  Session,
  System,
} from '../../src/shared/api/schema';
import { answersOf, type Person } from './people';

export const PASSWORD = 'quattro cavalli in pianura';

/** Known to everybody: demonstrations hold nothing that is worth a secret. */
export const DEMO_PASSWORD = 'dimostrazione-aperta';

/** How many are made side by side when many reports are wanted. */
const SIDE_BY_SIDE = 8;

export interface SessionCookie {
  name: string;
  value: string;
}

export interface NewPerson {
  name: string;
  user: string;
  role: 'amministratore' | 'redattore' | 'lettore';
  departments: string[];
}

function cookieOf(answer: Response): SessionCookie {
  const [name, value] = answer.headers.getSetCookie()[0]?.split(';')[0]?.split('=') ?? [];
  if (answer.status !== 204 || name === undefined || value === undefined) {
    throw new Error(`logging in: ${answer.status}`);
  }
  return { name, value };
}

export class Api {
  readonly #origin: string;
  #cookie: SessionCookie | undefined;

  constructor(origin: string, cookie?: SessionCookie) {
    this.#origin = origin;
    this.#cookie = cookie;
  }

  /** A request as it is; the caller looks at the answer. */
  fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const cookie = this.#cookie;
    return fetch(`${this.#origin}/paibeta/api${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(cookie === undefined ? {} : { cookie: `${cookie.name}=${cookie.value}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  async #json<T>(method: string, path: string, body?: object, headers?: Record<string, string>): Promise<T> {
    const answer = await this.fetch(method, path, body, headers);
    if (answer.status === 428) {
      const { challenge } = (await answer.json()) as { challenge: Challenge };
      return this.#json(method, path, { ...body, proof: await proofOf(challenge) });
    }
    if (!answer.ok) {
      throw new Error(`${method} ${path}: ${answer.status}`);
    }
    return (answer.status === 204 ? undefined : await answer.json()) as T;
  }

  /** Logs in; the cookie is also kept here, for the calls that follow. */
  async logIn(password: string): Promise<SessionCookie> {
    this.#cookie = cookieOf(await this.fetch('POST', '/session', { password }));
    return this.#cookie;
  }

  /** Adds a person, who chooses that password, and gives the person's id and a session. */
  async welcome(person: NewPerson, password: string): Promise<{ id: string; cookie: SessionCookie }> {
    const { id, invitation } = await this.#json<{ id: string; invitation: string }>(
      'POST',
      '/people',
      person,
    );
    const token = invitation.split('#')[1];
    const stranger = new Api(this.#origin);
    return { id, cookie: cookieOf(await stranger.fetch('POST', '/invitations', { token, password })) };
  }

  /** Tells a whole report and gives its id. */
  async tell(person: Person, last = 'no'): Promise<string> {
    return (await this.tellForCode(person, last)).id;
  }

  /** Tells a whole report and gives its id and its code. */
  async tellForCode(person: Person, last = 'no'): Promise<{ id: string; code: string }> {
    let reply = await this.#json<ChatReply>('POST', '/chat', {});
    for (const text of [...answersOf(person), last]) {
      const { conversation } = reply;
      reply = await this.#json<ChatReply>('POST', '/chat/turns', { conversation, text });
    }
    if (reply.reportId == null) {
      throw new Error(`no report came of it: ${reply.state}`);
    }
    return { id: reply.reportId, code: reply.receipt ?? '' };
  }

  /** Tells many reports and gives their ids, in no particular order. */
  async tellMany(people: readonly Person[]): Promise<string[]> {
    // What a test tells at once is no flood.
    await this.saveSecurity({ maxReportsPerDay: 1_000_000 });
    return this.#forEach(people, (person) => this.tell(person));
  }

  /** Takes many down as staff do, which is one call each where a conversation is ten; gives their ids, in no particular order. */
  enterMany(people: readonly Person[]): Promise<string[]> {
    return this.#forEach(people, async ({ eta, ...person }) => {
      const entry = { ...person, eta: Number(eta), origine: 'telefono' };
      return (await this.#json<{ id: string }>('POST', '/reports', entry)).id;
    });
  }

  async #forEach(people: readonly Person[], make: (person: Person) => Promise<string>): Promise<string[]> {
    const left = [...people];
    const ids: string[] = [];
    const work = async () => {
      for (let person = left.pop(); person !== undefined; person = left.pop()) {
        ids.push(await make(person));
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
    return ids;
  }

  list(query = ''): Promise<ReportList> {
    return this.#json('GET', `/reports${query}`);
  }

  detail(id: string): Promise<ReportDetail> {
    return this.#json('GET', `/reports/${id}`);
  }

  /** The report of that surname; fails unless there is exactly one. */
  async detailOf(person: Person): Promise<ReportDetail> {
    const { data } = await this.list('?limit=200');
    const found = data.filter((row) => row.cognome === person.cognome);
    const [only] = found;
    if (only === undefined || found.length > 1) {
      throw new Error(`${found.length} reports instead of one`);
    }
    return this.detail(only.id);
  }

  /** Writes to the newsroom as a reporter who came back with the code. */
  async writeBack(code: string, text: string): Promise<void> {
    const reporter = new Api(this.#origin);
    const opened = await reporter.fetch('POST', '/receipts', { code });
    const cookie = opened.headers.getSetCookie().map((one) => one.split(';')[0]);
    await reporter.#json('POST', '/receipts/messages', { text }, { cookie: cookie.join('; ') });
  }

  /** Saves on top of the newest version. */
  async change(id: string, patch: ReportPatch): Promise<ReportDetail> {
    const { versione } = await this.detail(id);
    return this.#json('PATCH', `/reports/${id}`, patch, { 'if-match': `"${versione}"` });
  }

  /** Lets the public answer a new callout, and gives its id. */
  async openCallout(callout: object): Promise<string> {
    const { id } = await this.#json<{ id: string }>('POST', '/callouts', callout);
    await this.#json('POST', `/callouts/${id}/open`);
    return id;
  }

  closeCallout(id: string): Promise<unknown> {
    return this.#json('POST', `/callouts/${id}/close`);
  }

  session(): Promise<Session> {
    return this.#json('GET', '/session');
  }

  logOut(): Promise<void> {
    return this.#json('DELETE', '/session');
  }

  async saveSystem(change: Partial<System>): Promise<void> {
    await this.#json('PUT', '/settings/system', change);
  }

  async saveSecurity(change: Partial<Security>): Promise<void> {
    await this.#json('PUT', '/settings/security', change);
  }
}

/** What siege mode asks for; a connection that the server closes meanwhile is noticed. */
async function proofOf({ salt, bits }: Challenge): Promise<{ salt: string; n: number }> {
  const begun = createHash('sha256').update(`${salt}:`);
  for (let n = 0; ; n += 1) {
    if (Math.clz32(begun.copy().update(String(n)).digest().readUInt32BE()) >= bits) {
      await setImmediate();
      return { salt, n };
    }
    if (n % 10_000 === 0) {
      await setImmediate();
    }
  }
}
