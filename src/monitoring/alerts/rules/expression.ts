// Whether an expression is PromQL; what is wrong with it is told with its place, as `promtool check rules` does.
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
