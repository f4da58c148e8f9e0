// Percent-encoding as AWS defines it: every byte but the unreserved characters of RFC 3986, upper-case hex.
import { Fault } from '../../base/fault.ts';

export function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export const encodePath = (path: string): string => path.split('/').map(encode).join('/');

export function decode(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    // A broken escape, or bytes that are not UTF-8.
    throw new Fault('refused', "Couldn't parse the specified URI.", { code: 'InvalidURI' });
  }
}

export type Query = readonly (readonly [name: string, value: string])[];

export interface Target {
  path: string; // as sent
  query: Query; // decoded, in the order sent, repeated names kept; a name without "=" has an empty value
}

export function parseTarget(target: string): Target {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: [] };
  const query = target
    .slice(mark + 1)
    .split('&')
    .filter((pair) => pair !== '')
    .map((pair) => {
      const equals = pair.indexOf('=');
      const [name, value] = equals < 0 ? [pair, ''] : [pair.slice(0, equals), pair.slice(equals + 1)];
      return [decode(name.replaceAll('+', ' ')), decode(value.replaceAll('+', ' '))] as const;
    });
  return { path: target.slice(0, mark), query };
}
