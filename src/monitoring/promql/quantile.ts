// Quantiles with linear interpolation.

// `at` returns the value of a rank; it is called in ascending order, for at most two adjacent ranks.
export function quantileOf(share: number, count: number, at: (rank: number) => number): number {
  if (count === 0 || Number.isNaN(share)) return Number.NaN;
  if (share < 0) return Number.NEGATIVE_INFINITY;
  if (share > 1) return Number.POSITIVE_INFINITY;
  const rank = share * (count - 1);
  const lower = Math.max(0, Math.floor(rank));
  const upper = Math.min(count - 1, lower + 1);
  const weight = rank - Math.floor(rank);
  return at(lower) * (1 - weight) + at(upper) * weight;
}

// For the first values of an array, which is reordered: only partially sorted, until the two needed values are in
// place.
export function quantileIn(share: number, values: Float64Array, length: number): number {
  let others = 0; // NaN moves to the front, because it is less than all numbers
  for (let at = 0; at < length; at++) {
    const value = values[at] as number;
    if (!Number.isNaN(value)) continue;
    values[at] = values[others] as number;
    values[others++] = value;
  }
  let lowest = others;
  return quantileOf(share, length, (rank) => {
    if (rank < others) return Number.NaN;
    // The second value is the minimum of those above the first.
    if (lowest > others) return leastOf(values, lowest, length);
    const value = selectRank(values, others, length - 1, rank);
    lowest = rank + 1;
    return value;
  });
}

function leastOf(values: Float64Array, from: number, to: number): number {
  let least = values[from] ?? (values[from - 1] as number); // the rank is the last one
  for (let at = from; at < to; at++) if ((values[at] as number) < least) least = values[at] as number;
  return from < to ? least : (values[to - 1] as number);
}

// Quickselect: afterwards the value of the rank is in place, with none greater before it and none less after it.
function selectRank(values: Float64Array, from: number, to: number, rank: number): number {
  let left = from;
  let right = to;
  while (left < right) {
    const pivot = middleOf(values[left] as number, values[(left + right) >>> 1] as number, values[right] as number);
    let low = left;
    let high = right;
    while (low <= high) {
      while ((values[low] as number) < pivot) low++;
      while ((values[high] as number) > pivot) high--;
      if (low > high) break;
      const moved = values[low] as number;
      values[low++] = values[high] as number;
      values[high--] = moved;
    }
    if (rank <= high) right = high;
    else if (rank >= low) left = low;
    else break;
  }
  return values[rank] as number;
}

function middleOf(a: number, b: number, c: number): number {
  if (a < b) return b < c ? b : a < c ? c : a;
  return a < c ? a : b < c ? c : b;
}
