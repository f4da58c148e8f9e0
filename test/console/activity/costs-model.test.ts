// The models of the costs and limits pages.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { scaleTo } from '../../../console/components/bar-axis.ts';
import type { Cost, Price } from '../../../console/costs/billing-api.ts';
import { costBy } from '../../../console/costs/cost-by-prices.ts';
import {
  amountOf,
  amountText,
  costText,
  csvOf,
  fitted,
  forecastOf,
  groupingsOf,
  moneyText,
  placesFor,
  productsOf,
  spentText,
  totalOf,
  useText,
} from '../../../console/costs/costs-model.ts';
import { limitsOf, shareText, size } from '../../../console/limits/limits-model.ts';

suite('costs in the console', () => {
  test('products have the sums of their days, the most expensive first, and any label can group costs', () => {
    const days = [
      { date: '2026-11-17', products: { Storage: '0.0100000000', Compute: '2.5200000000' }, total: '2.5300000000' },
      { date: '2026-11-18', products: { Compute: '2.5200000000' }, total: '2.5200000000' },
    ];
    assert.deepEqual(
      productsOf(days).map(({ product, total }) => [product, amountText(total)]),
      [
        ['Compute', '5.04'],
        ['Storage', '0.01'],
      ],
    );
    assert.equal(amountText(totalOf(days), 4), '5.0500');
    assert.deepEqual(groupingsOf(['env']).at(-1), ['label:env', 'Label env']);
  });

  test('a download for spreadsheets quotes names, and none is a formula', () => {
    const uses = [{ meter: '1 GB RAM', unit: '1G*hour', quantity: 2 }];
    const place = { kind: 'server', datacenter: { id: 'D', name: 'shop' }, product: 'Compute', exists: true, uses };
    const found = ['a "b"', '=SUM(A1)'].map((name) => ({ ...place, id: name, name, amount: '0.5000000000' }));
    assert.deepEqual(csvOf(found, 'EUR').split('\r\n'), [
      '"Resource","Kind","Datacenter","Product","Used","Cost in EUR"',
      '"a ""b""","server","shop","Compute","1 GB RAM × 2 hours",0.5000000000',
      `"'=SUM(A1)","server","shop","Compute","1 GB RAM × 2 hours",0.5000000000`,
      '',
    ]);
  });

  test('the axis of the chart has round values up to the highest bar', () => {
    assert.deepEqual(scaleTo(2.52), [0, 1, 2, 3]);
    assert.deepEqual(scaleTo(0.0447), [0, 0.02, 0.04, 0.06]);
    assert.deepEqual(scaleTo(1000), [0, 250, 500, 750, 1000]);
    assert.deepEqual(scaleTo(0), [0]);
  });

  test('small amounts are shown in hundredths of cents, and parts add up to their sum', () => {
    const parts = [0.0149, 0.0149, 0.0149].map((one) => amountOf(String(one)));
    const sum = parts.reduce((all, one) => all + one, 0n);
    assert.deepEqual([placesFor(sum), costText(sum, placesFor(sum))], [4, '0.0447']);
    assert.deepEqual(
      fitted(parts, 2).map((one) => amountText(one)),
      ['0.02', '0.01', '0.01'],
    );
    assert.equal(placesFor(amountOf('1')), 2);
    assert.deepEqual([costText(amountOf('0.004'), 2), costText(0n, 2)], ['under 0.01', '0.00']);
  });

  test('the use of a resource is shown as a time, an amount or a number of pieces', () => {
    const meters = [
      ['1 GB RAM', '1G*hour', 0.1333333333],
      ['NAT gateway', '1hour', 1],
      ['1 GB HDD', '1G*30Days', 0.5],
      ['1 reserved IPv4 address', '30Days', 0.0000001],
      ['1 GB outgoing traffic', '1G', 0.25],
      ['1000 requests', '1000', 1.234],
      ['1M input tokens llama', '1M', 0.000042],
      ['1 image FLUX', '1', 3],
    ] as const;
    assert.deepEqual(
      meters.map(([meter, unit, quantity]) => useText({ meter, unit, quantity })),
      [
        '1 GB RAM × 8 minutes',
        'NAT gateway × 1 hour',
        '1 GB HDD × 15 days',
        '1 reserved IPv4 address × under 1 minute',
        '0.25 GB outgoing traffic',
        '1,234 requests',
        '42 input tokens llama',
        '3 × 1 image FLUX',
      ],
    );
  });

  test('money is shown with separators and unit', () => {
    assert.equal(moneyText(amountOf('1234567.894'), 'EUR'), '1,234,567.89 EUR');
    assert.equal(moneyText(amountOf('999.5'), 'EUR'), '999.50 EUR');
    assert.equal(moneyText(amountOf('0.0483'), 'EUR', 4), '0.0483 EUR');
    const money = (quantity: string) => ({ quantity, unit: 'EUR' });
    assert.equal(spentText(money('0.00'), money('0.0012')), 'under 0.01 EUR', 'it runs');
    assert.equal(spentText(money('0.00'), money('0.0000')), '0.00 EUR');
    assert.equal(spentText(money('12.30'), money('0.0012')), '12.30 EUR');
  });

  test('the forecast adds what runs now until the end of the month', () => {
    const money = (quantity: string) => ({ quantity, unit: 'EUR' });
    const cost: Cost = {
      metadata: { period: '2026-12' },
      products: [],
      total: money('10.00'),
      perHour: money('0.5000'),
    };
    assert.equal(amountText(forecastOf(cost, Date.UTC(2026, 11, 31, 14))), '15.00');
    assert.equal(amountText(forecastOf(cost, Date.UTC(2027, 0, 2))), '10.00', 'a month that is over');
  });

  test('a form shows the cost, or none without a price', () => {
    const facts = { templates: new Map(), cpuFamily: 'X' };
    const cores: Price[] = [
      {
        ...{ meterId: 'core', meterDesc: '1 core', productGroup: 'Compute', unit: '1hour' },
        ...{ unitCost: { quantity: '0.0400', unit: 'EUR' }, per: { minutes: 60, amount: 1 } },
        countedAs: { kind: 'server', meters: ['cores X'] },
      },
    ];
    const server = { address: 's', type: 'server', values: { cores: 2, ram: 0 } };
    const cost = costBy({ prices: cores, facts }, server);
    assert.deepEqual([cost?.perHour, cost?.perMonth, cost?.currency], ['0.0800', '57.60', 'EUR']);
    assert.equal(costBy({ prices: [], facts }, server), undefined);
  });
});

suite('limits in the console', () => {
  test('usage of limits, and limits that are nearly reached', () => {
    const limits = limitsOf({
      coresProvisioned: 3400,
      coresPerContract: 4000,
      ramProvisioned: 51_200,
      ramPerContract: 51_200,
      nlbProvisioned: 0,
      nlbLimitTotal: 100,
    });
    assert.deepEqual(
      limits.map(({ title, used: has, most, look }) => [title, has, most, look]),
      [
        ['Cores', '3,400', '4,000', 'near'],
        ['Memory', '50 GB', '50 GB', 'full'],
        ['Network load balancers', '0', '100', ''],
      ],
    );
    assert.deepEqual(
      [size(512), size(16_384_000), shareText(0.0001), shareText(0.25)],
      ['512 MB', '15.6 TB', 'under 0.1 %', '25 %'],
    );
  });
});
