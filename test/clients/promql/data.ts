// The data of the differential test: some families of series with difficult values for an evaluator. All values are
// sums of eighths, so that adding them is exact in any order.
import type { Chance } from '../../../src/testing/seed.ts';
import type { Sent, SentPoint } from './remote-write.ts';

// A family: its name, what it counts, and the labels that distinguish its series.
export interface Family {
  name: string;
  kind: 'counter' | 'gauge' | 'histogram';
  labels: Record<string, string[]>;
}

const jobs = ['api', 'batch', 'web'];
const instances = ['a:9100', 'b:9100', 'c:9100'];

export const families: readonly Family[] = [
  { name: 'requests_total', kind: 'counter', labels: { job: jobs, instance: instances, code: ['200', '404', '500'] } },
  { name: 'errors_total', kind: 'counter', labels: { job: jobs, instance: instances } },
  { name: 'restarts_total', kind: 'counter', labels: { job: jobs } },
  { name: 'load', kind: 'gauge', labels: { job: jobs, instance: instances } },
  { name: 'memory_bytes', kind: 'gauge', labels: { job: jobs, instance: instances, kind: ['heap', 'stack'] } },
  { name: 'limit_bytes', kind: 'gauge', labels: { job: jobs, instance: instances } },
  { name: 'spotty', kind: 'gauge', labels: { job: jobs, zone: ['east', 'west'] } },
  { name: 'odd', kind: 'gauge', labels: { job: jobs } },
  { name: 'took_seconds_bucket', kind: 'histogram', labels: { job: jobs, le: ['0.25', '1', '2.5', '+Inf'] } },
];

export const spanMs = 2 * 3_600_000;
const everyMs = 15_000;

// For the newest version, samples are exactly at the times of queries, where the borders of ranges matter.
export function dataFrom(beginMs: number, chance: Chance, newest: boolean): Sent[] {
  return families.flatMap((family) =>
    setsOf(family.labels).map((set, nth) => {
      const labels = Object.entries({ __name__: family.name, ...set }).sort(([one], [other]) => (one < other ? -1 : 1));
      const shiftMs = newest && nth % 2 === 0 ? 7000 : 1000 + chance.below(12) * 1000 + 1 + chance.below(999);
      const times: number[] = [];
      for (let at = 0; at < spanMs; at += everyMs) times.push(beginMs + at + shiftMs);
      return { labels, points: pointsOf(family, set, times, chance, newest) };
    }),
  );
}

function setsOf(labels: Record<string, string[]>): Record<string, string>[] {
  return Object.entries(labels).reduce<Record<string, string>[]>(
    (sets, [name, values]) => sets.flatMap((set) => values.map((value) => ({ ...set, [name]: value }))),
    [{}],
  );
}

function pointsOf(
  family: Family,
  set: Record<string, string>,
  times: number[],
  chance: Chance,
  newest: boolean,
): SentPoint[] {
  if (family.kind === 'histogram') return bucket(set.le ?? '', times);
  if (family.name === 'odd') return odd(times, chance, newest);
  if (family.name === 'spotty') return spotty(times, chance);
  if (family.kind === 'counter') return counter(family.name === 'restarts_total', times, chance, newest);
  let value = 100 + chance.below(4000) / 8;
  return times.map((time) => {
    value += (chance.below(65) - 32) / 8;
    return [time, value];
  });
}

// Some counters restart now and then. How a rate is extrapolated to a nearby zero at the beginning of a series differs
// between versions: for an older one they begin high.
function counter(resets: boolean, times: number[], chance: Chance, newest: boolean): SentPoint[] {
  let value = resets && newest ? chance.below(50) : 1_000_000 + chance.below(1000);
  return times.map((time) => {
    value = resets && chance.often(2) ? chance.below(5) : value + chance.below(40);
    return [time, value];
  });
}

// The buckets of one histogram are chosen so that each holds what the smaller ones hold.
function bucket(le: string, times: number[]): SentPoint[] {
  const share = { '0.25': 3, '1': 7, '2.5': 11, '+Inf': 16 }[le] ?? 0;
  return times.map((time, nth) => [time, 1000 * share + share * nth]);
}

// Gaps of some minutes, a few of them marked by a stale marker.
function spotty(times: number[], chance: Chance): SentPoint[] {
  const points: SentPoint[] = [];
  for (let at = 0; at < times.length; at++) {
    if (chance.often(3)) {
      if (chance.often(50)) points.push([times[at] as number, 'stale']);
      at += 5 + chance.below(40);
      continue;
    }
    points.push([times[at] as number, chance.below(800) / 8]);
  }
  return points;
}

// An older version sums the two zeros differently from a newer one, so it does not get them.
function odd(times: number[], chance: Chance, newest: boolean): SentPoint[] {
  const zeros = newest ? [0, -0] : [];
  const strange = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, ...zeros];
  return times.map((time) => [time, chance.often(20) ? chance.one(strange) : (2 * chance.below(100) - 99) / 8]);
}
