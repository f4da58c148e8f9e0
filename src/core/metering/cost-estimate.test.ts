// Estimates with amounts that have no price.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Values } from '../../base/values.ts';
import { estimateResources, type ListedPrice, plannedResource } from './cost-estimate.ts';

const kindOf: Readonly<Record<string, string>> = { 'size S': 'cluster', ssdStandardGb: 'volume' };
const price = (meter: string): ListedPrice => ({
  meterId: meter,
  meterDesc: meter,
  unitCost: { quantity: '1', unit: 'EUR' },
  countedAs: { kind: kindOf[meter] ?? 'server', meters: [meter] },
  per: { minutes: 60, amount: meter === 'ramMb' ? 1024 : 1 },
});
const prices = ['cores AMD_EPYC', 'ramMb'].map(price);
const estimate = (...servers: object[]) =>
  estimateResources(
    servers.map((values) => ({ address: 'x', type: 'server', values: { ...values } })),
    prices,
    { templates: new Map(), cpuFamily: 'AMD_EPYC' },
  );

test('[TOOLS-05] a CPU family is known in any case', () => {
  const { perHour, notes } = estimate({ cores: 2, ram: 1024, cpu_family: 'amd_epyc' });
  assert.deepEqual([perHour, notes], ['3.0000', []]);
});

test('[TOOLS-05] the estimate reports what the cost does not contain, once for each resource', () => {
  const unknown = { cores: 2, ram: 1024, cpu_family: 'Z80' };
  const { perHour, notes } = estimate(unknown, unknown);
  assert.deepEqual(
    [perHour, notes],
    ['2.0000', [{ address: 'x', note: 'The price list has no cores Z80, so the cost does not include 2 of it.' }]],
  );
  assert.deepEqual(
    [{ cores: 2 }, { ram: 1024 }].map((server) => estimate(server).notes[0]?.note),
    [
      'The amount of ramMb is unknown, so the cost does not include it.',
      'The amount of cores AMD_EPYC is unknown, so the cost does not include it.',
    ],
  );
});

test('a resource of the platform is priced as one of a plan', () => {
  const facts = { templates: new Map([['T', 'Basic Cube XS']]), cpuFamily: 'AMD_EPYC' };
  const cost = (name: string, properties: Record<string, string | number>): string | undefined => {
    const planned = plannedResource(name, properties);
    return planned && estimateResources([{ address: name, ...planned }], [...prices, cube], facts).perHour;
  };
  const cube = price('cube Basic Cube XS');
  assert.equal(cost('server', { cores: 2, ram: 2048 }), '4.0000');
  assert.equal(cost('server', { cores: Number.NaN, ram: 2048 }), '2.0000', 'a form that is not filled in yet');
  assert.equal(cost('server', { type: 'CUBE', templateUuid: 'T' }), '1.0000');
  assert.equal(cost('lan', {}), undefined);
});

test('an event stream is priced by its size, and a group by the fewest replicas that it has', () => {
  const cost = (name: string, properties: Values) => {
    const planned = plannedResource(name, properties);
    assert.ok(planned);
    const listed = [...prices, price('size S'), price('ssdStandardGb')];
    const facts = { templates: new Map<string, string>(), cpuFamily: 'AMD_EPYC' };
    const { perHour, notes } = estimateResources([{ address: name, ...planned }], listed, facts);
    return [perHour, notes.map(({ note }) => note)];
  };
  assert.deepEqual(cost('cluster', { size: 'S' }), ['1.0000', []]);
  const volumes = [{ name: 'system', type: 'SSD_STANDARD', size: 10 }];
  const group = { minReplicaCount: 2, maxReplicaCount: 5, replicaConfiguration: { cores: 1, ram: 1024, volumes } };
  assert.deepEqual(cost('autoscalinggroup', group), [
    '24.0000', // twice a core, a GB of RAM and 10 GB of storage
    ['This is the cost of 2 replicas; up to 5 cost more.'],
  ]);
  assert.deepEqual(cost('autoscalinggroup', { ...group, maxReplicaCount: 2 })[1], []);
});
