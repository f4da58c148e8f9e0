// The one class of expected failure. Thrown anywhere, rendered only at the edge, by each protocol's own table.
// Whatever else is thrown is a bug: it is logged whole, and the client gets a Fault of kind 'internal' with its id.

export type FaultKind =
  | 'refused' // the request is understood and not acceptable: a malformed body, a bound, a rule
  | 'unauthenticated'
  | 'forbidden'
  | 'missing' // also: not ready, and resources of another contract
  | 'method'
  | 'conflict'
  | 'oversized'
  | 'throttled'
  | 'timeout' // the client took too long
  | 'unavailable' // nothing was changed; the same call may work later
  | 'internal'; // a bug; only the edge makes these

export interface Problem {
  code?: string;
  message: string;
}

export const mostProblems = 100; // reported for one request

export interface FaultDetail {
  problems?: Problem[]; // everything wrong with one request, instead of the message alone
  code?: string; // the platform's own error code, where one is known
  retryAfterS?: number;
  allow?: string[]; // with 'method': the methods of the path
  privilege?: string; // with 'forbidden': the one that the caller lacks
  cause?: unknown; // for the log, never for the client
}

export class Fault extends Error {
  readonly kind: FaultKind;
  readonly detail: FaultDetail;

  constructor(kind: FaultKind, message: string, detail: FaultDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.kind = kind;
    this.detail = detail;
  }

  get problems(): Problem[] {
    if (this.detail.problems?.length) return this.detail.problems.slice(0, mostProblems);
    return [this.detail.code ? { code: this.detail.code, message: this.message } : { message: this.message }];
  }
}
