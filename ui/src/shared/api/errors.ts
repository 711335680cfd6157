/** The errors of a call. They must never carry what the person typed: they end up in screens and logs. */
import type { Challenge, Problem, ReportDetail } from './schema';

const URN = 'urn:segnalazioni:problem:';

/** The server answered, and said no (RFC 9457). */
export class ApiProblem extends Error {
  override readonly name = 'ApiProblem';
  readonly status: number;
  /** Last part of the problem's `type`, such as `dati-non-validi`; empty for an answer that is no problem document. */
  readonly slug: string;
  readonly detail: string;
  /** Italian message per field, for 422. */
  readonly errors: Readonly<Record<string, string>>;
  readonly requestId: string | undefined;
  /** The report as it is now, with 412. */
  readonly current: ReportDetail | undefined;
  /** The proof that the last turn must bring, with 428. */
  readonly challenge: Challenge | undefined;
  /** The caller's address, which a new allow-list would shut out (409 `esclusione`). */
  readonly address: string | undefined;
  readonly retryAfter: number | undefined;

  constructor(problem: Partial<Problem> & { status: number }, retryAfter?: number) {
    super(problem.title ?? `HTTP ${problem.status}`);
    this.status = problem.status;
    this.slug = problem.type?.startsWith(URN) ? problem.type.slice(URN.length) : '';
    this.detail = problem.detail ?? '';
    this.errors = problem.errors ?? {};
    this.requestId = problem.requestId;
    this.current = problem.current;
    this.challenge = problem.challenge;
    this.address = problem.address;
    this.retryAfter = retryAfter;
  }
}

/** No answer: the line is down, the server is gone, or it took too long. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  readonly timedOut: boolean;

  constructor(timedOut: boolean, cause: unknown) {
    super(timedOut ? 'timeout' : 'network', { cause });
    this.timedOut = timedOut;
  }
}

/** Whether sending the very same request later can succeed: no answer, an overloaded or a failing server, a proof that came too late. */
export function isTemporary(error: unknown): boolean {
  if (error instanceof ApiProblem) {
    return error.status >= 500 || [408, 429].includes(error.status) || error.challenge !== undefined;
  }
  return error instanceof NetworkError;
}
