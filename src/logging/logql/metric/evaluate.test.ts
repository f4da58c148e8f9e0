// Metric queries on lines in memory.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { labelsOf } from '../label-set.ts';
import { parseQuery } from '../syntax/parse.ts';
import type { MetricExpr } from '../syntax/tree.ts';
import { type MemoryLine, MemoryReader } from '../testing.ts';
import { evaluateInstant, evaluateRange } from './evaluate.ts';

const second = 1_000_000_000n;
const start = 1_700_000_000n * second;

// A line per second for a minute in two streams: ms increases in one and decreases in the other.
const lines: MemoryLine[] = Array.from({ length: 60 }, (_, index) => [
  {
    labels: { tag: 'web' },
    timeNs: start + BigInt(index + 1) * second,
    line: `ms=${index + 1} size=1KB code=${index % 2 ? 200 : 500}`,
  },
  { labels: { tag: 'db' }, timeNs: start + BigInt(index + 1) * second, line: `ms=${60 - index} size=2KB code=200` },
]).flat();

const expr = (query: string): MetricExpr => parseQuery(query) as MetricExpr;

async function instant(query: string, atS = 60, mostSeries = 500): Promise<Record<string, number>> {
  const grid = { startNs: start + BigInt(atS) * second, stepNs: 1, count: 1 };
  const vector = await evaluateInstant(expr(query), { reader: new MemoryReader(lines), tenant: 'p', grid, mostSeries });
  return Object.fromEntries(vector.map(({ series, value }) => [Object.values(labelsOf(series)).join(' '), value]));
}

suite('at one moment', () => {
  const cases: [string, Record<string, number>][] = [
    ['count_over_time({tag=~".+"}[30s])', { web: 30, db: 30 }],
    ['rate({tag="web"}[30s])', { web: 1 }],
    ['sum(count_over_time({tag=~".+"}[10s] offset 20s))', { '': 20 }],
    ['bytes_over_time({tag="db"}[2s])', { db: 44 }],
    ['sum by (code) (count_over_time({tag=~".+"} | logfmt [1m]))', { 200: 90, 500: 30 }],
    ['sum without (ms, size, tag) (count_over_time({tag="web"} | logfmt [1m]))', { 200: 30, 500: 30 }],
    ['avg_over_time({tag="web"} | logfmt | unwrap ms [10s]) by (tag)', { web: 55.5 }],
    ['sum_over_time({tag="db"} | logfmt | keep tag, size | unwrap bytes(size) [3s])', { db: 6000 }],
    ['quantile_over_time(0.5, {tag="web"} | logfmt | unwrap ms [11s]) by (tag)', { web: 55 }],
    ['first_over_time({tag="web"} | logfmt | unwrap ms [5s]) by (tag)', { web: 56 }],
    ['last_over_time({tag="db"} | logfmt | unwrap ms [5s]) by (tag)', { db: 1 }],
    ['max(max_over_time({tag=~".+"} | logfmt | unwrap ms [5s]))', { '': 60 }],
    ['topk(1, max_over_time({tag=~".+"} | logfmt | unwrap ms [5s]) by (tag))', { web: 60 }],
    ['absent_over_time({tag="mail", x=~"y"}[1m])', { mail: 1 }],
    ['absent_over_time({tag="web"}[1m])', {}],
    [
      'count_over_time({tag=~".+"} |= "code=500" [1m]) / on () group_left sum(count_over_time({tag=~".+"}[1m]))',
      { web: 0.25 },
    ],
    ['count_over_time({tag=~".+"}[1m]) > 100', {}],
    ['count_over_time({tag=~".+"}[1m]) > bool 50 and on (tag) rate({tag="db"}[1m])', { db: 1 }],
    ['label_replace(rate({tag="web"}[1m]), "tag", "$1-x", "tag", "(.*)")', { 'web-x': 1 }],
    ['vector(2) * 3 + 1', { '': 7 }],
    ['sum(rate({tag="none"}[1m])) or vector(0)', { '': 0 }],
  ];
  for (const [query, expected] of cases)
    test(`LOG-06: ${query}`, async () => assert.deepEqual(await instant(query), expected));
});

test('LOG-06: over a range each step has its own window, which excludes its start and includes the step', async () => {
  const grid = { startNs: start, stepNs: 20e9, count: 5 };
  const rows = await evaluateRange(expr('sum(count_over_time({tag="web"}[20s]))'), {
    reader: new MemoryReader(lines),
    tenant: 'p',
    grid,
  });
  assert.equal(rows.length, 1);
  assert.deepEqual([...(rows[0]?.present ?? [])], [0, 1, 1, 1, 0]);
  assert.deepEqual([...(rows[0]?.values ?? [])], [0, 20, 20, 20, 0]);
});

test('a metric query fails on lines that cannot be converted, unless a filter removes them', async () => {
  const query = 'sum_over_time({tag="web"} | logfmt | unwrap code | code="x" [1m])';
  assert.deepEqual(await instant(query), {});
  const bad = 'avg_over_time({tag="web"} | logfmt | unwrap duration(code) [1m])';
  await assert.rejects(instant(bad), /pipeline error: 'SampleExtractionErr' for series/);
  assert.deepEqual(await instant(bad.replace(' [1m]', ' | __error__="" [1m]')), {});
});

test('a metric query has a bounded number of series', async () => {
  await assert.rejects(
    instant('count_over_time({tag="web"} | logfmt [1m])', 60, 20),
    /maximum number of series \(20\)/,
  );
});
