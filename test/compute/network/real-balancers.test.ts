// Load balancers of real machines, in bare namespaces: HAProxy and nft balance to servers that answer with their names.
import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import {
  applicationBalancer,
  balancer,
  type DatacenterSpec,
  datacenter,
  httpRule,
  indexTopology,
  nic,
  planOf,
  target,
} from '../../../src/testing/black-box/network.ts';
import { limits } from '../../../src/testing/limits.ts';
import { until } from '../../../src/testing/waiting.ts';
import { outside, ranges } from '../../harness/network/landscape.ts';
import { Namespaces, networkTools } from '../../harness/network/namespaces.ts';
import { Client, startServer } from '../../harness/network/requests.ts';
import { Wire } from '../../harness/network/wire.ts';

const tools = await networkTools();
const front = '198.18.0.100';

const nics = [
  nic('a', 2, '10.0.2.1'),
  nic('b', 2, '10.0.2.2'),
  nic('c', 2, '10.0.2.3'),
  nic('p', 1, '198.18.0.1'), // a client on the listener LAN
];

interface Bench {
  host: Namespaces;
  client: Client; // on the internet
  apply(parts: Partial<DatacenterSpec>): Promise<void>;
}

suite('load balancers of real machines', { skip: tools.skip ?? false, timeout: limits.test }, () => {
  async function bench(t: TestContext): Promise<Bench> {
    if (tools.skip !== undefined) throw new Error(tools.skip);
    const host = new Namespaces(tools, []);
    t.after(() => host.close());
    await new Wire(host).open();
    const machines = nics.map(({ server }) => server);
    for (const machine of machines) await host.start(machine);
    const apply = async (parts: Partial<DatacenterSpec>): Promise<void> => {
      const index = indexTopology({ ranges, datacenters: [datacenter('D', { nics, ...parts })] });
      await host.apply(planOf(index, { ranges, uplink: { device: 'eth0', isMasked: false }, machines }));
      assert.deepEqual(host.warnings, []);
      if (process.env.DBG) console.log(await host.shell('ls -laR /run/balancers; cat /run/balancers/*.errors; ps aux | grep haprox; cat /run/balancers/*/haproxy.cfg; ip netns exec lb-nlb ss -ltnp; ip netns exec lb-nlb ip addr; ip netns exec lb-nlb ip rule; ip netns exec lb-nlb ip route show table all'));
    };
    for (const id of ['a', 'b', 'c']) await startServer(host, `server-${id}`);
    return { host, apply, client: await Client.in(host, 'internet') };
  }

  const network = (parts: object = {}) => {
    const plain = balancer();
    return { networkLoadBalancers: [{ ...plain, forwardingRules: plain.forwardingRules.map((one) => ({ ...one, ...parts })) }] };
  };

  const servedBy = async (client: Client, count: number, host = front): Promise<string> => {
    const names: string[] = [];
    for (let number = 0; number < count; number++) names.push((await client.served({ host })).replace('server-', ''));
    return names.sort().join('');
  };

  test('a network balancer distributes by weight, from its own address, to clients anywhere', async (t) => {
    const { host, apply, client } = await bench(t);
    await apply(network({ targets: [target('10.0.2.1', { weight: 3 }), target('10.0.2.2')] }));
    assert.equal(await servedBy(client, 8), 'aaaaaabb');
    const near = await Client.in(host, 'server-p');
    assert.equal(await servedBy(near, 4), 'aaab');
    const { body = '' } = await client.get({ host: front });
    const seen = JSON.parse(body) as { from: string; to: string };
    assert.ok(seen.from === '10.0.2.240', body);
    assert.match((await client.get({ host: front, port: 81 })).error ?? '', /timed out|refused/i);
  });
});
