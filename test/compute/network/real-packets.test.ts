// Real packets of the lab, in bare namespaces: each arrives where the simulated network predicts it.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import {
  balancer,
  type DatacenterSpec,
  datacenter,
  evaluate,
  indexTopology,
  nic,
  type Packet,
  planOf,
  type RealOutcome,
  rule,
  target,
  type Verdict,
} from '../../../src/testing/black-box/network.ts';
import { limits } from '../../../src/testing/limits.ts';
import { chanceOf, isFull } from '../../../src/testing/seed.ts';
import { until } from '../../../src/testing/waiting.ts';
import { outside, randomLandscape, randomPacket, ranges } from '../../harness/network/landscape.ts';
import { Namespaces, networkTools } from '../../harness/network/namespaces.ts';
import { ports } from '../../harness/network/random-balancers.ts';
import { startServer } from '../../harness/network/requests.ts';
import { listen } from '../../harness/network/talk.ts';
import { Wire } from '../../harness/network/wire.ts';

const tools = await networkTools();
const landscapes = isFull ? 10 : 2;
const turns = [0, 1, 2, 3, 4, 5]; // of balancers
const packetsEach = isFull ? 12 : 8;
const uplink = { device: 'eth0', isMasked: false };

const silentServer = `
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 53))
print("ready", flush=True)
input()`;

interface Sent extends RealOutcome {
  expected: readonly string[]; // a balancer may choose each of its targets
}

interface Bench {
  host: Namespaces;
  send(packet: Packet): Promise<Sent>;
}

// The user of a proxy follows from the id of its balancer, and all its processes end together, in any test.
const renamed = (one: DatacenterSpec): DatacenterSpec => {
  const own = <Part extends { id: string }>(parts: readonly Part[]): Part[] =>
    parts.map((part) => ({ ...part, id: `${part.id}-${process.pid}` }));
  const { networkLoadBalancers, applicationLoadBalancers } = one;
  return {
    ...one,
    networkLoadBalancers: own(networkLoadBalancers),
    applicationLoadBalancers: own(applicationLoadBalancers),
  };
};

async function bench(t: TestContext, planned: readonly DatacenterSpec[], isListening = false): Promise<Bench> {
  if (tools.skip !== undefined) throw new Error(tools.skip);
  const datacenters = planned.map(renamed);
  const host = new Namespaces(tools, datacenters);
  t.after(() => host.close());
  await new Wire(host).open();
  const machines = datacenters.flatMap(({ servers }) => servers.map(({ id }) => id));
  for (const machine of machines) {
    await host.start(machine);
    if (isListening) await listen(host, machine, ports, 'TCP');
  }
  const index = indexTopology({ ranges, datacenters });
  await host.apply(planOf(index, { ranges, uplink, machines }));
  assert.deepEqual(host.warnings, []);
  const send: Bench['send'] = async (packet) => {
    const [first, ...others] = turns.map((turn) => evaluate(index, packet, () => turn)) as [Verdict, ...Verdict[]];
    const isProxied = first.hops.some(({ kind }) => /^(?:network|application)loadbalancer$/.test(kind));
    const decided = [first, ...others].map(({ accepted }) => (accepted ? 'ACCEPTED' : 'REJECTED'));
    const real = await host.sendReal(packet, first, ranges);
    return { ...real, expected: [...new Set(decided), ...(isProxied ? ['UNKNOWN'] : [])] };
  };
  return { host, send };
}

suite('real packets of the lab', { skip: tools.skip ?? false, timeout: limits.test }, () => {
  test('arrive as the simulated network predicts', async (t) => {
    const chance = chanceOf(t);
    const seen = { ACCEPTED: 0, REJECTED: 0, UNKNOWN: 0 };
    for (let number = 0; number < landscapes; number++) {
      const datacenters = randomLandscape(chance);
      const { host, send } = await bench(t, datacenters, true);
      for (let each = 0; each < packetsEach; each++) {
        const packet = randomPacket(chance, datacenters);
        const { result, detail, expected } = await send(packet);
        assert.ok(expected.includes(result), `${result} ${detail} ${JSON.stringify({ packet, datacenters })}`);
        seen[result] += 1;
      }
      host.close();
    }
    t.diagnostic(JSON.stringify(seen));
    assert.ok(seen.ACCEPTED >= landscapes && seen.REJECTED >= landscapes, JSON.stringify(seen));
  });

  const rules = [rule('web', { portRangeStart: 80, portRangeEnd: 80 }), rule('dns', { protocol: 'UDP' })];
  const guarded = { firewallActive: true, firewallRules: rules };
  const nics = [nic('a', 1, '198.18.0.1', guarded), nic('b', 2, '10.0.2.1'), nic('c', 1, '198.18.0.3')];
  const to = '198.18.0.1';
  const tcp = { to, protocol: 'TCP', sourcePort: 50_001, targetPort: 80 } as const;

  test('come from outside, and leave nothing behind', async (t) => {
    const { host, send } = await bench(t, [datacenter('D', { nics })]);
    const from = { ip: outside.v4 };
    assert.match((await send({ ...tcp, from })).detail, /nothing listens on this port/);
    assert.equal((await send({ ...tcp, from, sourcePort: 50_002, targetPort: 81 })).result, 'REJECTED');
    assert.equal(
      (await send({ ...tcp, from: { ip: '198.18.0.9' } })).detail,
      'Nothing was sent: not an outside address.',
    );
    assert.match((await send({ ...tcp, from, to: '8.8.8.8' })).detail, /outside of the region/);
    const left = 'ip link show outside 2>&1; ip netns list; ip rule; ip route show table 77 2>/dev/null';
    assert.doesNotMatch(await host.shell(left), /outside@|^outside|lookup 77|default/m);
  });

  test('that no one answers have arrived if the machine has received them', async (t) => {
    const { host, send } = await bench(t, [datacenter('D', { nics })]);
    await host.serve('server-a', silentServer);
    const udp = { to, protocol: 'UDP', sourcePort: 50_003, targetPort: 53 } as const;
    for (const from of [{ nicId: 'c' }, { ip: outside.v4 }])
      assert.match((await send({ ...udp, from })).detail, /has reached the machine, which has not answered/);
    const lost = await send({ ...tcp, from: { nicId: 'c' }, targetPort: 443 });
    assert.match(lost.detail, /has not arrived/);
    assert.equal(lost.result, 'REJECTED');
  });

  test('reach load balancers, with HTTP requests', async (t) => {
    const networkLoadBalancers = [
      balancer({
        forwardingRules: balancer().forwardingRules.map((one) => ({ ...one, targets: [target('10.0.2.1')] })),
      }),
    ];
    const { host, send } = await bench(t, [datacenter('D', { nics, networkLoadBalancers })]);
    const front = { from: { nicId: 'c' }, to: '198.18.0.100', protocol: 'TCP', targetPort: 80 } as const;
    const http = { method: 'GET', host: 'shop', path: '/', query: '', headers: {}, cookies: {} };
    await startServer(host, 'server-b');
    const reached = () => send({ ...front, http });
    await until('the target is healthy', reached, ({ detail }) => detail.includes('status 200'), {
      limitMs: limits.request,
    });
    assert.equal((await send({ ...front, targetPort: 81 })).result, 'REJECTED');
  });
});
