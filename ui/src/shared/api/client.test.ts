import { afterEach, describe, expect, it, vi } from 'vitest';
import { call, SESSION_DOUBTED } from './client';
import { ApiProblem, isTemporary, NetworkError } from './errors';

function stub(response: () => Response | Promise<Response>) {
  const fetch = vi.fn((_address: string, _init: RequestInit) => Promise.resolve(response()));
  vi.stubGlobal('fetch', fetch);
  return fetch;
}

const problem = (status: number, document: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(document), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
  });

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

afterEach(() => {
  vi.useRealTimers();
});

describe('call', () => {
  it('fills path and query, leaving out what is empty', async () => {
    const fetch = stub(() => Response.json({}));
    await call('get', '/reports', { query: { stato: 'In lavorazione', cursor: '' } });
    expect(fetch.mock.calls[0]?.[0]).toBe('/paibeta/api/reports?stato=In+lavorazione');
    await call('get', '/reports/{id}', { path: { id: 'a/b' } });
    expect(fetch.mock.calls[1]?.[0]).toBe('/paibeta/api/reports/a%2Fb');
  });

  it('sends body, version and the mark of a background poll', async () => {
    const fetch = stub(() => Response.json({ ok: true }));
    await call('get', '/status', { background: true });
    const poll = new Headers(fetch.mock.calls[0]?.[1].headers);
    expect([poll.get('x-background'), poll.get('content-type')]).toEqual(['1', null]);
    await call('post', '/chat/turns', { body: { conversation: 'c', text: 't' }, ifMatch: 3 });
    const turn = fetch.mock.calls[1]?.[1];
    expect(turn?.body).toBe('{"conversation":"c","text":"t"}');
    expect(new Headers(turn?.headers).get('if-match')).toBe('"3"');
    expect(new Headers(turn?.headers).get('x-background')).toBeNull();
  });

  it('gives nothing for 204', async () => {
    stub(() => new Response(null, { status: 204 }));
    expect(await call('delete', '/session', {})).toBeUndefined();
  });

  it('turns a problem document into ApiProblem', async () => {
    const document = {
      type: 'urn:segnalazioni:problem:dati-non-validi',
      title: 'Dati non validi',
      status: 422,
      detail: 'Controlla i campi.',
      errors: { new: 'Troppo corta.' },
      requestId: 'r-1',
    };
    stub(() => problem(422, document, { 'retry-after': '7' }));
    const error = await failure(call('put', '/password', { body: { current: 'a', new: 'b' } }));
    expect(error).toBeInstanceOf(ApiProblem);
    expect(error).toMatchObject({
      status: 422,
      slug: 'dati-non-validi',
      detail: 'Controlla i campi.',
      errors: { new: 'Troppo corta.' },
      requestId: 'r-1',
      retryAfter: 7,
    });
    expect(isTemporary(error)).toBe(false);
  });

  it('copes with an answer that is not ours', async () => {
    stub(
      () => new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } }),
    );
    const error = await failure(call('get', '/status', {}));
    expect(error).toMatchObject({ status: 502, slug: '', detail: '', retryAfter: undefined });
    expect(isTemporary(error)).toBe(true);
  });

  it('tells the window when the session is over, but not when it only asks', async () => {
    const heard = vi.fn();
    window.addEventListener(SESSION_DOUBTED, heard);
    stub(() => problem(401, { type: 'urn:segnalazioni:problem:non-autenticato', status: 401 }));
    await failure(call('get', '/session', {}));
    expect(heard).not.toHaveBeenCalled();
    await failure(call('get', '/reports', {}));
    expect(heard).toHaveBeenCalledTimes(1);
    window.removeEventListener(SESSION_DOUBTED, heard);
  });

  it('gives up after its time, and says that it was the time', async () => {
    vi.useFakeTimers();
    const never = (_: string, init: RequestInit) =>
      new Promise((_resolve, reject) => {
        init.signal?.addEventListener('abort', () => reject(new DOMException('stop', 'AbortError')));
      });
    vi.stubGlobal('fetch', never);
    const error = failure(call('get', '/status', { timeoutMs: 500 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(await error).toMatchObject({ name: 'NetworkError', timedOut: true });

    const abort = new AbortController();
    const stopped = failure(call('get', '/status', { signal: abort.signal }));
    abort.abort();
    expect(await stopped).not.toBeInstanceOf(NetworkError);
  });
});
