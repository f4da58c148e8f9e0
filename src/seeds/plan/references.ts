// `${servers.web}` in a seed is the id of the server of that name, `${ipblocks.pool.ips.0}` one of its properties.
import type { Json } from '../../base/json.ts';

export interface Reference {
  section: string;
  name: string;
  rest: string[]; // the path to a resource in it, or to one of its properties; empty: its id
}

// With one more dollar in front it is not a reference, but a text that looks like one.
const form = /(\$?)\$\{([^{}]+)\}/g;

export type Resolve = (reference: Reference) => Promise<Json>;

// Replaces all references in the value. A reference that is the whole text keeps its type.
export async function resolved(value: Json, resolve: Resolve): Promise<Json> {
  if (typeof value === 'string') return resolvedText(value, resolve);
  if (Array.isArray(value)) return Promise.all(value.map((one) => resolved(one, resolve)));
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(async ([key, one]) => [key, await resolved(one as Json, resolve)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

async function resolvedText(text: string, resolve: Resolve): Promise<Json> {
  const found = [...text.matchAll(form)];
  const [only] = found;
  if (only && only[0] === text && only[1] === '') return resolve(referenceOf(only[2] ?? ''));
  let whole = '';
  let end = 0;
  for (const { 0: written, 1: dollar, 2: inner = '', index } of found) {
    const value = dollar ? written.slice(1) : String(await resolve(referenceOf(inner)));
    whole += text.slice(end, index) + value;
    end = index + written.length;
  }
  return whole + text.slice(end);
}

// All references in a value, each with its location in it.
export function referencesIn(
  value: Json | undefined,
  at: readonly (string | number)[],
): { reference: Reference; at: readonly (string | number)[] }[] {
  if (typeof value === 'string')
    return [...value.matchAll(form)]
      .filter(([, dollar]) => !dollar)
      .map(([, , inner = '']) => ({ reference: referenceOf(inner), at }));
  if (Array.isArray(value)) return value.flatMap((one, index) => referencesIn(one, [...at, index]));
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, one]) => referencesIn(one, [...at, key]));
}

export const escaped = (text: string): string => text.replaceAll(/\$\{[^{}]+\}/g, (found) => `$${found}`);

// Unescapes a value without references.
export function unescaped<T extends Json>(value: T): T {
  if (typeof value === 'string')
    return value.replaceAll(form, (found, dollar) => (dollar ? found.slice(1) : found)) as T;
  if (Array.isArray(value)) return value.map((one) => unescaped(one)) as T;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, unescaped(one as Json)])) as T;
}

// Names may have dots: `${zones.example\.com}` has one.
function referenceOf(text: string): Reference {
  const [section = '', name = '', ...rest] = text.trim().split(/(?<!\\)\./);
  const plain = (part: string): string => part.replaceAll('\\.', '.');
  return { section, name: plain(name), rest: rest.map(plain) };
}

export const referenceTo = (section: string, name: string, ...rest: (string | number)[]): string =>
  `\${${[section, name, ...rest].map((part) => String(part).replaceAll('.', '\\.')).join('.')}}`;

export function propertyAt(properties: Json, way: readonly string[]): Json | undefined {
  let value: Json | undefined = properties;
  for (const key of way) {
    if (value === null || typeof value !== 'object' || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, Json>)[key];
  }
  return value;
}
