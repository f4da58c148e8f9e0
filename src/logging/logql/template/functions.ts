// The functions that Loki documents, in addition to Go's own.
import { text } from '../../../core/go-template/arguments.ts';
import { builtins } from '../../../core/go-template/builtins.ts';
import { type Entry, functionsOf } from '../../../core/go-template/function-entry.ts';
import { isTrue, type Value } from '../../../core/go-template/values.ts';
import type { LineScope } from './line-scope.ts';
import { numberFunctions } from './number-functions.ts';
import { textFunctions } from './text-functions.ts';
import { timeFunctions } from './time-functions.ts';

const own: Entry<LineScope>[] = [
  ['__line__', 0, 0, (_, { line }) => line],
  ['default', 1, 2, ([otherwise, value]) => (isTrue(value) ? value : otherwise)],
  ['fromJson', 1, 1, ([value]) => fromJson(text(value))],
];

export const functions = functionsOf<LineScope>([
  ...builtins,
  ...own,
  ...textFunctions,
  ...numberFunctions,
  ...timeFunctions,
]);

function fromJson(given: string): Value {
  try {
    return jsonValue(JSON.parse(given));
  } catch {
    return undefined;
  }
}

function jsonValue(json: unknown): Value {
  if (Array.isArray(json)) return json.map(jsonValue);
  if (typeof json === 'object' && json !== null)
    return new Map(Object.entries(json).map(([key, value]) => [key, jsonValue(value)]));
  return json === null ? undefined : (json as string | number | boolean);
}
