// Checks that an expression is a LogQL query whose result is numbers, with Loki's message where it is not one. It is
// loaded by its URL, also in the thread that reads rules.
import { QueryError } from '../logql/query-error.ts';
import { parseQuery } from '../logql/syntax/parse.ts';

export function checkExpression(expression: string): string | undefined {
  try {
    return parseQuery(expression).kind === 'logs'
      ? 'this query gives lines; a rule needs numbers, as from count_over_time({tag="app"} |= "error" [5m])'
      : undefined;
  } catch (error) {
    if (error instanceof QueryError) return error.message;
    throw error;
  }
}
