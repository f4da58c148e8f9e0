// The entity tag of a resource as a header. The platform tells it on calls that ask for no depth, and takes no
// conditions on it: neither If-Match nor If-None-Match mean anything.
import type { Exchange } from './http/exchange.ts';

const mark = '"etag":"';

// From the answer as it is sent: the first tag in it is that of the resource itself. A client's own text can't look
// like one, because its quotes are escaped.
export function entityTag(x: Exchange, content: string): string[] {
  const at = content.indexOf(mark);
  const from = at + mark.length;
  return at < 0 ? [] : tagHeader(x, content.slice(from, content.indexOf('"', from)));
}

export const tagHeader = (x: Exchange, tag: string): string[] =>
  x.query !== '' && x.search.has('depth') ? [] : ['ETag', `"${tag}"`];
