// Quantiles and fractions of the buckets of one histogram at one step.

// Sorted by their upper bounds; the counts are cumulative. The arrays are longer than `length` and may be written to.
export interface Buckets {
  bounds: Float64Array;
  counts: Float64Array;
  length: number;
}

// The correction that makes counts ascend.
export interface Raised {
  lowest: number; // bounds of the buckets
  highest: number;
  difference: number;
}

const tolerance = 1e-12;
const leastNormal = 2.2250738585072014e-308;

export function bucketQuantile(share: number, buckets: Buckets, raised: (raised: Raised) => void): number {
  if (Number.isNaN(share)) return Number.NaN;
  if (share < 0) return Number.NEGATIVE_INFINITY;
  if (share > 1) return Number.POSITIVE_INFINITY;
  const { bounds, counts } = buckets;
  if (bounds[buckets.length - 1] !== Number.POSITIVE_INFINITY) return Number.NaN;
  coalesce(buckets);
  makeMonotonic(buckets, raised);
  const last = buckets.length - 1;
  const observations = counts[last] as number;
  if (last < 1 || observations === 0) return Number.NaN;
  let rank = share * observations;
  let at = 0;
  while (at < last && !((counts[at] as number) >= rank)) at++;
  if (at === last) return bounds[last - 1] as number;
  const end = bounds[at] as number;
  if (at === 0 && end <= 0) return end;
  if (at === 0) return end * (rank / (counts[0] as number));
  const start = bounds[at - 1] as number;
  const below = counts[at - 1] as number;
  rank -= below;
  return start + (end - start) * (rank / ((counts[at] as number) - below));
}

// The share of observations between two values, assuming an even spread over each bucket.
export function bucketFraction(lower: number, upper: number, buckets: Buckets): number {
  const { bounds, counts } = buckets;
  if (bounds[buckets.length - 1] !== Number.POSITIVE_INFINITY) return Number.NaN;
  coalesce(buckets);
  const total = counts[buckets.length - 1] as number;
  if (total === 0 || Number.isNaN(lower) || Number.isNaN(upper)) return Number.NaN;
  if (lower >= upper) return 0;
  const rankOf = (value: number): number => Math.min(rankBelow(value, buckets) ?? total, total);
  return (rankOf(upper) - rankOf(lower)) / total;
}

// The number of observations below a value; undefined if it is above all buckets.
function rankBelow(value: number, { bounds, counts, length }: Buckets): number | undefined {
  let rank = 0;
  let start = (bounds[0] as number) <= 0 ? Number.NEGATIVE_INFINITY : 0;
  for (let at = 0; at < length; at++) {
    const end = bounds[at] as number;
    const count = counts[at] as number;
    if (start >= value) return rank;
    // In a bucket without a lower bound the distribution of the observations is unknown.
    if (end > value && start === Number.NEGATIVE_INFINITY) return count;
    if (end > value) return rank + ((count - rank) * (value - start)) / (end - start);
    rank = count;
    start = end;
  }
  return undefined;
}

function coalesce(buckets: Buckets): void {
  const { bounds, counts, length } = buckets;
  let kept = 0;
  for (let at = 1; at < length; at++) {
    if (bounds[at] === bounds[kept]) counts[kept] = (counts[kept] as number) + (counts[at] as number);
    else {
      bounds[++kept] = bounds[at] as number;
      counts[kept] = counts[at] as number;
    }
  }
  buckets.length = kept + 1;
}

// Small differences come from rounding and are corrected silently; real decreases are annotated.
function makeMonotonic({ bounds, counts, length }: Buckets, raised: (raised: Raised) => void): void {
  const found = { lowest: Number.POSITIVE_INFINITY, highest: Number.NEGATIVE_INFINITY, difference: 0 };
  let isRaised = false;
  let previous = counts[0] as number;
  for (let at = 1; at < length; at++) {
    const count = counts[at] as number;
    if (count === previous) continue;
    const isSame = almostEqual(previous, count);
    if (!isSame && !(count < previous)) {
      previous = count;
      continue;
    }
    counts[at] = previous;
    if (isSame) continue;
    const bound = bounds[at] as number;
    isRaised = true;
    found.lowest = Math.min(found.lowest, bound);
    found.highest = Math.max(found.highest, bound);
    found.difference = Math.max(found.difference, previous - count);
  }
  if (isRaised) raised(found);
}

function almostEqual(a: number, b: number): boolean {
  if (Number.isNaN(a) && Number.isNaN(b)) return true;
  const sum = Math.abs(a) + Math.abs(b);
  const difference = Math.abs(a - b);
  if (a === 0 || b === 0 || sum < leastNormal) return difference < tolerance * leastNormal;
  return difference / Math.min(sum, Number.MAX_VALUE) < tolerance;
}
