// The expected results of what the test's agents push: the exporter's page, an application with the OpenTelemetry SDK,
// and one with the Python client.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Api } from './api.ts';
import { untilAnswered } from './process.ts';

// Each scrape of the exporter's page is there, in order and without repetitions, and so are the other kinds on it. Some
// agents send only the last of several scrapes at once.
export async function everyLook(api: Api, least: number, log: () => string, mayLeaveOut = false): Promise<void> {
  const looks = async (): Promise<number[]> => {
    const nowMs = Date.now();
    const found = [...(await api.samples('looks_total', nowMs - 600_000, nowMs)).values()];
    assert.ok(found.length <= 1, `${found.length} series`);
    return (found[0] ?? []).map(([, value]) => value);
  };
  // Agents push over several connections, so a later scrape may arrive first.
  let seen: number[] = [];
  await untilAnswered(`${least} looks were pushed, none is missing and none there twice`, async () => {
    seen = await looks();
    const [first = 0] = seen;
    const wanted = mayLeaveOut ? [...new Set(seen)].sort((a, b) => a - b) : seen.map((_, at) => first + at);
    return seen.length >= least && isDeepStrictEqual(seen, wanted);
  }).catch(() => assert.fail(`looks: ${seen.join(' ')}\n${log().slice(-3000)}`));
  const labels = { path: '/a\\b', quote: '"', umlaut: 'größe' };
  const [shown] = (await api.query('looks_total')).result;
  assert.deepEqual({ ...shown?.labels, ...labels }, shown?.labels);
  const nowMs = Date.now();
  const infinite = [...(await api.samples('level{at="top"}', nowMs - 600_000, nowMs)).values()];
  assert.equal(infinite[0]?.[0]?.[1], Number.POSITIVE_INFINITY);
  assert.ok((await api.query('took_seconds_bucket{le="+Inf"} / on () took_seconds_count == 1')).result.length > 0);
}

async function shownValue(api: Api, selector: string): Promise<number | undefined> {
  const { result, error } = await api.query(selector);
  assert.equal(error, undefined);
  assert.ok(result.length <= 1, `${selector}: ${result.length} series`);
  return result[0]?.points[0]?.[1];
}

async function hasValues(api: Api, values: Record<string, number>): Promise<void> {
  for (const [selector, value] of Object.entries(values))
    assert.equal(await shownValue(api, selector), value, selector);
}

async function hasTypes(api: Api, types: Record<string, string>): Promise<void> {
  const metadata = await api.ask<Record<string, { type: string }[]>>('metadata');
  for (const [name, type] of Object.entries(types)) assert.equal(metadata[name]?.[0]?.type, type, name);
}

// The export of otlp.ts, with the names that Prometheus gives it.
export async function isExported(api: Api): Promise<void> {
  const from = 'job="shop/checkout",instance="till-1"';
  await hasValues(api, {
    [`orders_total{${from},payment_method="card"}`]: 5,
    [`sent_bytes_total{${from}}`]: 1024,
    [`baskets{${from}}`]: -3,
    [`temperature_celsius{${from}}`]: 21.5,
    [`full_ratio{${from},shelf_no="7"}`]: 0.25,
    [`latency_milliseconds_bucket{${from},route="/pay",le="10"}`]: 1,
    [`latency_milliseconds_bucket{${from},route="/pay",le="100"}`]: 2,
    [`latency_milliseconds_bucket{${from},route="/pay",le="+Inf"}`]: 3,
    [`latency_milliseconds_sum{${from},route="/pay"}`]: 555,
    [`latency_milliseconds_count{${from},route="/pay"}`]: 3,
    [`target_info{${from},host_name="counter"}`]: 1,
  });
}

// The metrics of python-metrics/push.py.
export async function isExposed(api: Api): Promise<void> {
  await hasValues(api, {
    'served_total{path="/größe"}': 0.5,
    'served_total{path="/a\\"b\\\\c"}': 3,
    depth: -2.25,
    'took_seconds_bucket{le="0.1"}': 1,
    'took_seconds_bucket{le="1.0"}': 2,
    'took_seconds_bucket{le="+Inf"}': 3,
    took_seconds_sum: 5.55,
    size_bytes_count: 1,
    size_bytes_sum: 512,
    'built_info{form="text",version="1.2.3"}': 1,
    'built_info{form="openmetrics",version="1.2.3"}': 1,
  });
  await hasTypes(api, { depth: 'gauge', took_seconds: 'histogram', size_bytes: 'summary', served: 'counter' });
}
