// Checks that an expression is PromQL; the error has its position, as in `promtool check rules`.
import { QueryError } from '../../promql/query-error.ts';
import { parseQuery } from '../../promql/syntax/parse.ts';

export function checkExpression(expression: string): string | undefined {
  try {
    parseQuery(expression);
    return undefined;
  } catch (error) {
    if (error instanceof QueryError) return error.message;
    throw error;
  }
}
