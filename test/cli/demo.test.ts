// The demo: an example shop in a contract, whose load continues over a restart, and which is deleted without anything
// that others created.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { addDatacenter, addServer } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { plant } from '../harness/pipelines.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';

interface Matched {
  data: { result: { value: [time: number, value: string] }[] };
}

suite('the demo', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const demo = (...args: string[]) => cumulet(['demo', ...args, '--data', region.data]);
  const state = async (): Promise<unknown> => (await region.call('GET', '/lab/demo')).body.state;
  const listed = async (path: string) => (await region.call('GET', `${path}?depth=1`)).body.items;

  async function firstValue(path: string, query: string): Promise<number> {
    const { body } = await region.call<Matched>('GET', `${path}/query?${new URLSearchParams({ query })}`);
    return Number(body.data.result[0]?.value[1] ?? 0);
  }
  async function samples(): Promise<number> {
    const [pipeline] = await listed('/monitoring/pipelines');
    return firstValue(`/monitoring/pipelines/${pipeline?.id}/prometheus/api/v1`, 'count_over_time(shop_visitors[1d])');
  }
  async function lines(): Promise<number> {
    const [pipeline] = await listed('/logging/pipelines');
    return firstValue(`/logging/pipelines/${pipeline?.id}/loki/api/v1`, 'sum(count_over_time({tag="shop"}[1d]))');
  }
  async function orders(): Promise<number> {
    const [cluster] = await listed('/streaming/clusters');
    const metrics = (await region.call<string>('GET', `/streaming/clusters/${cluster?.id}/metrics`)).body;
    return Number(/kafka_topic_records\{topic="orders"\} (\d+)/.exec(metrics)?.[1] ?? 0);
  }
  async function assertInsideLans(): Promise<void> {
    for (const { id } of await listed(`${core}/datacenters`)) {
      const rangeOf = new Map((await listed(`${core}/datacenters/${id}/lans`)).map((lan) => [lan.id, lan.properties]));
      const { body } = await region.call('GET', `${core}/datacenters/${id}/servers?depth=3`);
      for (const { properties } of body.items.flatMap(({ entities }) => entities?.nics?.items ?? [])) {
        const { ips, lan } = properties as { ips: string[]; lan: number };
        const range = String(rangeOf.get(String(lan))?.ipv4CidrBlock); // such as 10.72.0.0/16
        assert.match(range, /^\d+\.\d+\.0\.0\/16$/);
        assert.ok(ips[0]?.startsWith(range.replace(/0\.0\/16$/, '')), `${properties.name}: ${ips} in ${range}`);
      }
    }
  }
  const grows = (what: string, count: () => Promise<number>, from: number): Promise<number> =>
    until(`${what} grow`, count, (now) => now > from, { limitMs: limits.regionStart });

  test('creates a shop, whose load continues after a restart', async () => {
    const { code, stdout, stderr } = await demo();
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^The demo runs: \d+ resources\. Open http:\/\/\S+\/console\nDelete it with: .* demo --stop --data \S+\n$/,
    );
    assert.equal((await listed(`${core}/datacenters`)).length, 2);
    for (const path of [
      `${core}/ipblocks`,
      '/autoscaling/groups',
      '/dns/zones',
      '/monitoring/alerting/rules',
      '/monitoring/dashboards',
    ])
      assert.equal((await listed(path)).length, 1, path);
    await assertInsideLans();
    for (const [what, count] of [
      ['samples', samples],
      ['lines', lines],
      ['orders', orders],
    ] as const)
      await grows(what, count, 10); // the last hours, and what followed

    const again = JSON.parse((await demo('--json')).stdout);
    assert.equal(again.state, 'RUNNING', 'it runs already');
    const before = await samples();
    await region.restart();
    await grows('samples', samples, before);
    assert.equal(await state(), 'RUNNING');
  });

  test('--stop deletes it, and keeps a datacenter to which others have added a server', async () => {
    const shop = (await listed(`${core}/datacenters`)).find(({ properties }) => properties.name === 'shop-standby');
    await addServer(region, `${core}/datacenters/${shop?.id}`, { name: 'mine' });
    const { code, stdout, stderr } = await demo('--stop');
    assert.equal(code, 0, stderr);
    assert.match(
      stdout,
      /^The demo is deleted\. Not deleted: .*\/datacenters\/\S+: it contains resources that the demo/,
    );
    const [left, ...others] = await listed(`${core}/datacenters`);
    assert.deepEqual([left?.id, others], [shop?.id, []]);
    const servers = await listed(`${core}/datacenters/${shop?.id}/servers`);
    assert.deepEqual(
      servers.map(({ properties }) => properties.name),
      ['mine'],
    );
    for (const path of [
      '/monitoring/pipelines',
      '/streaming/clusters',
      '/objectstorage-management/accesskeys',
      '/dns/zones',
    ])
      assert.deepEqual(await listed(path), [], path);
    assert.equal((await demo('--stop')).stdout, 'No demo is running.\n');
  });

  test('a kill during its creation loses nothing: the next start continues, and --stop deletes all of it', async () => {
    const others = await listed(`${core}/datacenters`);
    for (const { href } of others)
      assert.equal((await region.call('DELETE', new URL(String(href)).pathname)).status, 202);
    await until(
      'the contract is empty',
      () => listed(`${core}/datacenters`),
      ({ length }) => length === 0,
    );
    await plant(region, { kind: 'server', step: 'create.*', mode: 'crash' });
    await region.call('PUT', '/lab/demo', {});
    const isGone = (): Promise<boolean> =>
      region.call('GET', '/lab/demo').then(
        () => false,
        () => true,
      );
    await until('the process ends', isGone, Boolean, { limitMs: limits.regionStart });
    await region.kill();
    await region.start();
    const created = async (): Promise<number> => Number((await region.call('GET', '/lab/demo')).body.resources);
    await until('the creation continues', created, (now) => now > 20, { limitMs: limits.regionStart });
    await region.kill();
    await region.start();
    await until('the demo runs', state, (one) => one === 'RUNNING', { limitMs: limits.regionStart });
    const servers = await region.call('GET', '/console/across/datacenters/-/servers?show=name&limit=100');
    const names = servers.body.items.map(({ properties }) => String(properties.name));
    assert.deepEqual(names.filter((name) => !name.startsWith('workers')).toSorted(), [
      'orders-db',
      'reports',
      'standby-db',
      'web-1',
      'web-2',
    ]);
    assert.equal((await demo('--stop')).stdout, 'The demo is deleted.\n');
    for (const path of [`${core}/datacenters`, `${core}/ipblocks`, '/monitoring/alerting/rules', '/dns/zones'])
      assert.deepEqual(await listed(path), [], path);
  });

  test('needs --yes in a contract that is not empty, and ends with a reset', async () => {
    const own = await addDatacenter(region);
    const refused = await demo();
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /is not empty: it has the \w+ '.*'\. Pass --yes/);
    assert.equal((await region.call('PUT', '/lab/demo', {})).status, 409);
    const begun = await region.call('PUT', '/lab/demo', { evenIfNotEmpty: true });
    assert.deepEqual([begun.status, begun.body.state], [202, 'CREATING']);
    await until('the demo runs', state, (one) => one === 'RUNNING', { limitMs: limits.regionStart });
    assert.equal((await region.call('GET', own)).status, 200);
    const reset = await cumulet(['reset', '--yes', '--data', region.data]);
    assert.equal(reset.code, 0, reset.stderr);
    assert.equal(await state(), 'OFF');
  });

  test('is for administrators of the contract, each in theirs', async () => {
    const other = await region.call('POST', '/lab/contracts');
    const token = String(other.body.token);
    const { body } = await region.call('GET', '/lab/demo', undefined, { token });
    assert.deepEqual([body.contract, body.state], [other.body.contract, 'OFF']);
  });
});
