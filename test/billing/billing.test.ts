// Billing from outside: its shapes, traffic, rights, bad input, and the commands that print costs.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { CreateBucketCommand, DeleteBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { addBlock, addLan, addNic, idOf, outside, send } from '../compute/traffic/packets.ts';
import { moveToMidMonth } from '../harness/clock.ts';
import { addCube, addDatacenter, addServer, addVolume, done, templateId } from '../harness/landscape.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { addPerson } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { type CallOptions, type Region, startRegion } from '../harness/region.ts';
import { secondContract } from '../sweep/api.ts';

const hourMs = 3_600_000;

interface Traffic {
  metadata: { unit: string };
  trafficObj?: { vdc: Exchanged[]; nic: (Exchanged & { ip: string })[] };
  trafficArr?: unknown[][];
  traffic?: string[];
}
interface Exchanged {
  vdcUUID: string;
  vdcName: string;
  dates: { Date: string; In: number; Out: number }[];
}
interface Cost {
  products: { productGroup: string; amount: { quantity: string }; perHour: { quantity: string } }[];
  perHour: { quantity: string };
}
interface Costs {
  days: { date: string; total: string }[];
  total: string;
  labels: string[];
  groups?: { key: string; count: number }[];
  resources: { count: number; rest: string; items: { name: string; amount: string }[] };
}
interface Listed {
  products: { meterId: string; unitCost: { quantity: string } }[];
}
interface Used {
  datacenters: { meters: { meterId: string; quantity: { quantity: number } }[] }[];
}

suite('billing', () => {
  let region: Region;
  let bills: string;
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-billing-'));
  before(async () => {
    region = await startRegion();
    bills = `/billing/${region.contract}`;
    await moveToMidMonth(region);
  });
  after(async () => {
    await region.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const read = async <T>(path: string, options?: CallOptions): Promise<T> => {
    const { status, body } = await region.call<T>('GET', path, undefined, options);
    assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
    return body;
  };
  const advance = (advanceMs: number) => region.call('PUT', '/lab/clock', { advanceMs });
  const statusOf = async (path: string, options?: CallOptions): Promise<number> =>
    (await region.call('GET', path, undefined, options)).status;

  test('[TOOLS-05] traffic with the internet is counted by address and day, and refused packets are not', async () => {
    const datacenter = await addDatacenter(region);
    const lan = await addLan(region, datacenter, { public: true });
    const [ip = ''] = await addBlock(region, 1);
    const nic = await addNic(region, datacenter, { lan, ips: [ip] });
    const guarded = await addNic(region, datacenter, { lan, ips: await addBlock(region, 1), firewallActive: true });
    await send(region, outside, nic.ip, { bytes: 1000 });
    await send(region, outside, nic.ip, { bytes: 500 });
    await send(region, nic.id, '203.0.113.9', { bytes: 250, count: 4 });
    await send(region, outside, guarded.ip, { bytes: 9999 });
    const all = await read<Traffic>(`${bills}/traffic`);
    const mine = all.trafficObj?.nic.find((one) => one.ip === ip);
    assert.equal(mine?.vdcUUID, idOf(datacenter));
    assert.equal(mine?.vdcName, 'a datacenter');
    assert.deepEqual(
      mine?.dates.map(({ In, Out }) => [In, Out]),
      [[1500, 1000]],
    );
    assert.equal(all.trafficObj?.nic.length, 1, 'nothing of the NIC with a firewall');
    assert.equal(all.trafficArr?.length, 2);
    assert.equal(all.traffic?.length, 2);
    const csv = await read<Traffic>(`${bills}/traffic?output=CSV&ip=${ip}`);
    assert.deepEqual(Object.keys(csv).sort(), ['metadata', 'traffic']);
    assert.equal((await read<Traffic>(`${bills}/traffic?ip=192.0.2.1&output=array`)).trafficArr?.length, 1);
  });

  test('[TOOLS-05] quantities are texts in usage and numbers in utilization, and ids are texts', async () => {
    const datacenter = await addDatacenter(region);
    const server = await addServer(region, datacenter, { cores: 2, ram: 2048 });
    await advance(hourMs);
    const of = `${bills}/utilization?dc=${idOf(datacenter)}`;
    interface Utilization {
      metadata: { contractId: unknown };
      datacenters: {
        id: string;
        meters: { resourceId: string; type: string; exists: boolean; quantity: { quantity: unknown } }[];
      }[];
    }
    const { datacenters, metadata } = await read<Utilization>(of);
    assert.equal(metadata.contractId, String(region.contract));
    assert.deepEqual(
      datacenters.map(({ id }) => id),
      [idOf(datacenter)],
    );
    for (const meter of datacenters[0]?.meters ?? []) {
      assert.equal(meter.resourceId, idOf(server));
      assert.deepEqual([meter.type, meter.exists], ['SERVER', true]);
      assert.equal(meter.quantity.quantity, 2);
    }
    assert.deepEqual((await read<{ datacenters: [] }>(`${of}&type=STORAGE`)).datacenters, []);
    const existsAfter = async (method: string, path: string): Promise<unknown> => {
      await done(region, method, path);
      await advance(hourMs);
      return new Set((await read<Utilization>(of)).datacenters[0]?.meters.map(({ exists }) => exists));
    };
    assert.deepEqual(await existsAfter('POST', `${server}/stop`), new Set([true]), 'a stopped server still exists');
    const usage = await read<{ datacenters: { meters: { quantity: { quantity: unknown } }[] }[] }>(
      `${bills}/usage/${idOf(datacenter)}`,
    );
    assert.deepEqual(
      usage.datacenters[0]?.meters.map(({ quantity }) => quantity.quantity),
      ['2', '2'],
    );
    assert.deepEqual(await existsAfter('DELETE', server), new Set([false]));
    const { products } = await read<{ products: { unitCost: { quantity: unknown }; meterId: string }[] }>(
      `${bills}/products?date=2026-01-31`,
    );
    assert.ok(products.every(({ unitCost }) => typeof unitCost.quantity === 'string'));
    assert.equal(new Set(products.map(({ meterId }) => meterId)).size, products.length);
  });

  test('[TOOLS-05] stored objects are billed by what buckets held over time', async () => {
    const s3 = s3Client(region, await makeStorageKey(region));
    await s3.send(new CreateBucketCommand({ Bucket: 'billed-bucket' }));
    await s3.send(new PutObjectCommand({ Bucket: 'billed-bucket', Key: 'a', Body: Buffer.alloc(1_000_000) }));
    for (const Bucket of ['empty-bucket', 'gone-bucket']) await s3.send(new CreateBucketCommand({ Bucket }));
    await advance(hourMs); // the sample is taken
    await s3.send(new DeleteBucketCommand({ Bucket: 'gone-bucket' }));
    await advance(24 * hourMs);
    s3.destroy();
    const used = await read<{ datacenters: { meters: { resourceId: string; exists: boolean }[] }[] }>(
      `${bills}/utilization`,
    );
    const isThere = (bucket: string): (boolean | undefined)[] =>
      used.datacenters.flatMap(({ meters }) => meters.filter((one) => one.resourceId === bucket).map((m) => m.exists));
    assert.deepEqual([...new Set(isThere('empty-bucket'))], [true], 'an empty bucket exists');
    assert.deepEqual([...new Set(isThere('gone-bucket'))], [false]);
    const { datacenters } = await read<{
      datacenters: { id: string; meters: { meterId: string; quantity: { quantity: string } }[] }[];
    }>(`${bills}/usage`);
    const meters = datacenters.find(({ id }) => id.startsWith('00000000'))?.meters ?? [];
    const stored = Number(meters.find(({ meterId }) => meterId === 'S3ST1000')?.quantity.quantity);
    const [least, most] = [24, 25.1].map((hours) => (0.001 * hours) / 720) as [number, number];
    assert.ok(stored >= least * 0.99 && stored <= most * 1.01, String(stored));
  });

  test("the console's costs equal the usage of each day at the listed prices; resources come in pages", async () => {
    const datacenter = await addDatacenter(region);
    await region.call('POST', `${datacenter}/labels`, { properties: { key: 'env', value: 'prod' } });
    for (const name of ['one', 'two']) await addServer(region, datacenter, { name, cores: 2, ram: 2048 });
    await advance(26 * hourMs);
    const { now } = (await region.call<{ now: string }>('GET', '/lab/clock')).body;
    const costs = `/console/month-costs/${region.contract}/${now.slice(0, 7)}`;
    const { days, total, labels } = await read<Costs>(costs);
    const { products } = await read<Listed>(`${bills}/products`);
    const priceOf = new Map(products.map(({ meterId, unitCost }) => [meterId, Number(unitCost.quantity)]));
    let sum = 0;
    for (const day of days.slice(-3)) {
      const { datacenters } = await read<Used>(`${bills}/utilization/daily/${day.date}`);
      const meters = datacenters.flatMap((one) => one.meters);
      const expected = meters.reduce((all, one) => all + one.quantity.quantity * (priceOf.get(one.meterId) ?? 0), 0);
      assert.ok(Math.abs(Number(day.total) - expected) < 1e-6, `${day.date}: ${day.total}, expected ${expected}`);
    }
    for (const day of days) sum += Number(day.total);
    assert.ok(Math.abs(sum - Number(total)) < 1e-6);
    assert.deepEqual(labels, ['env']);
    const group = '?product=Compute%20Engine&group=label:env';
    const prod = (await read<Costs>(costs + group)).groups?.find(({ key }) => key === 'prod');
    assert.equal(prod?.count, 2);
    const page = await read<Costs>(`${costs}${group}&within=prod&limit=1`);
    assert.deepEqual([page.resources.count, page.resources.items.length], [2, 1]);
    assert.equal(page.resources.rest, page.resources.items[0]?.amount, 'both cost the same');
    const next = await read<Costs>(`${costs}${group}&within=prod&limit=1&offset=1`);
    assert.deepEqual([...page.resources.items, ...next.resources.items].map(({ name }) => name).sort(), ['one', 'two']);
    for (const bad of ['?day=2001-01-01', '?day=x', '?group=colour', '?limit=1001', '?offset=-1'])
      assert.equal(await statusOf(costs + bad), 422, bad);
    assert.equal(await statusOf(`/console/month-costs/${region.contract}/2026-13`), 422);
    const { token } = await addPerson(region);
    assert.equal(await statusOf(costs, { token }), 403);
  });

  test('[GEN-07] only owners and administrators of the contract see bills', async () => {
    const plain = await addPerson(region);
    const admin = await addPerson(region, { administrator: true });
    const other = await secondContract(region);
    for (const path of ['usage', 'evn', 'invoices', 'products', 'cost', 'traffic', 'utilization']) {
      assert.equal(await statusOf(`${bills}/${path}`, { token: plain.token }), 403, path);
      assert.equal(await statusOf(`${bills}/${path}`, { token: other.token }), 403, path);
      assert.equal(await statusOf(`${bills}/${path}`, { token: admin.token }), 200, path);
      assert.equal(await statusOf(`${bills}/${path}`, { token: null }), 401, path);
    }
    assert.equal(await statusOf('/billing/profile', { token: plain.token }), 403);
    const month = new Date().toISOString().slice(0, 7);
    assert.deepEqual(
      await read(`/billing/invoices/${month}?contractid=${region.contract}`, { token: other.token }),
      [],
    );
    assert.equal(await statusOf('/billing/intern/ping', { token: null }), 200);
  });

  test('[GEN-05] a malformed period, date, contract or output is refused, and an unknown invoice is missing', async () => {
    for (const path of ['usage?period=2026-13', 'evn/november', 'utilization/daily/2026-02-30', 'traffic?output=xml'])
      assert.equal(await statusOf(`${bills}/${path}`), 422, path);
    assert.equal(await statusOf('/billing/12/usage'), 422);
    assert.equal(await statusOf(`${bills}/invoices/CU${region.contract}-199901`), 404);
    assert.equal(await statusOf(`${bills}/invoices/CU999-202611`), 404);
    assert.equal((await region.call('DELETE', `${bills}/invoices`)).status, 405);
  });

  test('[TOOLS-05] the rate per hour that `cost` prints equals the estimate of the same plan', async () => {
    const before = await read<Cost>(`${bills}/cost`);
    const template = await templateId(region);
    const plan = (type: string, values: object) => ({
      address: `ionoscloud_${type}.x`,
      mode: 'managed',
      type: `ionoscloud_${type}`,
      values,
    });
    const resources = [
      plan('datacenter', { name: 'x', location: 'de/txl' }),
      plan('server', { cores: 2, ram: 3072, cpu_family: 'AMD_EPYC', volume: [{ disk_type: 'HDD', size: 30 }] }),
      plan('cube_server', { template_uuid: template }),
      plan('volume', { disk_type: 'SSD Standard', size: 100 }),
      plan('ipblock', { size: 3 }),
    ];
    const file = join(folder, 'plan.json');
    const child = { resources: resources.slice(3) };
    const planned = { planned_values: { root_module: { resources: resources.slice(0, 3), child_modules: [child] } } };
    writeFileSync(file, JSON.stringify(planned));
    const env = { XDG_CONFIG_HOME: folder };
    const { stdout, code } = await cumulet(['cost', 'estimate', file, '--json', '--data', region.data], { env });
    assert.equal(code, 0);
    const estimate = JSON.parse(stdout) as { perHour: string; resources: object[]; unpriced: string[] };
    assert.equal(estimate.resources.length, 4);
    assert.deepEqual(estimate.unpriced, ['ionoscloud_datacenter.x']);
    const datacenter = await addDatacenter(region);
    await addServer(region, datacenter, { cores: 2, ram: 3072, cpuFamily: 'AMD_EPYC' });
    await addVolume(region, datacenter, { type: 'HDD', size: 30 });
    await addCube(region, datacenter);
    await addVolume(region, datacenter, { type: 'SSD Standard', size: 100 });
    await addBlock(region, 3);
    const now = await read<Cost>(`${bills}/cost`);
    const grown = Number(now.perHour.quantity) - Number(before.perHour.quantity);
    assert.ok(Math.abs(grown - Number(estimate.perHour)) < 0.0002, `${grown} ${estimate.perHour}`);
    const printed = await cumulet(['cost', '--data', region.data], { env });
    assert.match(printed.stdout, /Compute Engine\s+\d+\.\d\d\s+\d+\.\d{4}/);
    assert.match(printed.stdout, /Total\s+\d+\.\d\d\s+\d+\.\d{4}/);
  });

  test('a file that is not a plan or a price list is named with the reason', async () => {
    const file = join(folder, 'nothing.json');
    const env = { XDG_CONFIG_HOME: folder };
    for (const text of ['{}', '', 'Plan: 1 to add']) {
      writeFileSync(file, text);
      const noPlan = await cumulet(['cost', 'estimate', file, '--data', region.data], { env });
      assert.equal(noPlan.code, 2);
      assert.match(noPlan.stderr, /is not a Terraform plan.*terraform show -json/);
    }
    writeFileSync(file, '{"meters":[{"meterId":"A"}]}');
    const data = join(folder, 'data');
    const noList = await cumulet(['up', '--port', '0', '--data', data, '--prices', file], { env });
    assert.equal(noList.code, 2);
    assert.match(noList.stderr, /nothing\.json: meters\[0\]: expected/);
  });
});
