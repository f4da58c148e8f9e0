// The network follows the resources: at least 10,000 random landscapes, where each verdict equals, to the last hop,
// that of a plain second implementation of docs/network.md.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chance, chanceOf, isFull } from '../../testing/seed.ts';
import { evaluate, evaluateSpec } from './packet/evaluate.ts';
import type { NetworkSpec } from './spec.ts';
import { randomDatacenter, randomLandscape } from './testing/landscapes.ts';
import { randomPacket } from './testing/packets.ts';
import { expectedVerdict } from './testing/verdict-model.ts';
import { TopologyIndex } from './topology/topology-index.ts';
import { defaults, type Verdict } from './verdict.ts';

const landscapes = isFull ? 100_000 : 10_000;
const packetsEach = 5;

test('random traffic through random landscapes gets the verdicts of the rules', (t) => {
  const chance = chanceOf(t);
  const seen = new Map<string, number>();
  for (let number = 0; number < landscapes; number++) {
    const landscape = randomLandscape(chance);
    const atlas = readByAndBy(chance, landscape);
    for (let each = 0; each < packetsEach; each++) {
      const packet = randomPacket(chance, landscape);
      const turn = chance.below(1000);
      const choose = (key: string): number => turn + key.length;
      const verdict = evaluate(atlas, packet, choose);
      const expected = expectedVerdict(landscape, packet, choose);
      if (JSON.stringify(verdict) !== JSON.stringify(expected))
        assert.deepEqual(verdict, expected, `${JSON.stringify(packet)} in ${JSON.stringify(landscape)}`);
      for (const outcome of outcomesOf(verdict)) seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
    }
  }
  assertInteresting(seen);
});

test('a landscape that is read again for each packet gives the same verdict', (t) => {
  const chance = chanceOf(t);
  for (let number = 0; number < 200; number++) {
    const landscape = randomLandscape(chance);
    const packet = randomPacket(chance, landscape);
    assert.deepEqual(
      evaluateSpec(landscape, packet, () => number),
      evaluate(readByAndBy(chance, landscape), packet, () => number),
    );
  }
});

// Datacenters are applied in any order, and over their previous versions.
function readByAndBy(chance: Chance, { ranges, datacenters }: NetworkSpec): TopologyIndex {
  const atlas = new TopologyIndex(ranges);
  if (chance.often(20)) for (const at of datacenters.keys()) atlas.put(randomDatacenter(chance, at));
  for (const datacenter of chance.often(50) ? datacenters : datacenters.toReversed()) atlas.put(datacenter);
  return atlas;
}

function* outcomesOf({ accepted, arrived, hops }: Verdict): Iterable<string> {
  yield accepted ? 'accepted' : 'rejected';
  if (arrived) yield `arrived: ${arrived.kind}`;
  for (const { decidedBy } of hops) yield 'rule' in decidedBy ? `rule of ${decidedBy.of}` : decidedBy.default;
}

// A generator that always misses would prove nothing: the minimum share of all packets that each outcome needs.
function assertInteresting(seen: Map<string, number>): void {
  const percent = (outcome: string): number => (100 * (seen.get(outcome) ?? 0)) / (landscapes * packetsEach);
  const table = [...seen.keys()].map((outcome) => `${outcome}: ${percent(outcome).toFixed(2)} %`).join('\n');
  const demand = (outcome: string, least: number): void =>
    assert.ok(percent(outcome) >= least, `${outcome} is seen in less than ${least} % of the packets\n${table}`);
  demand('accepted', 25);
  demand('rejected', 25);
  demand('arrived: nic', 10);
  demand('arrived: internet', 3);
  demand('arrived: answer', 1);
  for (const owner of ['nic', 'securitygroup', 'natgateway', 'networkloadbalancer', 'applicationloadbalancer'])
    demand(`rule of ${owner}`, 1);
  for (const name of defaults) demand(name, 0.2);
}
