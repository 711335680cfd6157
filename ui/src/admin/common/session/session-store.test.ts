import { beforeEach, describe, expect, it, vi } from 'vitest';
import { ApiProblem, NetworkError } from '../../../shared/api/errors';
import { sampleWho } from '../../testing/samples';
import { type EndReason, SessionStore, type TabMessage, type Who } from './session-store';

const MINUTE = 60_000;
const IDLE = 60 * MINUTE;

/** A server with one session: reading extends it, unless in the background. */
class Server {
  last = Date.now();
  hardEnd = Number.POSITIVE_INFINITY;
  open = true;
  down = false;
  reads: boolean[] = [];
  who: Who | null = null;

  endsAt(): number {
    return Math.min(this.last + IDLE, this.hardEnd);
  }

  read = (background: boolean) => {
    this.reads.push(background);
    if (this.down) {
      return Promise.reject(new NetworkError(false, null));
    }
    if (!this.open || Date.now() >= this.endsAt()) {
      const type = 'urn:segnalazioni:problem:non-autenticato';
      return Promise.reject(new ApiProblem({ status: 401, type }));
    }
    if (!background) {
      this.last = Date.now();
    }
    return Promise.resolve({ endsAt: this.endsAt(), idleMs: IDLE, who: this.who, locked: false });
  };

  end = () => {
    this.open = false;
    return this.down ? Promise.reject(new NetworkError(false, null)) : Promise.resolve();
  };

  extensions(): number {
    return this.reads.filter((background) => !background).length;
  }
}

let server: Server;
let store: SessionStore;
let told: TabMessage[];
let ends: EndReason[];

beforeEach(async () => {
  vi.useFakeTimers();
  server = new Server();
  told = [];
  ends = [];
  store = new SessionStore({
    read: server.read,
    end: server.end,
    tell: (message) => told.push(message),
  });
  store.onEnd((reason) => ends.push(reason));
  await store.check();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const warning = () => (store.state.status === 'active' ? store.state.warning : null);

describe('the session', () => {
  it('is open once the server says so, and asked for again where it did not answer', async () => {
    expect(store.state).toEqual({ status: 'active', warning: null, who: null, locked: false });
    server.down = true;
    await store.check();
    expect(store.state).toEqual({ status: 'failed', error: expect.any(NetworkError) });
    server.down = false;
    await store.check();
    expect(store.state).toEqual({ status: 'active', warning: null, who: null, locked: false });
  });

  it('warns a minute before the end, then ends as expired', async () => {
    await pass(IDLE - MINUTE - 1);
    expect(warning()).toBeNull();
    await pass(1);
    expect(warning()).toEqual({ endsAt: server.endsAt(), extendable: true });
    await pass(MINUTE);
    expect(store.state).toEqual({ status: 'none', ended: 'expired' });
    expect(ends).toEqual(['expired']);
    expect(told.at(-1)).toEqual('expired');
  });

  it('does not extend by watching', async () => {
    await pass(IDLE);
    expect(server.extensions()).toBe(1);
  });

  it('is extended by activity, at most once a minute, and never misses the last one', async () => {
    await pass(MINUTE);
    for (let second = 0; second < 30; second += 1) {
      store.activity();
      await pass(1000);
    }
    expect(server.extensions()).toBe(2);
    await pass(30_000);
    expect(server.extensions()).toBe(3);
    await pass(IDLE - MINUTE - 1);
    expect(warning()).toBeNull();
  });

  it('takes only a deliberate answer under the warning', async () => {
    await pass(IDLE - MINUTE);
    store.activity();
    await pass(1000);
    expect(warning()).not.toBeNull();
    await store.stay();
    expect(warning()).toBeNull();
    await pass(IDLE - MINUTE - 1);
    expect(store.state.status).toBe('active');
  });

  it('keeps the warning and says so when the server cannot be reached', async () => {
    await pass(IDLE - MINUTE);
    server.down = true;
    await expect(store.stay()).rejects.toBeInstanceOf(NetworkError);
    expect(warning()).not.toBeNull();
  });

  it('forgets everything at the end even when nobody answers', async () => {
    server.down = true;
    await pass(IDLE);
    expect(store.state).toEqual({ status: 'none', ended: 'expired' });
  });

  it('says when its longest life is over, because then nothing can extend it', async () => {
    server.hardEnd = Date.now() + 30 * MINUTE;
    await pass(MINUTE);
    store.activity();
    await pass(28 * MINUTE);
    expect(warning()).toEqual({ endsAt: server.hardEnd, extendable: false });
  });

  it('follows the other tabs: extended, ended, begun', async () => {
    await pass(IDLE - MINUTE);
    server.last = Date.now();
    await pass(5000);
    expect(warning()).toBeNull();
    store.hear('logout');
    expect(store.state).toEqual({ status: 'none', ended: 'logout' });
    expect(told).toEqual([]);
    store.hear('begun');
    await pass(0);
    expect(store.state.status).toBe('active');
  });

  it('knows whose it is by now, where it began anew in another tab or was allowed less', async () => {
    expect(store.state).toMatchObject({ status: 'active', who: null });
    server.who = sampleWho();
    store.hear('begun');
    await pass(0);
    expect(store.state).toMatchObject({ status: 'active', who: { role: 'redattore' } });
    server.who = sampleWho({ role: 'lettore' });
    await store.doubt();
    expect(store.state).toMatchObject({ status: 'active', who: { role: 'lettore' } });
    expect(ends).toEqual([]);
  });

  it('asks the server before warning: a save may have extended the session unseen', async () => {
    await pass(30 * MINUTE);
    server.last = Date.now();
    await pass(29 * MINUTE);
    expect(warning()).toBeNull();
    await pass(30 * MINUTE);
    expect(warning()).not.toBeNull();
  });

  it('notices the end after a sleep of the machine', async () => {
    vi.setSystemTime(Date.now() + 2 * IDLE);
    store.wake();
    await pass(0);
    expect(store.state).toEqual({ status: 'none', ended: 'expired' });
  });

  it('tells an end by the server from one by inactivity', () => {
    server.open = false;
    store.lost();
    expect(store.state).toEqual({ status: 'none', ended: 'revoked' });
  });

  it('ends by a refused call only where there is no session, or nobody says so', async () => {
    await store.doubt();
    expect(store.state.status).toBe('active');
    expect(server.reads.at(-1)).toBe(true);
    server.open = false;
    await store.doubt();
    expect(store.state).toEqual({ status: 'none', ended: 'revoked' });
    server.open = true;
    await store.begin();
    server.down = true;
    await store.doubt();
    expect(store.state).toEqual({ status: 'none', ended: 'revoked' });
  });

  it('stays logged in when the server did not hear the logout', async () => {
    server.down = true;
    await expect(store.logout()).rejects.toBeInstanceOf(NetworkError);
    expect(store.state.status).toBe('active');
    server.down = false;
    await store.logout();
    expect(ends).toEqual(['logout']);
  });

  it('ignores an answer that was asked before the logout', async () => {
    const late = store.stay();
    store.hear('logout');
    await late;
    expect(store.state).toEqual({ status: 'none', ended: 'logout' });
  });
});
