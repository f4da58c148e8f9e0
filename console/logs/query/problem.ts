// Where an expression can't be understood, as the server tells it: parse error at line 1, col 5: …
import { type Place, placeAt } from '../../components/marked-place.ts';

const form = /parse error at line (\d+), col (\d+): /;

export function placeOf(expression: string, message: string): Place | undefined {
  const found = form.exec(message);
  return found ? placeAt(expression, Number(found[1]), Number(found[2])) : undefined;
}

// Without the words in front that repeat where it happened.
export const plainProblem = (message: string): string => message.replace(form, '').replace(/^parse error : /, '');
