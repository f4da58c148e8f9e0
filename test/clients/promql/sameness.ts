// When two answers to a query count as equal: the same label sets with the same times, and values that are equal to a
// billionth. Both may also refuse the query.
import assert from 'node:assert/strict';
import { type Found, keyOf, type Point, type QueryAnswer } from '../agents/api.ts';

const share = 1e-9;

// The difference as a text; undefined if there is none.
export function difference(
  ours: QueryAnswer,
  theirs: QueryAnswer,
  { ordered, loose }: { ordered: boolean; loose: boolean },
): string | undefined {
  if (ours.error !== undefined || theirs.error !== undefined) {
    if (ours.error !== undefined && theirs.error !== undefined) {
      if (ours.status === theirs.status && ours.errorType === theirs.errorType) return undefined;
      return `${ours.status} ${ours.errorType} ${ours.error}, not ${theirs.status} ${theirs.errorType} ${theirs.error}`;
    }
    return ours.error === undefined ? `no error, not ${theirs.error}` : `${ours.error}, not an answer`;
  }
  if (ours.resultType !== theirs.resultType) return `a ${ours.resultType}, not a ${theirs.resultType}`;
  if (loose) return differentValues(ours, theirs, ordered);
  const wanted = new Map(theirs.result.map((found) => [keyOf(found.labels), found]));
  if (ours.result.length !== theirs.result.length)
    return `${ours.result.length} series, not ${theirs.result.length}: ${sets(ours)}, not ${sets(theirs)}`;
  for (const found of ours.result) {
    const key = keyOf(found.labels);
    const other = wanted.get(key);
    if (!other) return `there should be no ${key}`;
    const where = differentPoints(found, other);
    if (where) return `${key}: ${where}`;
  }
  return undefined;
}

const sets = ({ result }: QueryAnswer): string =>
  result
    .slice(0, 5)
    .map(({ labels }) => keyOf(labels))
    .join(' ');

function differentPoints({ points: ours }: Found, { points: theirs }: Found): string | undefined {
  const times = (points: Point[]): string => points.map(([timeMs]) => timeMs).join(' ');
  if (times(ours) !== times(theirs))
    return `${ours.length} points, not ${theirs.length}: ${times(ours)}, not ${times(theirs)}`;
  const at = ours.findIndex(([, value], index) => !isSame(value, theirs[index]?.[1] ?? 0));
  return at < 0 ? undefined : `${ours[at]?.[1]}, not ${theirs[at]?.[1]} at ${ours[at]?.[0]}`;
}

// Which of several equal series were chosen may differ, but the values may not.
function differentValues(ours: QueryAnswer, theirs: QueryAnswer, ordered: boolean): string | undefined {
  const values = ({ result }: QueryAnswer): string => {
    const all = result.flatMap(({ points }) => points.map(([timeMs, value]) => `${timeMs} ${value}`));
    return (ordered ? all : all.sort()).join('\n');
  };
  return values(ours) === values(theirs) ? undefined : `${values(ours)}, not ${values(theirs)}`;
}

// Results of subtracting large numbers may miss zero by their last bits.
function isSame(one: number, other: number): boolean {
  if (Object.is(one, other) || one === other) return true;
  return Math.abs(one - other) <= share * Math.max(Math.abs(one), Math.abs(other), share);
}

// Compares sample by sample, exactly: the number of samples, or the missing and different ones.
export function sameSamples(ours: Map<string, Point[]>, theirs: Map<string, Point[]>): number {
  const wrong: string[] = [];
  for (const [key, points] of theirs) {
    const found = new Map(ours.get(key));
    const lost = points.filter(([timeMs, value]) => !Object.is(found.get(timeMs), value));
    if (lost.length > 0) wrong.push(`${key}: ${lost.length} of ${points.length} are missing, as ${lost[0]?.join(' ')}`);
    if (found.size > points.length) wrong.push(`${key}: ${found.size - points.length} too many`);
  }
  for (const key of ours.keys()) if (!theirs.has(key)) wrong.push(`${key}: too many`);
  assert.deepEqual(wrong.slice(0, 10), [], `${wrong.length} of ${theirs.size} series are not what was sent`);
  return [...theirs.values()].reduce((sum, points) => sum + points.length, 0);
}
