/** The server of the unit tests, behind the browser's own `fetch`; what a test does not answer is an error. */
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import type { AnswerTo, BodyFor, CallPath, MethodOf } from '../api/client';

const ROOT = '/api';

export const server = setupServer();

export interface Request {
  method: string;
  /** Below the interface's root, with its query. */
  path: string;
  body: unknown;
  headers: Headers;
  signal: AbortSignal;
}

export type Answer = (request: Request) => Response | Promise<Response>;

/** A refusal as the server writes it. */
export function problem(status: number, slug: string, more: object = {}): Response {
  const type = `urn:segnalazioni:problem:${slug}`;
  const body = { type, title: slug, status, detail: `Fallito: ${slug}`, ...more };
  return Response.json(body, { status, headers: { 'content-type': 'application/problem+json' } });
}

/** In place of an answer: the line is down. */
export const lineDown = (): Response => HttpResponse.error();

export const noContent = () => new Response(null, { status: 204 });

async function read(asked: globalThis.Request): Promise<Request> {
  const text = await asked.text();
  const { method, headers, signal, url } = asked;
  const path = url.slice(url.indexOf(ROOT) + ROOT.length);
  return { method, path, body: text === '' ? undefined : JSON.parse(text), headers, signal };
}

// Before a test makes the clock its own.
const { setImmediate } = globalThis;

/** Lets an answer that is there reach the page: it takes a few turns of the event loop, whatever the clock says. */
export async function arrivals(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) {
    await new Promise((done) => setImmediate(done));
  }
}

/** Answers every call from now on; gives the requests so far, oldest first. */
export function serve(answer: Answer): Request[] {
  const requests: Request[] = [];
  server.use(
    http.all(`*${ROOT}/*`, async ({ request }) => {
      const one = await read(request);
      requests.push(one);
      return answer(one);
    }),
  );
  return requests;
}

interface Asked<P extends CallPath, M extends MethodOf<P>> extends Omit<Request, 'body'> {
  body: BodyFor<P, M>;
}

/** Answers one call from now on, as the contract has it, or with a refusal; gives its requests so far. */
export function on<P extends CallPath, M extends MethodOf<P>>(
  method: M,
  path: P,
  answer: (asked: Asked<P, M>) => AnswerTo<P, M> | Response,
): Asked<P, M>[] {
  const requests: Asked<P, M>[] = [];
  server.use(
    http[method](`*${ROOT}${path.replace(/\{(\w+)\}/g, ':$1')}`, async ({ request }) => {
      const one = (await read(request)) as Asked<P, M>;
      requests.push(one);
      const given = answer(one);
      return given instanceof Response ? given : given === undefined ? noContent() : Response.json(given);
    }),
  );
  return requests;
}
