// Pushing to a pipeline and querying it from outside: rights, formats, and the errors of rejected samples.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { body1, remoteWrite1, type Sent, snappy, writeRequest } from '../../clients/promql/remote-write.ts';
import { moveToNextHour } from '../../harness/clock.ts';
import { addPipeline, type MetricPipeline, plainText, valuesOf } from '../../harness/metrics.ts';
import { type Region, startRegion } from '../../harness/region.ts';

const second = 1000;
const now = (): number => Math.floor(performance.timeOrigin + performance.now());
const one = (name: string, value: number, time = now(), labels: [string, string][] = []): Sent => ({
  labels: [['__name__', name], ...labels],
  points: [[time, value]],
});

interface Entry {
  action: string;
  user: string;
  event: { type: string };
}

suite('a pipeline', () => {
  let region: Region;
  let pipeline: MetricPipeline;
  before(async () => {
    region = await startRegion();
    pipeline = await addPipeline(region);
  });
  after(() => region.stop());
  const fails = async (path: string, headers: Record<string, string>, method = 'POST'): Promise<number> =>
    (await region.call(method, path, 'up 1\n', { token: null, headers: { ...plainText, ...headers } })).status;

  test('without any push returns empty results', async () => {
    await using fresh = await startRegion();
    assert.deepEqual(await (await addPipeline(fresh)).vector('up'), []);
  });

  test('[METRIC-03] accepts its key as APIKEY, as a bearer token, or as the password of Basic', async () => {
    const basic = `Basic ${Buffer.from(`x:${pipeline.key}`).toString('base64')}`;
    for (const headers of [
      { APIKEY: pipeline.key },
      { Authorization: `Bearer ${pipeline.key}` },
      { Authorization: basic },
    ])
      assert.equal(await fails(`${pipeline.path}/api/v1/push`, headers), 204, JSON.stringify(headers));
  });

  test('[METRIC-03] refuses unknown callers, and the key of another pipeline of the contract with 403', async () => {
    const other = await addPipeline(region);
    const push = `${pipeline.path}/api/v1/push`;
    const query = `${pipeline.path}/api/v1/query?query=up`;
    for (const [path, method] of [
      [push, 'POST'],
      [query, 'GET'],
    ] as const) {
      assert.equal(await fails(path, {}, method), 401);
      assert.equal(await fails(path, { APIKEY: 'wrong' }, method), 401);
      assert.equal(await fails(path, { Authorization: `Bearer ${region.token}` }, method), 401);
      assert.equal(await fails(path, { APIKEY: other.key }, method), 403);
    }
    assert.equal(await fails('/monitoring/ingest/999999/api/v1/push', { APIKEY: pipeline.key }), 401);
    const { body } = await region.call('GET', query, undefined, { token: null });
    assert.equal((body as unknown as { status: string }).status, 'error');
  });

  test('[METRIC-02, METRIC-03] refuses a replaced key at once, and keeps its samples', async () => {
    const changing = await addPipeline(region);
    assert.equal((await changing.push('kept 1\n', plainText)).status, 204);
    const { body } = await region.call('POST', `/monitoring/pipelines/${changing.id}/key`, {});
    assert.equal((await changing.push('kept 2\n', plainText)).status, 401);
    const headers = { apikey: String(body.key) };
    const path = `${changing.path}/api/v1/query?query=kept`;
    const answer = await region.call('GET', path, undefined, { token: null, headers });
    assert.equal(answer.status, 200);
    assert.match(JSON.stringify(answer.body), /"kept"/);
  });

  test('[METRIC-04] accepts the text format, with its types', async () => {
    const text = `# HELP requests_total How many.
# TYPE requests_total counter
requests_total{code="200"} 17
# TYPE heat gauge
heat -3.5
# TYPE took histogram
took_bucket{le="1"} 2
took_bucket{le="+Inf"} 3
took_sum 4.5
took_count 3
# TYPE size summary
size{quantile="0.5"} 8
size_sum 16
size_count 2
`;
    assert.equal((await pipeline.push(text, plainText)).status, 204);
    assert.deepEqual(valuesOf(await pipeline.vector('requests_total + ignoring(code) heat')), { '{}': '13.5' });
    assert.deepEqual(valuesOf(await pipeline.vector('histogram_quantile(0.5, took_bucket)')), { '{}': '0.75' });
    const { body } = await pipeline.ask<Record<string, { type: string; help: string }[]>>('metadata');
    const types = ['requests_total', 'heat', 'took', 'size'].map((name) => body.data[name]?.[0]?.type);
    assert.deepEqual(types, ['counter', 'gauge', 'histogram', 'summary']);
    assert.equal(body.data.requests_total?.[0]?.help, 'How many.');
  });

  test('[METRIC-04] accepts OpenMetrics, remote write with Snappy and zstd, and JSON with Snappy', async () => {
    const open = await pipeline.push('# TYPE om counter\nom_total 5\n# EOF\n', {
      'content-type': 'application/openmetrics-text; version=1.0.0; charset=utf-8',
    });
    assert.equal(open.status, 204, open.body);
    const write = await pipeline.push(body1([one('written', 1)]), remoteWrite1);
    assert.equal(write.status, 204, write.body);
    const zstd = zstdCompressSync(writeRequest([one('by_zstd', 2)]));
    const vmagent = await pipeline.push(zstd, { ...remoteWrite1, 'Content-Encoding': 'zstd' });
    assert.equal(vmagent.status, 204, vmagent.body);
    const json = { timeseries: [{ labels: { __name__: 'by_json' }, samples: [{ value: 3, timestamp: now() }] }] };
    const packed = await pipeline.push(snappy(Buffer.from(JSON.stringify(json))), {
      'content-type': 'application/json',
      'content-encoding': 'snappy',
    });
    assert.equal(packed.status, 204, packed.body);
    const found = await pipeline.vector('{__name__=~"om_total|written|by_zstd|by_json"}');
    assert.deepEqual(found.map(({ value }) => value[1]).sort(), ['1', '2', '3', '5']);
  });

  test('accepts OTLP at the path of exporters, and answers in the type of the request', async () => {
    const at = `${now()}000000`;
    const metric = { name: 'otlp.heat', gauge: { dataPoints: [{ timeUnixNano: at, asDouble: 21.5 }] } };
    const attributes = [{ key: 'service.name', value: { stringValue: 'oven' } }];
    const sent = { resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics: [metric] }] }] };
    for (const path of ['/v1/metrics', '/otlp/v1/metrics', '/api/v1/otlp/v1/metrics']) {
      const { status, body } = await pipeline.push(JSON.stringify(sent), { 'content-type': 'application/json' }, path);
      assert.equal(status, 200, JSON.stringify(body));
    }
    const empty = await pipeline.push('', { 'content-type': 'application/x-protobuf' }, '/v1/metrics');
    assert.deepEqual([empty.status, empty.headers['content-type']], [200, 'application/x-protobuf']);
    const [heat] = await pipeline.vector('otlp_heat');
    assert.equal(heat?.metric.job, 'oven');
    assert.equal(heat?.value[1], '21.5');
  });

  test('the last push wins, in whatever order samples arrive', async () => {
    const time = now();
    const push = (value: number, at: number) => pipeline.push(body1([one('order', value, at)]), remoteWrite1);
    await push(1, time);
    await push(2, time - 30 * second);
    await push(3, time);
    const [series] = await pipeline.vector('order[1m]');
    assert.deepEqual(
      series?.values.map(([, value]) => value),
      ['2', '3'],
    );
  });

  test('reports how many samples were rejected and why, and stores the others', async () => {
    const sent = [one('good', 1), one('ancient', 1, 1000), one('early', 1, now() + 86_400_000)];
    const { status, body } = await pipeline.push(body1(sent), remoteWrite1);
    assert.equal(status, 400);
    assert.match(body, /^2 samples were rejected, 1 stored: /);
    assert.equal((await pipeline.vector('good')).length, 1);
    assert.equal((await pipeline.vector('{__name__=~"ancient|early"}')).length, 0);
  });

  test('refuses unreadable pushes with a reason, and stores nothing of them', async () => {
    const cases: [Record<string, string>, string | Uint8Array, number, RegExp][] = [
      [plainText, 'half 1\nbroken{ 2\n', 400, /line 2/],
      [remoteWrite1, Buffer.from('no snappy at all'), 400, /./],
      [{ 'content-type': 'image/png' }, 'x', 415, /image\/png/],
      [remoteWrite1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0x0f]), 413, /larger|bytes/],
    ];
    for (const [headers, sent, wanted, message] of cases) {
      const { status, body } = await pipeline.push(sent, headers);
      assert.equal(status, wanted, JSON.stringify(body));
      assert.match(String(body), message);
    }
    assert.equal((await pipeline.vector('half')).length, 0);
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`l${at}`, 'x']));
    const labels = Object.entries(many).map(([name, value]) => `${name}="${value}"`);
    const { status, body } = await pipeline.push(`wide{${labels.join(',')}} 1\n`, plainText);
    assert.equal(status, 400);
    assert.match(String(body), /labels/);
  });

  test('[METRIC-06] is reached by its host name too', async () => {
    const number = pipeline.path.split('/').at(-1);
    const host = `${number}-metrics.${region.contract}.monitoring.de-txl.ionos.com`;
    const headers = { host, apikey: pipeline.key, ...plainText };
    const pushed = await region.call('POST', '/api/v1/push', 'by_host 1\n', { token: null, headers });
    assert.equal(pushed.status, 204, JSON.stringify(pushed.body));
    const queried = await region.call('GET', '/prometheus/api/v1/query?query=by_host', undefined, {
      token: null,
      headers,
    });
    assert.match(JSON.stringify(queried.body), /by_host/);
  });

  test('[METRIC-08] is queried with its key and with a token, by GET and POST, also below /prometheus', async () => {
    await pipeline.push('asked{job="a"} 1\n', plainText);
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const own = { token: null, headers: { apikey: pipeline.key, ...form } };
    const token = { headers: form };
    for (const front of ['/api/v1', '/prometheus/api/v1'])
      for (const [path, options] of [
        [pipeline.path, own],
        [`/monitoring/pipelines/${pipeline.id}`, token],
      ] as const) {
        const get = await region.call('GET', `${path}${front}/query?query=asked`, undefined, options);
        const post = await region.call('POST', `${path}${front}/query`, 'query=asked', options);
        for (const { status, body } of [get, post]) {
          assert.equal(status, 200, JSON.stringify(body));
          assert.match(JSON.stringify(body), /"resultType":"vector".*"asked"/);
        }
        const labels = await region.call('GET', `${path}${front}/label/job/values`, undefined, options);
        assert.match(JSON.stringify(labels.body), /"a"/);
        const series = await region.call('POST', `${path}${front}/series`, 'match[]=asked', options);
        assert.match(JSON.stringify(series.body), /"job":"a"/);
        const info = await region.call('GET', `${path}${front}/status/buildinfo`, undefined, options);
        assert.match(JSON.stringify(info.body), /"version"/);
      }
    const wrong = await pipeline.ask('query', { query: 'sum(' });
    assert.equal(wrong.status, 400);
    assert.equal(wrong.body.errorType, 'bad_data');
  });

  test('is separate: samples of one pipeline do not appear in another', async () => {
    const other = await addPipeline(region);
    await pipeline.push('mine 1\n', plainText);
    assert.equal((await other.vector('mine')).length, 0);
  });

  test('counts its pushes against the limit of the contract, and they are one entry an hour in its activity log', async () => {
    await using region = await startRegion();
    await moveToNextHour(region);
    const agent = await addPipeline(region);
    const { headers } = await agent.push('agent 1\n', plainText);
    const left = Number(headers['x-ratelimit-remaining']);
    assert.ok(left >= 0, JSON.stringify(headers));
    for (let i = 0; i < 5; i++) await agent.push('agent 1\n', plainText);
    for (let i = 0; i < 2; i++)
      assert.equal((await agent.push('x', { 'content-type': 'image/png' })).status, 415, 'a refused push');
    await region.call('PUT', '/lab/clock', { advanceMs: 1100 });
    const path = `/activitylog/v1/contracts/${region.contract}?limit=1000`;
    const { body } = await region.call<{ hits: { hits: { _source: Entry }[] } }>('GET', path);
    const entries = body.hits.hits.map(({ _source }) => _source).filter(({ user }) => user.includes(agent.id));
    const logged = entries.map(({ action, event }) => `${event.type} ${action}`).sort();
    assert.deepEqual(logged, ['Error metrics_push', 'Provision metrics_push']);
  });

  test('that is deleted answers no queries, and a new one does not have its samples', async () => {
    const gone = await addPipeline(region);
    await gone.push('gone 1\n', plainText);
    assert.equal((await region.call('DELETE', `/monitoring/pipelines/${gone.id}`)).status, 202);
    assert.equal((await gone.ask('query', { query: 'gone' })).status, 401);
    assert.equal((await gone.push('gone 1\n', plainText)).status, 401);
  });

  test('keeps everything across a restart', async () => {
    await using again = await startRegion();
    const kept = await addPipeline(again);
    await kept.push('over{n="1"} 1\n', plainText);
    await again.restart();
    await kept.push('over{n="2"} 2\n', plainText);
    assert.equal((await kept.vector('over')).length, 2);
    await again.kill();
    await again.start();
    assert.equal((await kept.vector('over')).length, 2);
  });
});
