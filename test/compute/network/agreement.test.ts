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
import { Wire } from '../../harness/network/wire.ts';

const tools = await networkTools();
const landscapes = isFull ? 40 : 5;
const packetsEach = isFull ? 13 : 12;

test('real packets are decided as the simulated network predicts, at the same place', {
  skip: tools.skip ?? false,
  timeout: limits.test,
}, async (t) => {
  if (tools.skip !== undefined) return;
  const chance = chanceOf(t);
  const seen = { accepted: 0, rejected: 0 };
  for (let number = 0; number < landscapes; number++) {
    const datacenters = randomLandscape(chance);
    const host = new Namespaces(tools, datacenters);
    t.after(() => host.close());
    const wire = new Wire(host);
    await wire.open();
    const servers = datacenters.flatMap((one) => one.servers.map(({ id }) => id));
    for (const id of servers) await host.start(id);
    const index = indexTopology({ ranges, datacenters });
    const plan = planOf(index, { ranges, uplink: { device: 'eth0', isMasked: false }, machines: servers });
    await host.apply(plan);
    assert.deepEqual(host.warnings, []);
    for (let each = 0; each < packetsEach; each++) {
      const packet = randomPacket(chance, datacenters);
      const verdict = evaluate(index, packet, () => 0);
      await assertAgreement(wire, packet, verdict, JSON.stringify({ packet, datacenters }));
      seen[verdict.accepted ? 'accepted' : 'rejected'] += 1;
    }
    host.close();
  }
  t.diagnostic(`${seen.accepted} packets accepted, ${seen.rejected} rejected`);
  const least = (landscapes * packetsEach) / 5;
  assert.ok(seen.accepted >= least && seen.rejected >= least, JSON.stringify(seen));
});

async function assertAgreement(wire: Wire, packet: Packet, verdict: Verdict, where: string): Promise<void> {
  const expected = wire.expectedCounters(packet, verdict);
  const before = await wire.counters();
  await wire.send(packet);
  const look = async (): Promise<string[]> => wire.growth(before, await wire.counters());
  const hasAll = (grown: string[]): boolean => expected.every((one) => grown.includes(one));
  const grown = await until(`the counters ${expected.join(', ')} for ${where}`, look, hasAll, { limitMs: 3000 });
  assert.deepEqual(grown.toSorted(), expected.toSorted(), where);
}
