// The place of a syntax error in an expression, from the server's message: parse error at line 1, col 5: …
import { type Place, placeAt } from '../../components/marked-place.ts';

const form = /parse error at line (\d+), col (\d+): /;

export function placeOf(expression: string, message: string): Place | undefined {
  const found = form.exec(message);
  return found ? placeAt(expression, Number(found[1]), Number(found[2])) : undefined;
}

// Without the prefix that repeats the place.
export const plainProblem = (message: string): string => message.replace(form, '').replace(/^parse error : /, '');
