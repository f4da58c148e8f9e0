// Facts about buckets that the list lacks. They are read when a row is drawn, a few at once, and cached while the list
// is shown.
import { type Signal, signal } from '@preact/signals';
import type { Answer } from '../../components/fetched.ts';
import { type BucketFacts, bucketFacts } from '../s3/buckets.ts';

interface Known {
  answer: Signal<Answer<BucketFacts> | undefined>;
  turn: number; // the number of the request that it answers
}

const atOnce = 4;
const known = new Map<string, Known>();
const waiting: string[] = [];
let running = 0;
let turns = 0;

export function factsOf(bucket: string): Signal<Answer<BucketFacts> | undefined> {
  const found = known.get(bucket);
  if (found) return found.answer;
  const answer = signal<Answer<BucketFacts> | undefined>(undefined);
  known.set(bucket, { answer, turn: 0 });
  waiting.push(bucket);
  void work();
  return answer;
}

// Reads the facts again, and keeps the old ones until then.
export function refreshFacts(bucket: string): void {
  if (!known.has(bucket) || waiting.includes(bucket)) return;
  waiting.push(bucket);
  void work();
}

export function forgetFacts(): void {
  known.clear();
  waiting.length = 0;
}

async function work(): Promise<void> {
  if (running >= atOnce) return;
  running++;
  for (let bucket = waiting.pop(); bucket !== undefined; bucket = waiting.pop()) {
    const place = known.get(bucket);
    const turn = ++turns;
    const answer = await bucketFacts(bucket).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if (!place || turn < place.turn) continue; // a later request was answered first
    place.turn = turn;
    place.answer.value = answer;
  }
  running--;
}
