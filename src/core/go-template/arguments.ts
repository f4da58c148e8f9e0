// The arguments of functions, with the errors of Go for values of other types.
import { fail, GoTime, typeOf, type Value } from './values.ts';

export function text(value: Value): string {
  return typeof value === 'string' ? value : fail(`wrong type for value; expected string; got ${typeOf(value)}`);
}

export function whole(value: Value): number {
  return typeof value === 'bigint' ? Number(value) : fail(`wrong type for value; expected int; got ${typeOf(value)}`);
}

export function moment(value: Value): GoTime {
  return value instanceof GoTime ? value : fail(`wrong type for value; expected time.Time; got ${typeOf(value)}`);
}
