// Zones of several contracts on two nodes: neither answers for names of one contract from a zone of another.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { until } from '../../src/testing/waiting.ts';
import { type Nodes, startNodes } from '../harness/nodes.ts';
import type { Region } from '../harness/region.ts';
import { secondContract } from '../sweep/api.ts';
import { ask, dataOf, portOf } from './query.ts';
import { Tenant } from './tenant.ts';

const bad = '203.0.113.66';

suite('zones on two nodes', () => {
  let nodes: Nodes;
  let ports: number[];
  let victim: Tenant; // on the first node
  let other: Tenant; // on the second one
  before(async () => {
    nodes = await startNodes(2);
    const [one, two] = nodes.all as [Region, Region];
    ports = nodes.all.map(portOf);
    victim = new Tenant(one);
    other = new Tenant(two.as(await secondContract(one)));
  });
  after(() => nodes[Symbol.asyncDispose]());

  const addresses = (name: string): Promise<unknown[][]> =>
    Promise.all(ports.map(async (port) => dataOf(await ask(port, name, 'A'))));
  const codes = (name: string): Promise<string[]> =>
    Promise.all(ports.map(async (port) => (await ask(port, name, 'A')).rcode));

  test('[GEN-07] the rule holds for zones that another node has created a moment before', async () => {
    for (let round = 0; round < 5; round++) {
      const parent = await victim.must('POST', '/zones', { zoneName: `there${round}.test` });
      await other.refused('POST', '/zones', { zoneName: `www.there${round}.test` });
      const properties = { name: 'www', type: 'NS', content: 'ns.elsewhere.example' };
      await victim.must('POST', `/zones/${parent.id}/records`, properties);
      await other.must('POST', '/zones', { zoneName: `www.there${round}.test` });
    }
  });

  test('[GEN-07] a zone and a zone above it, created at the same time on two nodes, end in an allowed order', async () => {
    for (let round = 0; round < 5; round++) {
      const [above, below] = await Promise.all([
        victim.call('POST', '/zones', { zoneName: `race${round}.test` }),
        other.call('POST', '/zones', { zoneName: `www.race${round}.test` }),
      ]);
      assert.equal(above.status, 202, JSON.stringify(above.body));
      assert.ok([202, 409].includes(below.status), JSON.stringify(below.body));
      const parent = await victim.available(`/zones/${above.body.id}`);
      await victim.addRecord(parent, 'www', 'A', '192.0.2.1');
      if (below.status === 202)
        await other.addRecord(await other.available(`/zones/${below.body.id}`), '', 'A', '192.0.2.2');
      const expected = below.status === 202 ? '192.0.2.2' : '192.0.2.1';
      const isSo = async (): Promise<boolean> =>
        (await addresses(`www.race${round}.test`)).every(([one]) => one === expected);
      await until('both nodes answer from the same zone', isSo);
    }
  });

  test('[GEN-07] a secondary zone and a disabled zone keep their names on every node, until they are deleted', async () => {
    const parent = await other.addZone('far.test');
    await other.addRecord(parent, '*', 'A', bad);
    const primaryIps = ['127.0.0.1:1'];
    for (const [path, name, more] of [
      ['/secondaryzones', 'second', { primaryIps }],
      ['/zones', 'third', { enabled: false }],
    ] as const) {
      const zoneName = `${name}.far.test`;
      const isAnswered = (code: string) => async (): Promise<boolean> =>
        (await codes(`x.${zoneName}`)).every((one) => one === code);
      await other.addRecord(parent, name, 'NS', 'ns.elsewhere.example');
      await until(`${name} is delegated`, isAnswered('NOERROR'));
      const created = await victim.add(path, { zoneName, ...more });
      await until(`${name} is known`, isAnswered('REFUSED'));
      await victim.remove(created);
      await until(`${name} is gone`, isAnswered('NOERROR'));
    }
  });
});
