// Differences between the settings of buckets. Their objects are not compared.
import { equalJson, type Json, type Values } from '../../base/json.ts';
import type { Difference } from './difference.ts';

// `unread`: names of buckets that one side could not read. An empty name means all buckets.
export function bucketDifferences(
  there: readonly Values[] = [],
  here: readonly Values[] = [],
  unread: readonly string[],
): Difference[] {
  if (unread.includes('')) return [];
  const names = new Set([...there, ...here].map(({ name }) => String(name)));
  return [...names]
    .filter((name) => !unread.includes(name))
    .flatMap((name) => {
      const item = { section: 'buckets', resource: 'bucket', path: [name] };
      const [one, other] = [there, here].map((all) => all.find((bucket) => bucket.name === name));
      if (!one || !other) return [{ ...item, difference: one ? ('only there' as const) : ('only here' as const) }];
      const properties = [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((key) => key !== 'files');
      return properties.flatMap((property): Difference[] => {
        const [theirs, ours] = [one[property], other[property]];
        if (equalJson(plain(theirs), plain(ours))) return [];
        const values = { ...(ours !== undefined && { here: ours }), ...(theirs !== undefined && { there: theirs }) };
        return [{ ...item, difference: 'changed', property, ...values }];
      });
    });
}

// XML documents, without what only formats them.
const plain = (value: Json | undefined): Json =>
  typeof value === 'string'
    ? value
        .replace(/^\s*<\?xml[^>]*\?>/, '')
        .replaceAll(/>\s+</g, '><')
        .replaceAll(/ xmlns(:\w+)?="[^"]*"/g, '')
        .trim()
    : (value ?? null);
