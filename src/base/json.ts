// Parses untrusted JSON. Unlike JSON.parse, it also refuses invalid UTF-8, deep nesting, and duplicate keys in an
// object (the last one would silently win).
import { isUtf8 } from 'node:buffer';
import { Fault } from './fault.ts';
import { isObject, type Json, type Values } from './values.ts';

export { isObject, type Json, type Values };

// Objects with very many keys take long to make and to go through.
export interface JsonLimits {
  keys: number; // of one object
  objects: number; // and lists, in all
}

const deepest = 64;
export const bodyLimits: JsonLimits = { keys: 2000, objects: 50_000 }; // of a request's body
const noLimits: JsonLimits = { keys: Number.POSITIVE_INFINITY, objects: Number.POSITIVE_INFINITY };

export function textOf(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) throw new Fault('refused', 'The body is not valid UTF-8.');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

export function parseJson(sent: string | Uint8Array, limits = noLimits): Json {
  const text = typeof sent === 'string' ? sent : textOf(sent);
  const keys = countKeysInText(text, limits);
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch (error) {
    throw new Fault('refused', `The body is not valid JSON${placeOf(error)}.`);
  }
  if (keys !== countKeys(value))
    throw new Fault('refused', `The body has the key ${firstDouble(text)} twice in one object.`);
  return value;
}

// Throws where the text has more than the limits allow or is nested too deep. The text need not be valid.
export function checkJsonLimits(text: string, limits: JsonLimits): void {
  countKeysInText(text, limits);
}

// Whether an object is empty, without a list of its keys.
export function isBare(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

export function equalJson(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || !a || !b) return false;
  if (Array.isArray(a))
    return Array.isArray(b) && a.length === b.length && a.every((item, at) => equalJson(item, b[at]));
  if (Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && equalJson(a[key], b[key]))
  );
}

// V8's own message can quote the body, which may hold a secret: only the position is taken from it.
function placeOf(error: unknown): string {
  const place = /\(line (\d+) column (\d+)\)/.exec(error instanceof Error ? error.message : '');
  return place ? ` at line ${place[1]}, column ${place[2]}` : '';
}

// In valid JSON a string followed by a colon is always a key. Nesting and the limits are checked in the
// same pass.
function countKeysInText(text: string, limits: JsonLimits): number {
  let keys = 0;
  let objects = 0;
  let depth = 0;
  const keysAt: number[] = [0]; // by depth, of the object that is open there
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) {
      at = endOfString(text, at);
      if (!isKeyAfter(text, at)) continue;
      keys++;
      const here = (keysAt[depth] as number) + 1;
      keysAt[depth] = here;
      if (here > limits.keys) throw new Fault('refused', `The body has an object with more than ${limits.keys} keys.`);
    } else if (code === 0x7b || code === 0x5b) {
      keysAt[++depth] = 0;
      if (++objects > limits.objects)
        throw new Fault('refused', `The body has more than ${limits.objects} objects and lists.`);
      if (depth > deepest) throw new Fault('refused', `The body is nested deeper than ${deepest} levels.`);
    } else if (code === 0x7d || code === 0x5d) {
      if (depth > 0) depth--;
    }
  }
  return keys;
}

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at++;
    else if (code === 0x22) return at;
  }
  return text.length;
}

function isKeyAfter(text: string, end: number): boolean {
  let next = end + 1;
  while (next < text.length && text.charCodeAt(next) <= 0x20) next++;
  return text.charCodeAt(next) === 0x3a;
}

function countKeys(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) keys += countKeys(item);
  } else {
    for (const key in value) keys += 1 + countKeys(value[key] as Json);
  }
  return keys;
}

function firstDouble(text: string): string {
  const open: Set<string>[] = [];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x7b || code === 0x5b) open.push(new Set());
    else if (code === 0x7d || code === 0x5d) open.pop();
    else if (code === 0x22) {
      const end = endOfString(text, at);
      if (isKeyAfter(text, end)) {
        const key = JSON.parse(text.slice(at, end + 1)) as string;
        const seen = open.at(-1);
        if (seen?.has(key)) return JSON.stringify(key);
        seen?.add(key);
      }
      at = end;
    }
  }
  return 'of some object';
}
