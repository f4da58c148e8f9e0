// The canonical request of Signature Version 4: the one form of a request that both sides hash. Node decodes header
// values as Latin-1, so the text is hashed as Latin-1 to get back the bytes that the client has signed.
import { createHash } from 'node:crypto';
import { decode, encode, encodePath, type Query } from './percent-encoding.ts';

export interface CanonicalParts {
  method: string;
  path: string; // already in canonical form
  query: Query;
  headers: HeaderValues;
  signedHeaders: readonly string[];
  payloadHash: string;
}

export function canonicalRequest(parts: CanonicalParts): string {
  const headers = parts.signedHeaders.map((name) => `${name}:${canonicalHeader(parts.headers.get(name))}\n`);
  return [
    parts.method,
    parts.path,
    canonicalQuery(parts.query),
    headers.join(''),
    parts.signedHeaders.join(';'),
    parts.payloadHash,
  ].join('\n');
}

export const hashCanonicalRequest = (text: string): string => createHash('sha256').update(text, 'latin1').digest('hex');

export type HeaderValues = ReadonlyMap<string, readonly string[]>; // by lower-case name, values in the order sent

export function headerValues(rawHeaders: readonly string[]): HeaderValues {
  const values = new Map<string, string[]>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase();
    const list = values.get(name);
    if (list) list.push(rawHeaders[at + 1] as string);
    else values.set(name, [rawHeaders[at + 1] as string]);
  }
  return values;
}

const canonicalHeader = (values: readonly string[] = []): string =>
  values.map((value) => value.trim().replace(/\s+/g, ' ')).join(',');

function canonicalQuery(query: Query): string {
  const pairs = query.map(([name, value]) => [encode(name), encode(value)] as const);
  pairs.sort(([a, x], [b, y]) => compare(a, b) || compare(x, y));
  return pairs.map((pair) => pair.join('=')).join('&');
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

// The paths that a client may have signed. S3's own is the decoded path, encoded once; some clients sign the path as
// they send it, and the platform's Go clients encode that a second time. The last form is accepted for the
// Authorization header only: a presigned URL for the key "a%20b" must not open the key "a b".
export function canonicalPaths(path: string, allowDouble: boolean): string[] {
  const forms = [encodePath(decode(path)), path];
  if (allowDouble) forms.push(encodePath(path));
  return [...new Set(forms.map((form) => form || '/'))];
}
