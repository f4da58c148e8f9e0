// The contract suite on limits, retention and dropped tenants.
import assert from 'node:assert/strict';
import { metricFigures } from '../figures.ts';
import type { Case } from './case.ts';
import {
  base,
  found,
  named,
  newTenant,
  type PushedSeries,
  pushed,
  pushOf,
  type Sample,
  selectionOf,
  stepMs,
  textOf,
} from './pushes.ts';

const series = (at: number, more: Record<string, string> = {}): Record<string, string> => ({
  __name__: 'limited',
  number: String(at),
  ...more,
});

export function limitsContract(test: Case): void {
  refusals(test);
  counts(test);
  ends(test);
}

function refusals(test: Case): void {
  test('an unreadable push leaves nothing behind', async (bench) => {
    const tenant = newTenant();
    const [outcome] = await bench.writer.append([textOf(tenant, 'good{a="b"} 1\nthis is not a line\n')]);
    await bench.settle();
    assert.equal(outcome?.fault?.kind, 'unreadable');
    assert.equal(outcome?.samples, 0);
    assert.deepEqual(await found(bench, selectionOf(tenant)), []);
    assert.deepEqual(await bench.reader.series([selectionOf(tenant)]), []);
  });

  test('a series with too many or too long labels is refused, other series of its push are stored', async (bench) => {
    const tenant = newTenant();
    const limits = { labels: 3, nameBytes: 10, valueBytes: 12 };
    const good: PushedSeries = [series(1), [base, 1]];
    const many: PushedSeries = [series(2, { a: '1', b: '2' }), [base, 1], [base + stepMs, 1]];
    const longName: PushedSeries = [series(3, { abcdefghijk: '1' }), [base, 1]];
    const longValue: PushedSeries = [series(4, { a: 'ä'.repeat(7) }), [base, 1]];
    const [outcome] = await bench.writer.append([pushOf(tenant, [good, many, longName, longValue], limits)]);
    await bench.settle();
    assert.deepEqual({ ...outcome, reasons: [] }, { samples: 1, rejected: 4, reasons: [] });
    assert.equal(outcome?.reasons.length, 3);
    for (const part of ['limited', '3', '10', '12']) assert.match(String(outcome?.reasons), new RegExp(part));
    assert.deepEqual(await found(bench, selectionOf(tenant)), [good]);
  });

  test('samples that are too old or in the future are refused, with the reason', async (bench) => {
    const tenant = newTenant();
    const limits = { oldestMs: base, newestMs: base + stepMs };
    const samples = [-1, 0, stepMs, stepMs + 1].map((offset): Sample => [base + offset, offset]);
    const [outcome] = await bench.writer.append([pushOf(tenant, [[series(1), ...samples]], limits)]);
    await bench.settle();
    assert.deepEqual({ ...outcome, reasons: [] }, { samples: 2, rejected: 2, reasons: [] });
    assert.match(outcome?.reasons[0] ?? '', /limited\{number="1"\}.*older/);
    assert.match(outcome?.reasons[1] ?? '', /limited\{number="1"\}.*in the future/);
    assert.deepEqual(await found(bench, selectionOf(tenant)), [[series(1), ...samples.slice(1, 3)]]);
  });
}

function counts(test: Case): void {
  test('at the limit of series known ones continue, new ones are refused', async (bench) => {
    const tenant = newTenant();
    const limits = { series: 3 };
    const push = async (from: number, to: number, step: number): Promise<unknown[]> => {
      const pushes = Array.from(
        { length: to - from },
        (_, at): PushedSeries => [series(from + at), [base + step * stepMs, at]],
      );
      const [outcome] = await bench.writer.append([pushOf(tenant, pushes, limits)]);
      return [outcome?.samples, outcome?.rejected, outcome?.fault?.kind];
    };
    assert.deepEqual(await push(0, 2, 0), [2, 0, undefined]);
    assert.deepEqual(await push(1, 5, 1), [2, 2, undefined]);
    assert.deepEqual(await push(3, 6, 2), [0, 3, 'limit']);
    assert.deepEqual(await push(0, 3, 3), [3, 0, undefined]);
    await bench.settle();
    assert.deepEqual(await bench.reader.values('number', [selectionOf(tenant)]), ['0', '1', '2']);
  });

  test('the series of all tenants of an account are limited; dropped tenants make room', async (bench) => {
    const account = newTenant();
    const [one, two, other] = [newTenant(), newTenant(), newTenant()];
    const push = async (tenant: string, count: number, of = account) => {
      const pushes = Array.from({ length: count }, (_, at): PushedSeries => [series(at), [base, at]]);
      const [outcome] = await bench.writer.append([pushOf(tenant, pushes, { accountSeries: 5 }, of)]);
      return outcome;
    };
    assert.equal((await push(one, 3))?.rejected, 0);
    const refused = await push(two, 4);
    assert.deepEqual([refused?.samples, refused?.rejected], [2, 2]);
    assert.match(String(refused?.reasons), /pipelines of the contract have 5 series/);
    assert.equal((await push(one, 4))?.rejected, 1);
    assert.equal((await push(other, 4, other))?.rejected, 0, 'another account has its own limit');
    await bench.settle();
    await bench.writer.drop(one);
    assert.equal((await push(two, 4))?.rejected, 0);
    assert.equal((await push(two, 6))?.rejected, 1);
  });

  test('the series of a refused push do not count', async (bench) => {
    const tenant = newTenant();
    const { writer } = bench;
    const limits = { series: 2 };
    const broken = textOf(tenant, 'limited{number="8"} 1\nlimited{number="9"} 1\nno line\n');
    assert.equal((await writer.append([{ ...broken, limits: { ...broken.limits, ...limits } }]))[0]?.samples, 0);
    const late = [6, 7].map((at): PushedSeries => [series(at), [base - 1, at]]);
    assert.equal((await writer.append([pushOf(tenant, late, { ...limits, oldestMs: base })]))[0]?.rejected, 2);
    const pushes = [0, 1].map((at): PushedSeries => [series(at), [base, at]]);
    const [outcome] = await writer.append([pushOf(tenant, pushes, limits)]);
    assert.deepEqual(outcome, { samples: 2, rejected: 0, reasons: [] });
    await bench.settle();
    assert.deepEqual(await bench.reader.values('number', [selectionOf(tenant)]), ['0', '1']);
  });
}

function ends(test: Case): void {
  test('a dropped tenant is empty, and a new one of the same name starts empty', async (bench) => {
    const [tenant, other] = [newTenant(), newTenant()];
    await pushed(bench, other, [[series(1), [base, 1]]]);
    await pushed(bench, tenant, [[series(1), [base, 1]]], [[series(2), [base, 2]]]);
    await bench.writer.drop(tenant);
    await bench.settle();
    assert.deepEqual(await found(bench, selectionOf(tenant)), []);
    await bench.writer.drop(tenant);
    await pushed(bench, tenant, [[series(3), [base + stepMs, 3]]]);
    assert.deepEqual(await found(bench, selectionOf(tenant)), [[series(3), [base + stepMs, 3]]]);
    assert.deepEqual(await found(bench, selectionOf(other, [named('limited')])), [[series(1), [base, 1]]]);
  });

  test('pruning keeps recent samples', async (bench) => {
    const tenant = newTenant();
    const samples = [0, 1, 2].map((at): Sample => [base + at * stepMs, at]);
    await pushed(bench, tenant, [[series(1), ...samples]]);
    await bench.writer.prune(tenant, base + stepMs);
    await bench.writer.prune(newTenant(), base);
    await bench.settle();
    const recent = { ...selectionOf(tenant), fromMs: base + stepMs };
    assert.deepEqual(await found(bench, recent), [[series(1), ...samples.slice(1)]]);
  });

  test('figures are numbers, and tidying comes to an end', async (bench) => {
    await pushed(bench, newTenant(), [[series(1), [base, 1]]]);
    for (const [name, value] of Object.entries(await bench.writer.figures()))
      assert.ok(Number.isFinite(value) && Object.hasOwn(metricFigures, name), `${name} is ${value}`);
    while (await bench.writer.tidy());
  });
}
