// kill -9 while metrics are pushed: every sample of an acknowledged push exists after the restart. Three rounds, fifty
// with --full.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chance, chanceOf, isFull } from '../../../src/testing/seed.ts';
import { body1, remoteWrite1 } from '../../clients/promql/remote-write.ts';
import { addPipeline, type MetricPipeline } from '../../harness/metrics.ts';
import { type Region, startRegion } from '../../harness/region.ts';

const rounds = isFull ? 50 : 3;
const writers = 8;
const seriesEach = 25;
const startMs = Math.floor(performance.timeOrigin) - 3_600_000;

// The acknowledged state of a writer: the number of samples of each of its series, one per millisecond, with their
// number as value.
interface Writer {
  name: string;
  next: number;
  answered: number[];
}

test(`[GEN-06] no sample of an answered push is lost in ${rounds} rounds of kill -9 under ${writers} writers`, async (t) => {
  const chance = chanceOf(t);
  await using region = await startRegion();
  const pipeline = await addPipeline(region);
  const all = Array.from({ length: writers }, (_, at): Writer => ({ name: `w${at}`, next: 0, answered: [] }));
  for (let round = 0; round < rounds; round++) {
    await untilKilled(region, pipeline, all, chance);
    await region.start();
    for (const writer of all) await assertThere(pipeline, writer);
  }
  const answered = all.reduce((sum, writer) => sum + writer.answered.length, 0);
  t.diagnostic(`${answered} pushes were answered`);
  assert.ok(answered > rounds * 10, 'too little was pushed to prove anything');
});

// Lets them push until a random number of answers arrived, plus a random delay.
async function untilKilled(region: Region, pipeline: MetricPipeline, all: Writer[], chance: Chance): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = 30 + chance.below(200);
  const momentMs = chance.below(20);
  let isOver = false;
  const push = async (writer: Writer): Promise<void> => {
    while (!isOver) {
      const number = writer.next++;
      const { status } = await pipeline.push(bodyOf(writer, number), remoteWrite1);
      assert.equal(status, 204);
      writer.answered.push(number);
      if (--left === 0) resolve();
    }
  };
  const pushing = all.map((writer) =>
    push(writer).catch((error: unknown) => {
      if (!isOver) throw error; // the kill cuts off senders without an answer
    }),
  );
  await promise;
  const end = (): void => {
    isOver = true;
    void region.kill();
  };
  setTimeout(end, momentMs); // deadline
  await Promise.all(pushing);
  await region.kill();
}

const bodyOf = ({ name }: Writer, number: number): Buffer =>
  body1(
    Array.from({ length: seriesEach }, (_, at) => ({
      labels: [
        ['__name__', 'crash'],
        ['nth', String(at)],
        ['writer', name],
      ],
      points: [[startMs + number, number]],
    })),
  );

async function assertThere(pipeline: MetricPipeline, { name, answered }: Writer): Promise<void> {
  const series = await pipeline.vector(`crash{writer="${name}"}[2h]`);
  if (answered.length > 0) assert.equal(series.length, seriesEach);
  for (const { metric, values } of series) {
    const kept = new Map(values.map(([time, value]) => [Math.round(time * 1000) - startMs, value]));
    for (const number of answered)
      assert.equal(kept.get(number), String(number), `sample ${number} of ${JSON.stringify(metric)}`);
  }
}
