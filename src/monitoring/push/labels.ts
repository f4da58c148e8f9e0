// Normalizes untrusted labels: sorted, without duplicates and empty values, with a metric name. The sink limits their
// number and length; the limits here only bound hostile pushes.
import { short } from '../../core/push/text.ts';
import type { Labels } from '../series.ts';

export type Pairs = [name: string, value: string][];

// Much more than any pipeline allows. Decoders stop collecting pairs there.
export const mostLabels = 256;

// Returns the labels, or the reason why they are refused.
export function labelsOf(pairs: Pairs): Labels | string {
  if (pairs.length > mostLabels) return `a series has more than ${mostLabels} labels`;
  sortPairs(pairs);
  let named = false;
  let empty = false;
  for (let at = 0; at < pairs.length; at++) {
    const [name, value] = pairs[at] as Pairs[number];
    if (name === '') return `a label of ${shown(pairs)} has no name`;
    if (at > 0 && name === pairs[at - 1]?.[0]) return `the label ${short(name)} is used twice in ${shown(pairs)}`;
    if (value === '') empty = true;
    else if (name === '__name__') named = true;
  }
  if (!named) return `the series ${shown(pairs)} has no name`;
  return empty ? pairs.filter(([, value]) => value !== '') : pairs;
}

function shown(pairs: Pairs): string {
  const name = pairs.find(([label]) => label === '__name__')?.[1] ?? '';
  const rest = pairs.filter(([label]) => label !== '__name__').slice(0, 4);
  const more = rest.length < pairs.length - (name === '' ? 0 : 1) ? ', …' : '';
  return `${short(name)} {${rest.map(([label, value]) => `${short(label)}=${short(value)}`).join(', ')}${more}}`;
}

// They are usually sorted already.
export function sortPairs(pairs: Pairs): Pairs {
  for (let at = 1; at < pairs.length; at++) {
    if (byBytes(pairs[at - 1] as Pairs[number], pairs[at] as Pairs[number]) > 0) return pairs.sort(byBytes);
  }
  return pairs;
}

// JavaScript compares UTF-16 units, but labels are sorted by the bytes of UTF-8: they differ where half of a pair meets
// U+E000 or above.
function byBytes([a]: Pairs[number], [b]: Pairs[number]): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  if (at === length) return a.length - b.length;
  return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
}

const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
