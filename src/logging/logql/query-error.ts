// Why a query fails, with the messages of Loki's HTTP API. Any other error during a query is a bug.

export type QueryErrorKind =
  | 'bad_data' // the query is invalid or exceeds a limit
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

const plain = 'parse error : ';

// An error in the text of a query; `at` is its offset, if it has one.
export function parseError(message: string, text?: string, at?: number): QueryError {
  if (text === undefined || at === undefined) return badData(`${plain}${message}`);
  const lines = text.slice(0, at).split('\n');
  return badData(`parse error at line ${lines.length}, col ${(lines.at(-1) ?? '').length + 1}: ${message}`);
}

// Prefixes an error with its stage, as Loki does.
export function inStage<Made>(stage: () => string, make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof QueryError) || !error.message.startsWith(plain)) throw error;
    throw parseError(`stage '${stage()}' : ${error.message.slice(plain.length)}`);
  }
}
