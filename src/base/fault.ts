// The one class of expected failure. Thrown anywhere, drawn only at the edge, by each protocol's own table.
// Whatever is thrown and is not a Fault is a bug: 500, logged whole, and nothing of it shown.

export type FaultKind =
  | 'refused' // the request is understood and not acceptable: a malformed body, a bound, a rule
  | 'unauthenticated'
  | 'forbidden'
  | 'missing' // also: not ready, and everything that belongs to somebody else
  | 'method'
  | 'conflict'
  | 'oversized'
  | 'throttled'
  | 'unavailable'; // nothing was changed; the same call may work later

export interface Problem {
  code?: string;
  message: string;
}

export interface FaultDetail {
  problems?: Problem[]; // all that is wrong with one request, instead of the message alone
  code?: string; // the platform's own error code, where one is known
  retryAfterS?: number;
  allow?: string[]; // with 'method': what the path does take
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
    if (this.detail.problems?.length) return this.detail.problems;
    return [this.detail.code ? { code: this.detail.code, message: this.message } : { message: this.message }];
  }
}
