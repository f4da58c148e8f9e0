// A failover address that moves to another machine is reached there at once, although its neighbours knew it before.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DatacenterSpec, indexTopology, type Nic, planOf } from '../../../src/testing/black-box/network.ts';
import { until } from '../../../src/testing/waiting.ts';
import { ranges } from '../../harness/network/landscape.ts';
import { Namespaces, networkTools } from '../../harness/network/namespaces.ts';
import { Wire } from '../../harness/network/wire.ts';

const tools = await networkTools();
const shared = '10.7.0.20';

const nic = (number: number): Nic => ({
  id: `nic${number}`,
  server: `server${number}`,
  lan: 2,
  mac: `02:01:00:00:00:0${number}`,
  pciSlot: 6,
  ips: [`10.7.0.1${number}`, ...(number === 1 ? [] : [shared])],
  ipv6Ips: [],
  firewallActive: false,
  firewallType: null,
  firewallRules: [],
  securityGroups: [],
});

const landscape = (holder: string): DatacenterSpec => ({
  id: 'dc',
  lans: [
    {
      ...{ id: 2, public: false, ipv4CidrBlock: '10.7.0.0/24', ipv6CidrBlock: null, pcc: null },
      ipFailover: [{ ip: shared, nicUuid: holder }],
    },
  ],
  servers: [1, 2, 3].map((number) => ({ id: `server${number}`, vmState: 'RUNNING', securityGroups: [] })),
  nics: [1, 2, 3].map(nic),
  ...{ securityGroups: [], natGateways: [], networkLoadBalancers: [], applicationLoadBalancers: [] },
  ...{ targetGroups: [], loadBalancers: [] },
});

test('a failover address moves to another machine', { skip: tools.skip ?? false }, async (t) => {
  if (tools.skip !== undefined) return;
  const host = new Namespaces(tools, [landscape('nic2')]);
  t.after(() => host.close());
  const wire = new Wire(host);
  await wire.open();
  const machines = ['server1', 'server2', 'server3'];
  for (const server of machines) await host.start(server);
  for (const [holder, server] of [
    ['nic2', 'server2'],
    ['nic3', 'server3'],
    ['nic2', 'server2'],
  ] as const) {
    const index = indexTopology({ ranges, datacenters: [landscape(holder)] });
    await host.apply(planOf(index, { ranges, uplink: { device: 'eth0', isMasked: false }, machines }));
    const before = await wire.counters();
    await wire.send({ from: { nicId: 'nic1' }, to: shared, protocol: 'UDP', sourcePort: 20_000, targetPort: 9 });
    const grown = await until(
      `the packet at ${server}`,
      async () => wire.growth(before, await wire.counters()),
      (all) => all.length > 1,
      { limitMs: 2000 },
    );
    assert.ok(grown.includes(`${server} in-ens6 no firewall`), grown.join(', '));
  }
});
