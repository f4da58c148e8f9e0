// The entity tag of a resource as a header. The platform tells it on calls that ask for no depth, and takes no
// conditions on it: neither If-Match nor If-None-Match mean anything.
import type { Exchange } from './exchange.ts';

const mark = '"etag":"';

// From the answer as it is sent: the first tag in it is that of the resource itself. A client's own text can't look
// like one, because its quotes are escaped.
export function entityTag(x: Exchange, content: string): string[] {
  const at = content.indexOf(mark);
  if (at < 0 || (x.query !== '' && x.search.has('depth'))) return [];
  const from = at + mark.length;
  return ['ETag', `"${content.slice(from, content.indexOf('"', from))}"`];
}
