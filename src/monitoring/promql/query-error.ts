// Why a query gets no answer, in the words and kinds of Prometheus' HTTP interface. Everything else that is thrown
// while a query is answered is a bug.

export type QueryErrorKind =
  | 'bad_data' // the query can't be understood
  | 'execution' // it can, but not be answered over this data
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

// An expression that was understood and can't be evaluated over the data that it meets.
export function failing(message: string): QueryError {
  return new QueryError('execution', message);
}

export const sameLabels = 'vector cannot contain metrics with the same labelset';
