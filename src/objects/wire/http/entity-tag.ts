// Entity tags: the MD5 of an object, or the MD5 of the parts' MD5s with "-" and the number of parts. Always quoted in
// headers and answers; clients send them with and without quotes.
import { createHash } from 'node:crypto';

export const quoteEntityTag = (tag: string): string => `"${unquoteEntityTag(tag)}"`;

export const unquoteEntityTag = (tag: string): string =>
  tag
    .trim()
    .replace(/^W\//, '')
    .replace(/^"(.*)"$/, '$1');

export function multipartEntityTag(partMd5s: readonly Uint8Array[]): string {
  const hash = createHash('md5');
  for (const md5 of partMd5s) hash.update(md5);
  return `${hash.digest('hex')}-${partMd5s.length}`;
}

// Returns the number of parts of a multipart object's tag; undefined for a plain one.
export function partCount(tag: string): number | undefined {
  const match = /-(\d{1,5})$/.exec(unquoteEntityTag(tag));
  return match ? Number(match[1]) : undefined;
}

// Whether a list such as `"a", "b"` or `*` contains the tag.
export function namesEntityTag(list: string, tag: string): boolean {
  const wanted = unquoteEntityTag(tag);
  return list.trim() === '*' || list.split(',').some((each) => unquoteEntityTag(each) === wanted);
}
