/** The only way to the server. Must never retry by itself: only the caller knows whether that is safe. */
import { setClock } from '../lib/clock';
import { ApiProblem, NetworkError } from './errors';
import type { paths } from './schema';

const PREFIX = '/paibeta/api';

type Paths = { [P in keyof paths as P extends `${typeof PREFIX}${infer Rest}` ? Rest : never]: paths[P] };
type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';
export type MethodOf<P extends keyof Paths> = {
  [M in Method]: M extends keyof Paths[P] ? (Paths[P][M] extends object ? M : never) : never;
}[Method];
type Operation<P extends keyof Paths, M extends Method> = M extends keyof Paths[P] ? Paths[P][M] : never;
type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type ParameterOf<O, Name extends 'path' | 'query'> = O extends { parameters: { [K in Name]: infer T } }
  ? T
  : undefined;
type BodyOf<O> = O extends { requestBody: infer R } ? Json<R> : undefined;
type AnswerOf<O> = O extends { responses: { 200: infer R } } ? Json<R> : undefined;
type Needed<Name extends string, T> = [T] extends [undefined] ? { [K in Name]?: never } : { [K in Name]: T };

type CallSettings = {
  /** Version for `If-Match`, as the report's `versione`. */
  ifMatch?: string | number;
  /** A poll of the page itself: it does not keep the session alive. */
  background?: boolean;
  signal?: AbortSignal;
  /** Milliseconds before giving up; 15 s when absent. */
  timeoutMs?: number;
};

type CallOptions<O> = CallSettings &
  Needed<'path', ParameterOf<O, 'path'>> &
  Needed<'body', BodyOf<O>> & { query?: O extends { parameters: { query?: infer Q } } ? Q : never };

export type CallPath = keyof Paths & string;
export type BodyFor<P extends CallPath, M extends MethodOf<P>> = BodyOf<Operation<P, M>>;
export type AnswerTo<P extends CallPath, M extends MethodOf<P>> = AnswerOf<Operation<P, M>>;
export type GetPath = {
  [P in keyof Paths]: 'get' extends MethodOf<P> ? P : never;
}[keyof Paths] &
  string;
export type Answer<P extends GetPath> = AnswerOf<Operation<P, 'get'>>;
export type GetOptions<P extends GetPath> = Pick<
  CallOptions<Operation<P, 'get'>>,
  'path' | 'query' | 'timeoutMs'
>;

type Loose = CallSettings & {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
};

/** Name of the window event sent when the server no longer knows the session, or allows it less than the page believes. */
export const SESSION_DOUBTED = 'segnalazioni:session-doubted';
const DOUBTS = ['non-autenticato', 'ruolo', 'secondo-fattore-richiesto', 'archivio-sigillato'];

export function doubt({ slug }: ApiProblem): void {
  if (DOUBTS.includes(slug)) {
    window.dispatchEvent(new Event(SESSION_DOUBTED));
  }
}

/** Address of a call, for what is fetched or followed in another way than by `call`. */
export function addressOf(template: CallPath, options: Pick<Loose, 'path' | 'query'>): string {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(options.path?.[name])),
  );
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined && value !== null && value !== '') {
      query.set(name, String(value));
    }
  }
  const text = query.toString();
  return `${PREFIX}${path}${text ? `?${text}` : ''}`;
}

export async function problemOf(response: Response): Promise<ApiProblem> {
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  const retryAfter = Number.isFinite(seconds) ? seconds : undefined;
  const isProblem = response.headers.get('content-type')?.includes('json') ?? false;
  // A proxy in front of the server may answer in its own words: then the status is all we know.
  const document: unknown = isProblem ? await response.json().catch(() => ({})) : {};
  return new ApiProblem({ ...(document as object), status: response.status }, retryAfter);
}

async function send(method: Method, address: string, options: Loose): Promise<unknown> {
  const timer = new AbortController();
  const clock = setTimeout(() => timer.abort(), options.timeoutMs ?? 15_000);
  const stop = () => timer.abort();
  options.signal?.addEventListener('abort', stop, { once: true });
  if (options.signal?.aborted) {
    stop();
  }
  try {
    const response = await fetch(address, {
      method: method.toUpperCase(),
      headers: {
        accept: 'application/json',
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
        ...(options.ifMatch !== undefined && { 'if-match': `"${options.ifMatch}"` }),
        ...(options.background && { 'x-background': '1' }),
      },
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: timer.signal,
    });
    setClock(response.headers.get('date'));
    if (!response.ok) {
      throw await problemOf(response);
    }
    return response.status === 204 ? undefined : await response.json();
  } catch (error) {
    if (error instanceof ApiProblem || options.signal?.aborted) {
      throw error;
    }
    throw new NetworkError(timer.signal.aborted, error);
  } finally {
    clearTimeout(clock);
    options.signal?.removeEventListener('abort', stop);
  }
}

/** Fails with `ApiProblem` when the server said no, with `NetworkError` when nothing came back. */
export async function call<P extends CallPath, M extends MethodOf<P>>(
  method: M,
  path: P,
  options: CallOptions<Operation<P, M>>,
): Promise<AnswerTo<P, M>> {
  const loose = options as Loose;
  try {
    return (await send(method, addressOf(path, loose), loose)) as AnswerTo<P, M>;
  } catch (error) {
    if (error instanceof ApiProblem && path !== '/session') {
      doubt(error);
    }
    throw error;
  }
}
