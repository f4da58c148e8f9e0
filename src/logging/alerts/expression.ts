// Checks that an expression is a LogQL query with a numeric result, and returns Loki's message if it is not. It is
// loaded by its URL, also in the thread that reads rules.
import { QueryError } from '../logql/query-error.ts';
import { parseQuery } from '../logql/syntax/parse.ts';

export function checkExpression(expression: string): string | undefined {
  try {
    return parseQuery(expression).kind === 'logs'
      ? 'this query returns lines; a rule needs numbers, such as count_over_time({tag="app"} |= "error" [5m])'
      : undefined;
  } catch (error) {
    if (error instanceof QueryError) return error.message;
    throw error;
  }
}
