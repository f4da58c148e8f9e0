// Why a query fails, with the messages and error types of Prometheus' HTTP API. Any other error during a query is a
// bug.

export type QueryErrorKind =
  | 'bad_data' // the query is invalid
  | 'execution' // the query is valid, but fails on this data
  | 'timeout'
  | 'canceled'
  | 'unavailable'
  | 'not_found';

export class QueryError extends Error {
  readonly kind: QueryErrorKind;

  constructor(kind: QueryErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

// A valid expression that can't be evaluated on the data.
export function failing(message: string): QueryError {
  return new QueryError('execution', message);
}

export const sameLabels = 'vector cannot contain metrics with the same labelset';
