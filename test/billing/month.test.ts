// A month of random changes with the moved clock, compared with an independent sum in this test: the resources of each
// minute, times their price.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { seeded } from '../../src/testing/seed.ts';
import { das, done, templateId } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';

const minuteMs = 60_000;
const dayMs = 86_400_000;

interface Metered {
  meterId: string;
  quantity: { quantity: string | number; unit: string };
  amount?: { quantity: number };
}
interface Bill {
  metadata: { finallyPosted?: boolean; invoiceId?: string };
  datacenters: { id: string; name: string; meters: Metered[] }[];
  total?: { quantity: number };
}
interface EvnEntry {
  itemStub: string;
  intervalMin: number;
  intervalDivisor: number;
  value: number;
  valueDivisor: number;
}

// Meter → [price in ten-thousandths of a EUR, minutes and amount of a unit].
const prices: Record<string, [price: bigint, minutes: bigint, amount: bigint]> = {
  CORE: [331n, 60n, 1n],
  RAM: [53n, 60n, 1024n],
  CUBE: [177n, 60n, 1n],
  HDD: [401n, 43_200n, 1n],
  SSD: [1203n, 43_200n, 1n],
  IP: [50_001n, 43_200n, 1n],
};
const listed = (meterId: string, resourceType: string, kind: string, meters: string[]): object => {
  const [price, perMinutes, perAmount] = prices[meterId] ?? [0n, 1n, 1n];
  const text = `${price / 10_000n}.${String(price % 10_000n).padStart(4, '0')}`;
  const times = { perMinutes: Number(perMinutes), perAmount: Number(perAmount) };
  return {
    meterId,
    description: meterId,
    productGroup: 'All',
    resourceType,
    kind,
    meters,
    unit: '1',
    ...times,
    price: text,
  };
};
const priceList = {
  currency: 'EUR',
  meters: [
    listed('CORE', 'SERVER', 'server', ['cores AMD_EPYC', 'cores INTEL_SKYLAKE']),
    listed('RAM', 'SERVER', 'server', ['ramMb']),
    listed('CUBE', 'CUBETEMPLATE', 'server', ['cube Basic Cube XS']),
    listed('HDD', 'STORAGE', 'volume', ['hddGb']),
    listed('SSD', 'STORAGE', 'volume', ['ssdPremiumGb']),
    listed('IP', 'IP_ADDRESS', 'ipblock', ['ipv4']),
  ],
};

// The existing resources, and the sums of minutes · amount, by `datacenter meter`.
class Model {
  readonly sums = new Map<string, bigint>();
  readonly there = new Map<string, { part: string; meters: Record<string, number>; since: number }>();

  set(path: string, part: string, meters: Record<string, number> | undefined, minute: number): void {
    this.#settle(path, minute);
    if (meters) this.there.set(path, { part, meters, since: minute });
    else this.there.delete(path);
  }

  settleAll(minute: number): void {
    for (const path of this.there.keys()) this.#settle(path, minute);
  }

  #settle(path: string, minute: number): void {
    const known = this.there.get(path);
    if (!known) return;
    for (const [meter, amount] of Object.entries(known.meters)) {
      const key = `${known.part} ${meter}`;
      const sum = (this.sums.get(key) ?? 0n) + BigInt(amount) * BigInt(minute - known.since);
      if (sum > 0n) this.sums.set(key, sum);
    }
    known.since = minute;
  }

  // Rounded half up, line by line.
  cents(key: string): bigint {
    const [price, minutes, amount] = prices[key.split(' ')[1] ?? ''] ?? [0n, 1n, 1n];
    const under = minutes * amount * 10_000n;
    return ((this.sums.get(key) ?? 0n) * price * 100n * 2n + under) / (under * 2n);
  }
}

suite('billing of a month', () => {
  const chance = seeded(20_261_117);
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-prices-'));
  const model = new Model();
  let region: Region;
  let bills: string;
  let datacenters: string[];
  let cube: string;
  before(async () => {
    const file = join(folder, 'prices.json');
    writeFileSync(file, JSON.stringify(priceList));
    region = await startRegion({ args: ['--prices', file] });
    bills = `/billing/${region.contract}`;
    cube = await templateId(region);
  });
  after(async () => {
    await region.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const now = async (): Promise<number> => {
    const { body } = await region.call<{ now: string }>('GET', '/lab/clock');
    return Date.parse(body.now);
  };
  const moveTo = async (time: number): Promise<void> => {
    const { status } = await region.call('PUT', '/lab/clock', { advanceMs: time - (await now()) });
    assert.equal(status, 200);
  };
  const bill = async (path: string): Promise<Bill> => {
    const { status, body } = await region.call<Bill>('GET', `${bills}/${path}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  };

  const upTo = (most: number): number => 1 + chance.below(Math.floor(most));

  async function make(minute: number): Promise<void> {
    const datacenter = chance.one(datacenters);
    const part = datacenter.slice(datacenter.lastIndexOf('/') + 1);
    const kind = chance.below(100);
    if (kind < 55) {
      const type = chance.one(['HDD', 'SSD']);
      const size = upTo(20);
      const properties = { name: 'v', type, size, licenceType: 'OTHER' };
      const { id } = await createDone(region, `${datacenter}/volumes`, { properties });
      model.set(`${datacenter}/volumes/${id}`, part, { [type]: size }, minute);
    } else if (kind < 85) {
      const [cores, ram] = [upTo(2), 256 * upTo(8)];
      const properties = { name: 's, "x"', cores, ram, cpuFamily: chance.one(['AMD_EPYC', 'INTEL_SKYLAKE']) };
      const { id } = await createDone(region, `${datacenter}/servers`, { properties });
      model.set(`${datacenter}/servers/${id}`, part, { CORE: cores, RAM: ram }, minute);
    } else if (kind < 97) {
      const properties = { name: 'c', type: 'CUBE', templateUuid: cube };
      const { id } = await createDone(region, `${datacenter}/servers`, { properties, entities: { volumes: das } });
      model.set(`${datacenter}/servers/${id}`, part, { CUBE: 1 }, minute);
    } else {
      const properties = { location: 'de/txl', size: 1 };
      const { id } = await createDone(region, `${core}/ipblocks`, { properties });
      model.set(`${core}/ipblocks/${id}`, contractPart, { IP: 1 }, minute);
    }
  }

  async function change(minute: number, path: string): Promise<void> {
    const known = model.there.get(path);
    if (!known) return;
    const { part, meters } = known;
    const [meter = '', amount = 0] = Object.entries(meters)[0] ?? [];
    if (chance.often(30)) {
      await done(region, 'DELETE', path);
      model.set(path, part, undefined, minute);
    } else if (meter === 'HDD' || meter === 'SSD') {
      await done(region, 'PATCH', path, { size: amount + 1 });
      model.set(path, part, { [meter]: amount + 1 }, minute);
    } else if (meter === 'CUBE') {
      // Suspended Cubes are still billed. A second suspension is refused, which does not matter here.
      const { status } = await region.call('POST', `${path}/suspend`);
      assert.ok(status === 202 || status === 422, String(status));
    } else if (meter === 'CORE' && amount > 0) {
      await done(region, 'POST', `${path}/stop`);
      model.set(path, part, { CORE: 0, RAM: 0 }, minute);
    }
  }

  let month = '';
  let begin = 0;
  let end = 0;
  test('[CORE-12] [TOOLS-05] usage, utilization, EVN and invoice equal an independent sum, to the cent', async () => {
    const start = new Date(await now());
    begin = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
    end = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 2);
    month = new Date(begin).toISOString().slice(0, 7);
    await moveTo(begin + minuteMs + 5000);
    datacenters = [];
    for (let at = 0; at < 4; at++) {
      const properties = { name: `datacenter ${at}`, location: 'de/txl' };
      datacenters.push(`${core}/datacenters/${(await createDone(region, `${core}/datacenters`, { properties })).id}`);
    }
    const rounds = 50;
    for (let round = 1; round <= rounds; round++) {
      const minutes = Math.floor((end - begin) / minuteMs / (rounds + 2));
      await moveTo(begin + (round * minutes + upTo(minutes / 2)) * minuteMs + 2000);
      const minute = Math.floor((await now()) / minuteMs);
      const old = [...model.there.keys()].filter(() => chance.often(5));
      await Promise.all(old.map((path) => change(minute, path)));
      await Promise.all(Array.from({ length: 20 }, () => make(minute)));
      assert.equal(Math.floor((await now()) / minuteMs), minute, 'a round must be over within its minute');
    }
    await moveTo(end - 10 * minuteMs + 2000);
    model.settleAll(Math.floor((await now()) / minuteMs));
    assert.ok(model.there.size > 300, String(model.there.size));
    await agrees(`?period=${month}`, month);
  });

  async function agrees(query: string, period: string): Promise<void> {
    const usage = await bill(`usage${query}`);
    assert.deepEqual(keysOf(usage), [...model.sums.keys()].sort());
    for (const [key, meter] of metersOf(usage))
      assert.equal(Number(meter.quantity.quantity).toFixed(6), quantityOf(key).toFixed(6), key);
    const evn = (
      await region.call<{ datacenters: { vdcUUID: string; data: EvnEntry[] }[]; evnCSV: string[] }>(
        'GET',
        `${bills}/evn/${period}`,
      )
    ).body;
    const itemised = new Map<string, bigint>();
    for (const { vdcUUID, data } of evn.datacenters)
      for (const { itemStub, intervalMin, value } of data) {
        const key = `${vdcUUID} ${itemStub}`;
        itemised.set(key, (itemised.get(key) ?? 0n) + BigInt(intervalMin) * BigInt(value));
      }
    assert.deepEqual(itemised, new Map([...model.sums].sort()));
    assert.equal(evn.evnCSV.length, 1 + evn.datacenters.reduce((sum, { data }) => sum + data.length, 0));
    const whole = summed(await bill(`utilization/${period}`));
    const daily = new Map<string, number>();
    for (let day = begin; day < end; day += dayMs) {
      const date = new Date(day).toISOString().slice(0, 10);
      for (const [key, quantity] of summed(await bill(`utilization/daily/${date}`)))
        daily.set(key, (daily.get(key) ?? 0) + quantity);
    }
    for (const key of model.sums.keys()) {
      assert.equal(whole.get(key)?.toFixed(4), quantityOf(key).toFixed(4), key);
      assert.equal(daily.get(key)?.toFixed(4), quantityOf(key).toFixed(4), key);
    }
    const invoice = await bill(`invoices/CU${region.contract}-${period.replace('-', '')}`);
    for (const [key, { amount }] of metersOf(invoice))
      assert.equal(amount?.quantity, Number(model.cents(key)) / 100, key);
    const total = [...model.sums.keys()].reduce((sum, key) => sum + model.cents(key), 0n);
    assert.equal(invoice.total?.quantity, Number(total) / 100);
    assert.equal(invoice.metadata.finallyPosted, false);
  }

  const quantityOf = (key: string): number => {
    const [, minutes, amount] = prices[key.split(' ')[1] ?? ''] ?? [0n, 1n, 1n];
    return Number(model.sums.get(key) ?? 0n) / Number(minutes * amount);
  };

  test('[TOOLS-05] the invoice of a month is closed once and never changes, and the next one continues from there', async () => {
    model.settleAll(Math.floor(end / minuteMs));
    await moveTo(end + 6 * minuteMs + 2000);
    const id = `CU${region.contract}-${month.replace('-', '')}`;
    const closed = await bill(`invoices/${id}`);
    assert.equal(closed.metadata.finallyPosted, true);
    for (const [key, { amount }] of metersOf(closed))
      assert.equal(amount?.quantity, Number(model.cents(key)) / 100, key);
    const path = [...model.there.keys()].find((one) => one.includes('/volumes/')) ?? '';
    await done(region, 'DELETE', path);
    await region.restart();
    await moveTo(end + 3 * dayMs + 2000);
    assert.deepEqual(await bill(`invoices/${id}`), closed);
    const { body: list } = await region.call<{ invoices: { id: string; amount: number; unit: string }[] }>(
      'GET',
      `${bills}/invoices`,
    );
    assert.deepEqual(list.invoices.map((one) => one.id).includes(id), true);
    assert.equal(list.invoices.find((one) => one.id === id)?.amount, closed.total?.quantity);
    // The next month: only what still ran, from its first minute on.
    const next = new Model();
    for (const [key, { part, meters }] of model.there) {
      next.set(key, part, meters, Math.floor(end / minuteMs));
      if (key === path) next.set(key, part, undefined, Math.floor(end / minuteMs) + 6);
    }
    const until = Math.floor((await now()) / minuteMs);
    next.settleAll(until);
    const usage = await bill('usage');
    for (const [key, meter] of metersOf(usage)) {
      const [, minutes, amount] = prices[key.split(' ')[1] ?? ''] ?? [0n, 1n, 1n];
      const expected = Number(next.sums.get(key) ?? 0n) / Number(minutes * amount);
      assert.ok(Math.abs(Number(meter.quantity.quantity) - expected) <= expected * 0.001, key);
    }
  });
});

const contractPart = '00000000-0000-0000-0000-000000000000';

const metersOf = ({ datacenters }: Bill): [key: string, meter: Metered][] =>
  datacenters.flatMap(({ id, meters }) => meters.map((meter): [string, Metered] => [`${id} ${meter.meterId}`, meter]));
const keysOf = (bill: Bill): string[] =>
  metersOf(bill)
    .map(([key]) => key)
    .sort();

function summed(bill: Bill): Map<string, number> {
  const sums = new Map<string, number>();
  for (const [key, { quantity }] of metersOf(bill)) sums.set(key, (sums.get(key) ?? 0) + Number(quantity.quantity));
  return sums;
}
