// Values of a JSON body, each read with its path, so that errors can say where they are.
import { Fault } from '../../base/fault.ts';
import { isObject, type Json, type JsonLimits, parseJson, type Values } from '../../base/json.ts';
import { UnreadablePush } from './push-body.ts';
import { numberOf, short } from './text.ts';

// Parsed JSON takes many times the memory of its text, so the text is limited.
const mostJsonBytes = 0x100_0000;

// Empty objects and lists take twenty times the memory of their text, and objects of very many keys take long to make.
export const pushLimits: JsonLimits = { keys: 65_536, objects: 2_000_000 };

export function parseBody(bytes: Buffer): Values {
  if (bytes.length > mostJsonBytes)
    throw new UnreadablePush(`the JSON body is larger than ${mostJsonBytes} bytes`, true);
  return objectAt(parsed(bytes), 'the body');
}

function parsed(bytes: Buffer): Json {
  try {
    return parseJson(bytes, pushLimits);
  } catch (error) {
    if (error instanceof Fault) throw new UnreadablePush(error.message);
    throw error;
  }
}

export function wrong(path: string, expected: string, value: Json | undefined): never {
  const found = value === undefined ? 'nothing' : short(JSON.stringify(value).slice(0, 81));
  throw new UnreadablePush(`${path}: expected ${expected}, found ${found}`);
}

export const objectAt = (value: Json | undefined, path: string): Values =>
  isObject(value) ? value : wrong(path, 'an object', value);

// A missing list is empty.
export function listAt(value: Json | undefined, path: string): Json[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : wrong(path, 'a list', value);
}

export function textAt(value: Json | undefined, path: string): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : wrong(path, 'a text', value);
}

// JSON has no NaN and infinities, and large numbers lose digits: texts are accepted too.
export function numberAt(value: Json | undefined, path: string): number {
  const number = typeof value === 'string' ? numberOf(value) : value;
  return typeof number === 'number' ? number : wrong(path, 'a number', value);
}

export function timeAt(value: Json | undefined, path: string, receivedMs: number): number {
  if (value === undefined || value === null) return receivedMs;
  const timeMs = numberAt(value, path);
  return Number.isSafeInteger(timeMs) ? timeMs : wrong(path, 'a time in whole milliseconds', value);
}
