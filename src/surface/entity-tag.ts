// The entity tag of a resource as a header. The platform sends it on calls without a depth, and ignores
// conditions on it (If-Match and If-None-Match).
import type { Exchange } from './http/exchange.ts';

const mark = '"etag":"';

// The first tag in the answer is that of the resource itself. A client's own text can't look like one, because its
// quotes are escaped.
export function entityTag(x: Exchange, content: string): string[] {
  const at = content.indexOf(mark);
  const from = at + mark.length;
  return at < 0 ? [] : tagHeader(x, content.slice(from, content.indexOf('"', from)));
}

export const tagHeader = (x: Exchange, tag: string): string[] =>
  x.query !== '' && x.search.has('depth') ? [] : ['ETag', `"${tag}"`];
