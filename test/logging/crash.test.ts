// kill -9 while chunks are sent: after the restart every acknowledged chunk is stored once, although the others are
// sent again. Three rounds, thirty with --full.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chance, chanceOf, isFull } from '../../src/testing/seed.ts';
import { openForward } from '../harness/forward.ts';
import { addLogPipeline, type LogPipeline, search, stream } from '../harness/logs.ts';
import { type Region, startRegion } from '../harness/region.ts';

const rounds = isFull ? 30 : 3;
const writers = 6;
const linesEach = 20;

// `sent`: numbers of chunks that were sent and are possibly not acknowledged.
interface Writer {
  name: string;
  next: number;
  unacknowledged: number[];
  acknowledged: number[];
}

test(`[LOG-04] [GEN-06] acknowledged chunks are stored once after ${rounds} rounds of kill -9`, async (t) => {
  const chance = chanceOf(t);
  await using region = await startRegion();
  const pipeline = await addLogPipeline(region, [stream('agent', { protocol: 'tcp', labels: ['writer'] })]);
  const all = Array.from(
    { length: writers },
    (_, at): Writer => ({ name: `w${at}`, next: 0, unacknowledged: [], acknowledged: [] }),
  );
  for (let round = 0; round < rounds; round++) {
    await untilKilled(region, pipeline, all, chance);
    await region.start();
  }
  for (const writer of all) await sendAgain(region, pipeline, writer);
  for (const { name, next, acknowledged } of all) {
    assert.deepEqual(
      acknowledged.sort((a, b) => a - b),
      Array.from({ length: next }, (_, at) => at),
    );
    const counts = new Map<number, number>();
    for (let from = 0; from < next; from += 100) {
      const query = `{tag="agent", writer="${name}"} | json | chunk >= ${from} | chunk < ${from + 100}`;
      for (const { line } of await search(region, pipeline, query)) {
        const { chunk } = JSON.parse(line) as { chunk: number };
        counts.set(chunk, (counts.get(chunk) ?? 0) + 1);
      }
    }
    for (const number of acknowledged) assert.equal(counts.get(number), linesEach, `chunk ${number} of ${name}`);
  }
  const chunks = all.reduce((sum, { next }) => sum + next, 0);
  t.diagnostic(`${chunks} chunks were sent`);
  assert.ok(chunks > rounds * 20, 'too little was sent to prove anything');
});

const seconds = Math.floor(Date.now() / 1000);

const messageOf = ({ name }: Writer, chunk: number): unknown[] => [
  'agent',
  Array.from({ length: linesEach }, (_, at) => [seconds, { writer: name, chunk, at }]),
];

async function sendAgain(region: Region, pipeline: LogPipeline, writer: Writer): Promise<void> {
  const client = await openForward(region, pipeline);
  for (const chunk of writer.unacknowledged) {
    await client.sendAcked(messageOf(writer, chunk), `${writer.name}-${chunk}`);
    writer.acknowledged.push(chunk);
  }
  writer.unacknowledged = [];
  client.close();
}

// Runs until a random number of chunks is acknowledged, plus a random delay.
async function untilKilled(region: Region, pipeline: LogPipeline, all: Writer[], chance: Chance): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let left = 30 + chance.below(200);
  let isOver = false;
  const send = async (writer: Writer): Promise<void> => {
    await sendAgain(region, pipeline, writer);
    const client = await openForward(region, pipeline);
    while (!isOver) {
      const chunk = writer.next++;
      writer.unacknowledged.push(chunk);
      client.send([...messageOf(writer, chunk), { chunk: `${writer.name}-${chunk}` }]);
      const answer = await client.next<{ ack: string }>();
      if (!answer) break;
      assert.equal(answer.ack, `${writer.name}-${chunk}`);
      writer.unacknowledged.pop();
      writer.acknowledged.push(chunk);
      if (--left === 0) resolve();
    }
    client.close();
  };
  const sending = all.map((writer) =>
    send(writer).catch((error: unknown) => {
      if (!isOver) throw error; // the kill cuts off senders without an answer
    }),
  );
  await promise;
  const end = (): void => {
    isOver = true;
    void region.kill();
  };
  setTimeout(end, chance.below(20)); // deadline
  await Promise.all(sending);
  await region.kill();
}
