// Costs of resources by product and day, from a ledger.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { fixedText } from '../../base/decimal.ts';
import type { Ledger, Stay } from '../ledger/ledger.ts';
import { dayMs, minuteMs, monthOf } from '../period.ts';
import { type Price, PriceList } from '../prices/price-list.ts';
import { groupKeyOf, groupsOf } from './cost-groups.ts';
import { amountOf, places, productsOf, resourceCostsOf, usesOf } from './resource-costs.ts';

const price = (meterId: string, productGroup: string, text: string, kind = 'server'): Price => ({
  ...{ meterId, description: `1 ${meterId}`, productGroup, resourceType: 'SERVER', kind, meters: [meterId] },
  ...{ unit: '1hour', perMinutes: 60, perAmount: 1, price: text },
});
const prices = new PriceList('EUR', [
  price('core', 'Compute', '0.0400'),
  price('ram', 'Compute', '0.0050'),
  price('gb', 'Storage', '0.1', 'volume'),
]);
const month = monthOf('2026-11');

// Hours from the beginning of the month.
const stay = (path: string, kind: string, meter: string, amount: number, from: number, to: number): Stay => ({
  ...{ path, kind, name: path.slice(-1), meter, amount, minutes: (to - from) * 60 },
  ...{ from: month.from + from * 60 * minuteMs, to: month.from + to * 60 * minuteMs },
});
const ledger: Ledger = {
  stays: [
    stay('datacenters/D/servers/a', 'server', 'core', 2, 12, 60),
    stay('datacenters/D/servers/a', 'server', 'ram', 1, 12, 60),
    stay('datacenters/D/volumes/v', 'volume', 'gb', 1, 0, 1),
    stay('datacenters/E/servers/b', 'server', 'core', 1, 24, 27),
  ],
  uses: [],
  places: new Map([['D', { name: 'shop', location: 'de/fra' }]]),
  running: new Map(),
  removed: new Set(['datacenters/E/servers/b']),
};
const costs = resourceCostsOf(ledger, prices, month);
const shown = (amount: bigint): string => fixedText(amount, places, 2);

suite('costs of resources', () => {
  test('each has the exact costs of the month and of its days', () => {
    const [a, v, b] = costs;
    assert.ok(a && v && b);
    assert.deepEqual([a.name, a.datacenter.name, a.product, a.exists], ['a', 'shop', 'Compute', true]);
    assert.deepEqual([b.datacenter.name, b.exists], ['E', false]);
    const days = [0, 1, 2, 3].map((day) => shown(amountOf(a, day)));
    assert.deepEqual(days, ['1.02', '2.04', '1.02', '0.00']);
    assert.equal(shown(amountOf(a)), '4.08');
    assert.deepEqual(
      usesOf(a, 1).map(({ meter, quantity }) => [meter, quantity]),
      [
        ['1 core', 48],
        ['1 ram', 24],
      ],
    );
    assert.deepEqual(usesOf(a, 5), []);
    assert.equal(a.sums.values().next().value?.length, (month.to - month.from) / dayMs);
  });

  test('products have the sums of their resources', () => {
    const products = [...productsOf(costs)].map(([product, sums]) => [product, shown(amountOf({ sums }))]);
    assert.deepEqual(products, [
      ['Compute', '4.20'],
      ['Storage', '0.10'],
    ]);
  });

  test('groups are kinds, datacenters or values of a label; a resource has the label of its datacenter', () => {
    const labels = [
      { key: 'env', value: 'prod', resourceId: 'D' },
      { key: 'env', value: 'test', resourceId: 'v' },
      { key: 'team', value: 'shop', resourceId: 'a' },
    ];
    const all = costs.map((one) => ({ ...one, amount: amountOf(one) }));
    const by = (grouping: string) =>
      groupsOf(all, grouping, groupKeyOf(grouping, labels)).map(({ title, count, amount }) => [
        title,
        count,
        shown(amount),
      ]);
    assert.deepEqual(by('kind'), [
      ['server', 2, '4.20'],
      ['volume', 1, '0.10'],
    ]);
    assert.deepEqual(by('datacenter'), [
      ['shop', 2, '4.18'],
      ['E', 1, '0.12'],
    ]);
    assert.deepEqual(by('label:env'), [
      ['prod', 1, '4.08'],
      ['', 1, '0.12'],
      ['test', 1, '0.10'],
    ]);
  });
});
