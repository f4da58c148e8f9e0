// The proof that any one process may die: three nodes on outside engines behind HAProxy, with clients of all products,
// while each process is killed in turn and started again, as a supervisor does it. Only in a full run: it takes ten
// minutes. CUMULET_KILLS is the number of kills, and CUMULET_VICTIMS a pattern of their names.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { pause, until } from '../../../src/testing/waiting.ts';
import { isVictoria, outsidePrograms } from '../../harness/outside/programs.ts';
import { OutsideSet, type Victim } from '../../harness/outside/set.ts';
import { logLanes, metricLanes, modelLane, objectLanes } from './data-lanes.ts';
import { Lane, type Tally } from './lane.ts';
import { recordedIn } from './recorded.ts';
import { type Kill, killLine, totalsTable } from './report.ts';
import { resourceLanes } from './resource-lanes.ts';
import { streamLanes } from './stream-lanes.ts';

const killCount = Number(process.env.CUMULET_KILLS ?? 30);
const victimPattern = new RegExp(process.env.CUMULET_VICTIMS ?? '.');
const absentMs = { long: 9_000, short: 2_500 }; // until the supervisor starts it again
const settledMs = 2_000; // between the recovery and the next kill
const quietMs = 10_000; // before the first kill, to know how long calls take on this machine
const mostGapMs = 10_000;
const brokerGapMs = 20_000; // a dead broker is noticed after 4 s, then its partitions and the controller move

const isForgetfulPart = (part: string): boolean => isVictoria[part as keyof typeof isVictoria] ?? false;
const programs = isFull ? await outsidePrograms() : { skip: 'only in a full run (--full)' };

suite('a region on outside engines, while its processes are killed', { skip: programs.skip ?? false }, () => {
  let set: OutsideSet;
  let victims: Victim[] = [];
  const lanes: Lane[] = [];
  const usualGaps = new Map<Lane, number>();
  const kills: Kill[] = [];
  const startedAt = performance.now();
  const now = (): number => performance.now() - startedAt;
  let close = async (): Promise<void> => {};

  before(async () => {
    if (programs.skip !== undefined) return;
    set = await OutsideSet.start(programs);
    const region = set.client();
    const recorded = recordedIn(region);
    const streams = await streamLanes(region, recorded);
    close = streams.close;
    const works = [
      ...(await resourceLanes(region, set.secureClient(), recorded)),
      ...(await metricLanes(region)),
      ...(await logLanes(region, set.ca)),
      ...(await objectLanes(region)),
      ...streams.lanes,
      modelLane(region),
    ];
    lanes.push(...works.map((work) => new Lane(work, startedAt)));
    for (const lane of lanes) lane.start();
    victims = orderOf(set.victims);
    await allServe(now());
    const from = now();
    await pause(quietMs);
    for (const lane of lanes) usualGaps.set(lane, lane.longestGap(from, now()));
  });

  after(async () => {
    await Promise.all(lanes.map((lane) => lane.end()));
    await close().catch(() => undefined);
    await set?.[Symbol.asyncDispose]();
  });

  // Each process once, then nodes.
  function orderOf(all: readonly Victim[]): Victim[] {
    const first = all.filter(({ name }) => victimPattern.test(name));
    const nodes = first.filter(({ part }) => part === 'node');
    const more = nodes.length > 0 ? nodes : first;
    const rest = Array.from({ length: killCount }, (_, at) => more[at % more.length] as Victim);
    return [...first, ...rest].slice(0, killCount);
  }

  // A write that is acknowledged, of every lane, and begins after that time.
  async function allServe(since: number): Promise<void> {
    const missing = () => lanes.filter((lane) => !lane.hasAcknowledgedSince(since)).map(({ work }) => work.name);
    await until('every lane is acknowledged', missing, (names) => names.length === 0, { limitMs: limits.agent });
  }

  async function kill(victim: Victim, isLong: boolean): Promise<Kill> {
    const from = now();
    await victim.kill();
    await pause(isLong ? absentMs.long : absentMs.short);
    await victim.start();
    const servesAt = now();
    await allServe(servesAt);
    await pause(settledMs);
    return { victim, from, servesAt, to: now() };
  }

  // After the death of a node or a broker the others serve; after that of an engine only its product is refused, with
  // 503 in its own form. PostgreSQL is needed by all products.
  function assertInterruptions({ victim, from, to }: Kill): void {
    for (const lane of lanes) {
      const where = `${lane.work.name}, ${victim.name}`;
      const failures = lane.failures(from, to);
      const wrong = failures.filter(({ status }) => ![0, 502, 503, 504].includes(status));
      assert.deepEqual(wrong, [], `${where}: wrong answers`);
      const slow = failures.filter(({ tookMs }) => tookMs > limits.outsideClient);
      assert.deepEqual(slow, [], `${where}: the client waited too long`);
      const gap = lane.longestGap(from, to);
      if (victim.part === 'node') assert.ok(gap < mostGapMs, `${where}: ${gap} ms`);
      else if (victim.part === 'state' || lane.work.needs.includes(victim.part)) {
        const foreign = failures.filter(({ status, isOwn }) => status !== 503 || !isOwn);
        if (lane.work.isHttp !== false) assert.deepEqual(foreign, [], `${where}: not its own 503`);
        if (victim.part === 'broker') assert.ok(gap < brokerGapMs, `${where}: ${gap} ms`);
      } else {
        assert.deepEqual(failures, [], `${where}: another product failed`);
        assert.ok(gap < mostGapMs, `${where}: ${gap} ms`);
      }
    }
  }

  test('[GEN-06] every product answers on every node, and shows what the others wrote', async () => {
    assert.equal(set.nodes.length, 3);
    for (const node of set.nodes)
      for (const lane of lanes) {
        if (lane.work.name === 'records') continue; // clients connect to the brokers directly
        const written = lane.acknowledged();
        const where = `${lane.work.name} at ${node.url}`;
        if (lane.work.stored) {
          const shown = new Set(await lane.work.stored(node));
          const missing = written.filter((id) => !shown.has(id));
          assert.deepEqual(missing, [], where);
        } else {
          const answer = await lane.work.write('', node);
          assert.equal(answer?.status, 200, `${where}: ${JSON.stringify(answer?.body)}`);
        }
      }
  });

  for (let number = 1; number <= killCount; number++)
    test(`[GEN-06] kill ${number} interrupts only what needs the process`, async (t) => {
      const victim = victims[number - 1];
      assert.ok(victim, 'the region did not start');
      const done = await kill(victim, number % 2 === 1);
      kills.push(done);
      t.diagnostic(killLine(number, done, lanes));
      assertInterruptions(done);
    });

  test('[GEN-06] every acknowledged write is stored once', async (t) => {
    await Promise.all(lanes.map((lane) => lane.end()));
    const tallies = new Map<Lane, Tally>();
    for (const lane of lanes) tallies.set(lane, await lane.tally());
    for (const [at, one] of kills.entries()) t.diagnostic(killLine(at + 1, one, lanes));
    for (const line of totalsTable(tallies, kills, usualGaps)) t.diagnostic(line);
    for (const [{ work }, { acknowledged, lost, doubled, unrecorded, recordedTwice }] of tallies) {
      assert.ok(acknowledged > kills.length, `${work.name}: too little was written to prove anything`);
      assert.deepEqual(doubled, [], `${work.name}: stored twice`);
      assert.deepEqual(unrecorded, [], `${work.name}: not in the activity log`);
      assert.deepEqual(recordedTwice, [], `${work.name}: twice in the activity log`);
      const isForgetful = work.needs.some((part) => isForgetfulPart(part));
      if (!isForgetful) assert.deepEqual(lost, [], `${work.name}: lost`);
    }
  });
});
