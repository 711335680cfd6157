import { describe, expect, it, vi } from 'vitest';
import { noContent, problem, serve } from '../testing/server';
import { call, SESSION_DOUBTED } from './client';
import { ApiProblem, isTemporary, NetworkError } from './errors';

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('call', () => {
  it('fills path and query, leaving out what is empty', async () => {
    const asked = serve(() => Response.json({}));
    await call('get', '/reports', { query: { stato: 'In lavorazione', cursor: '' } });
    await call('get', '/reports/{id}', { path: { id: 'a/b' } });
    expect(asked.map(({ path }) => path)).toEqual(['/reports?stato=In+lavorazione', '/reports/a%2Fb']);
  });

  it('sends body, version and the mark of a background poll', async () => {
    const asked = serve(() => Response.json({ ok: true }));
    await call('get', '/status', { background: true });
    await call('post', '/chat/turns', { body: { conversation: 'c', text: 't' }, ifMatch: 3 });
    const [poll, turn] = asked;
    expect([poll?.headers.get('x-background'), poll?.headers.get('content-type')]).toEqual(['1', null]);
    expect(turn?.body).toEqual({ conversation: 'c', text: 't' });
    expect([turn?.headers.get('x-background'), turn?.headers.get('if-match')]).toEqual([null, '"3"']);
  });

  it('gives nothing for 204', async () => {
    serve(noContent);
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
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '7' };
    serve(() => Response.json(document, { status: 422, headers }));
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
    serve(
      () => new Response('<h1>Bad gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } }),
    );
    const error = await failure(call('get', '/status', {}));
    expect(error).toMatchObject({ status: 502, slug: '', detail: '', retryAfter: undefined });
    expect(isTemporary(error)).toBe(true);
  });

  it('tells the window when the session is over, but not when it only asks', async () => {
    const heard = vi.fn();
    window.addEventListener(SESSION_DOUBTED, heard);
    serve(() => problem(401, 'non-autenticato'));
    await failure(call('get', '/session', {}));
    expect(heard).not.toHaveBeenCalled();
    await failure(call('get', '/reports', {}));
    expect(heard).toHaveBeenCalledTimes(1);
    window.removeEventListener(SESSION_DOUBTED, heard);
  });

  it('gives up after its time, and says that it was the time', async () => {
    vi.useFakeTimers();
    serve(() => new Promise(() => undefined));
    const error = failure(call('get', '/status', { timeoutMs: 500 }));
    await vi.advanceTimersByTimeAsync(500);
    expect(await error).toMatchObject({ name: 'NetworkError', timedOut: true });

    const abort = new AbortController();
    const stopped = failure(call('get', '/status', { signal: abort.signal }));
    abort.abort();
    expect(await stopped).not.toBeInstanceOf(NetworkError);
  });
});
