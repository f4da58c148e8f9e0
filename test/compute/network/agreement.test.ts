// The real network decides as the simulated one: random packets through random landscapes of namespaces. Each decision
// is read from the counter of its rule, so a dropped packet is not confused with a late one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { evaluate, indexTopology, type Packet, planOf, type Verdict } from '../../../src/testing/black-box/network.ts';
import { limits } from '../../../src/testing/limits.ts';
import { chanceOf, isFull } from '../../../src/testing/seed.ts';
import { until } from '../../../src/testing/waiting.ts';
import { randomLandscape, randomPacket, ranges } from '../../harness/network/landscape.ts';
import { Namespaces, networkTools } from '../../harness/network/namespaces.ts';
import { ports } from '../../harness/network/random-balancers.ts';
import { listen } from '../../harness/network/talk.ts';
import { Wire } from '../../harness/network/wire.ts';

const tools = await networkTools();
const landscapes = isFull ? 40 : 5;
const packetsEach = isFull ? 13 : 12;
const turns = Array.from({ length: 40 }, (_, turn) => turn); // of balancers: they reach each possible target

test('real packets are decided as the simulated network predicts, at the same place', {
  skip: tools.skip ?? false,
  timeout: limits.test,
}, async (t) => {
  if (tools.skip !== undefined) return;
  const chance = chanceOf(t);
  const seen = { accepted: 0, rejected: 0, balanced: 0 };
  for (let number = 0; number < landscapes; number++) {
    const datacenters = randomLandscape(chance);
    const host = new Namespaces(tools, datacenters);
    t.after(() => host.close());
    const wire = new Wire(host);
    await wire.open();
    const servers = datacenters.flatMap((one) => one.servers.map(({ id }) => id));
    for (const id of servers) {
      await host.start(id);
      await listen(host, id, ports, 'TCP');
    }
    const index = indexTopology({ ranges, datacenters });
    const plan = planOf(index, { ranges, uplink: { device: 'eth0', isMasked: false }, machines: servers });
    await host.apply(plan);
    assert.deepEqual(host.warnings, []);
    for (let each = 0; each < packetsEach; each++) {
      const packet = randomPacket(chance, datacenters);
      const verdicts = turns.map((turn) => evaluate(index, packet, () => turn));
      await assertAgreement(wire, packet, verdicts, JSON.stringify({ packet, datacenters }));
      seen[verdicts[0]?.accepted ? 'accepted' : 'rejected'] += 1;
      if (verdicts[0]?.hops.some(({ kind }) => kind.endsWith('loadbalancer'))) seen.balanced += 1;
    }
    host.close();
  }
  t.diagnostic(`${seen.accepted} packets accepted, ${seen.rejected} rejected; ${seen.balanced} met a load balancer`);
  const least = (landscapes * packetsEach) / 5;
  assert.ok(seen.accepted >= least && seen.rejected >= least, JSON.stringify(seen));
});

// One of the verdicts: a balancer may choose each of its targets.
async function assertAgreement(wire: Wire, packet: Packet, verdicts: readonly Verdict[], where: string): Promise<void> {
  const expected = [...new Set(verdicts.map((one) => wire.expectedCounters(packet, one).toSorted().join(', ')))];
  const before = await wire.counters();
  await wire.send(packet);
  const look = async (): Promise<string> =>
    wire
      .growth(before, await wire.counters())
      .toSorted()
      .join(', ');
  const isExpected = (grown: string): boolean => expected.includes(grown);
  await until(`the counters ${expected.join(' or ')} for ${where}`, look, isExpected, { limitMs: 3000 });
}
