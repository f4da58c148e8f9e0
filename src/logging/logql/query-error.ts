// Why a query fails, with the words of Loki's HTTP API. Anything else that is thrown during a query is a bug.

export type QueryErrorKind =
  | 'bad_data' // the query can't be understood, or asks for more than is allowed
  | 'not_found'
  | 'timeout'
  | 'canceled'
  | 'unavailable';

export class QueryError extends Error {
  readonly kind: QueryErrorKind;

  constructor(kind: QueryErrorKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export const badData = (message: string): QueryError => new QueryError('bad_data', message);

// An error of the query's text; `at` is the offset of what is wrong, where one place is.
export function parseError(message: string, text?: string, at?: number): QueryError {
  if (text === undefined || at === undefined) return badData(`parse error : ${message}`);
  const lines = text.slice(0, at).split('\n');
  return badData(`parse error at line ${lines.length}, col ${(lines.at(-1) ?? '').length + 1}: ${message}`);
}
