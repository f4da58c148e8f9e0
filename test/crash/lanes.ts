// Lanes: contracts of one region in which operations are broken side by side. A fault that a lane plants strikes its
// own operations alone, and the counters that a lane compares are its own. Their writes share syncs, and one restart
// resumes what is under way in all of them.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { addContract } from '../harness/people.ts';
import type { Region } from '../harness/region.ts';
import { type Point, touch } from './points.ts';

const count = 4;
const mostAtOnce = 20; // in one lane
const firstNumber = 31_000_101;

export async function lanesOf(region: Region): Promise<Region[]> {
  const numbers = Array.from({ length: count }, (_, index) => firstNumber + index);
  const owners = await Promise.all(numbers.map((number) => addContract(region, number)));
  return owners.map((owner) => region.as(owner));
}

// Subtests side by side, each in a lane that it has to itself. The test they are in needs `atOnce`.
export const atOnce = { concurrency: count };

export class LaneTests {
  #t: TestContext;
  #free: Region[];
  #tests: Promise<void>[] = [];

  constructor(t: TestContext, lanes: readonly Region[]) {
    this.#t = t;
    this.#free = [...lanes];
  }

  add(title: string, work: (lane: Region) => Promise<void>): void {
    this.#tests.push(this.#t.test(title, () => this.#inLane(work)));
  }

  async #inLane(work: (lane: Region) => Promise<void>): Promise<void> {
    const lane = this.#free.pop();
    assert.ok(lane, 'more tests run at once than there are lanes');
    await work(lane).finally(() => this.#free.push(lane));
  }

  async ended(): Promise<void> {
    await Promise.all(this.#tests);
  }
}

// Batches of points for each lane. Those in one lane are broken at the same time, where no operation comes by a fault
// that is meant for another.
export function batchesOf(points: readonly Point[]): Point[][][] {
  const lanes: Point[][] = [];
  for (const point of points) {
    const lane = lanes.find((one) => one.length < mostAtOnce && !one.some((other) => touch(point, other)));
    if (lane) lane.push(point);
    else lanes.push([point]);
  }
  return Array.from({ length: Math.ceil(lanes.length / count) }, (_, index) =>
    lanes.slice(index * count, (index + 1) * count),
  );
}
