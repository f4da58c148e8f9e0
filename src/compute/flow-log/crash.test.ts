// kill -9 while flows are captured and published: each flow of acknowledged traffic is in exactly one record, each
// other one in at most one, and no interval has a second object. Six rounds, a hundred with --full.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chance, chanceOf, isFull } from '../../testing/seed.ts';
import { Capturing } from './testing-capturing.ts';

const rounds = isFull ? 100 : 6;
const senders = 6;
const intervalMs = 600_000;
const ips = ['198.18.0.1', '198.18.0.2', '198.18.0.3'];

interface Ledger {
  nics: string[];
  time: number; // the last position of the clock
  answered: Set<string>; // `NIC port of the round source port`
  perhaps: Set<string>;
}

test(`[GEN-06] [FLOW-03] no flow is lost or recorded twice in ${rounds} rounds of kill -9`, async (t) => {
  const chance = chanceOf(t);
  const region = new Capturing(t);
  const ledger: Ledger = { nics: [], time: 1_800_000_000_000, answered: new Set(), perhaps: new Set() };
  await region.start(ledger.time);
  const nics = ips.map((ip) => ({ ip, firewallActive: false }));
  ledger.nics = await region.tell<string[]>({ do: 'make', nics });
  for (let round = 0; round < rounds; round++) {
    if (round > 0) await region.start(ledger.time);
    await untilKilled(region, ledger, chance, round + 1);
  }
  await region.start(ledger.time);
  ledger.time += intervalMs;
  await region.tell({ do: 'move', to: ledger.time });
  const { answered, perhaps } = ledger;
  const objects = new Map(region.objects());
  t.diagnostic(`${answered.size} flows answered, ${perhaps.size} perhaps, ${objects.size} objects`);
  assertOnce(objects, ledger);
  assert.ok(answered.size > rounds * 50 && objects.size > rounds, 'too few flows were sent for a conclusion');
});

// Sends from all sides and moves the clock until a random number of responses arrived, plus a random moment.
async function untilKilled(region: Capturing, ledger: Ledger, chance: Chance, round: number): Promise<void> {
  const { promise: enough, resolve } = Promise.withResolvers<void>();
  const wanted = 10 + chance.below(60);
  const momentMs = chance.below(20);
  let isOver = false;
  let answers = 0;
  let port = 1;
  const answer = (): void => {
    if (++answers === wanted) setTimeout(resolve, momentMs); // deadline
  };
  const send = async (): Promise<void> => {
    const at = chance.below(ips.length);
    const [first, count] = [port, 1 + chance.below(30)];
    port += count;
    const flows = Array.from({ length: count }, (_, flow) => `${ledger.nics[at]} ${round} ${first + flow}`);
    for (const flow of flows) ledger.perhaps.add(flow);
    const packet = { sourcePort: first, targetPort: round };
    await region.tell({ do: 'send', from: { ip: '203.0.113.7' }, to: String(ips[at]), packet, count });
    for (const flow of flows) {
      ledger.perhaps.delete(flow);
      ledger.answered.add(flow);
    }
  };
  const move = async (): Promise<void> => {
    ledger.time += chance.below(intervalMs);
    await region.tell({ do: 'move', to: ledger.time });
  };
  const work = async (index: number): Promise<void> => {
    while (!isOver) {
      await (index === 0 ? move() : send());
      answer();
    }
  };
  const all = Promise.allSettled(Array.from({ length: senders }, (_, index) => work(index)));
  await enough;
  isOver = true;
  await region.kill();
  await all;
}

function assertOnce(objects: Map<string, string[][]>, { answered, perhaps }: Ledger): void {
  const seen = new Set<string>();
  const intervals = new Set<string>();
  for (const [key, records] of objects) {
    const [first = []] = records;
    const interval = `${first[2]} ${Math.floor((Number(first[10]) * 1000) / intervalMs)}`;
    assert.ok(!intervals.has(interval), `${key} is a second object of its interval`);
    intervals.add(interval);
    for (const fields of records) {
      assert.equal(fields.length, 14);
      const flow = `${fields[2]} ${fields[6]} ${fields[5]}`;
      assert.ok(!seen.has(flow), `${flow} is recorded twice`);
      assert.ok(answered.has(flow) || perhaps.has(flow), `${flow} was never sent`);
      assert.deepEqual([fields[8], fields.at(-1)], ['1', 'OK']);
      seen.add(flow);
    }
  }
  const lost = [...answered].filter((flow) => !seen.has(flow));
  assert.deepEqual(lost, [], 'acknowledged, but lost');
}
