// Sorts the samples of a series by time. They arrive in the order of their pushes; of samples with the same time the
// last one wins.

// Sorts the first `count` in place and returns how many are left.
export function sortByTime(times: Float64Array, values: Float64Array, count: number): number {
  const order = new Uint32Array(count);
  for (let at = 0; at < count; at++) order[at] = at;
  order.sort((a, b) => (times[a] as number) - (times[b] as number) || a - b);
  const oldTimes = times.slice(0, count);
  const oldValues = values.slice(0, count);
  let kept = 0;
  for (let at = 0; at < count; at++) {
    const from = order[at] as number;
    const time = oldTimes[from] as number;
    if (at + 1 < count && oldTimes[order[at + 1] as number] === time) continue;
    times[kept] = time;
    values[kept] = oldValues[from] as number;
    kept++;
  }
  return kept;
}

export function isSortedByTime(times: Float64Array, count: number): boolean {
  for (let at = 1; at < count; at++) if ((times[at] as number) <= (times[at - 1] as number)) return false;
  return true;
}

// Returns the first position whose time is not before the given one.
export function firstAtOrAfter(times: Float64Array, count: number, timeMs: number): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle] as number) < timeMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
