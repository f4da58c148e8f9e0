// Searches in log pipelines: with a key on the pipeline's own address and with a token in the management API, as
// Grafana sends them, and followed on a WebSocket.
import assert from 'node:assert/strict';
import { on, once } from 'node:events';
import { after, before, suite, test } from 'node:test';
import { WebSocket } from 'ws';
import { limits } from '../../src/testing/limits.ts';
import { addLogPipeline, type LogPipeline, logPipelines, post, search, searchAt, stream } from '../harness/logs.ts';
import { type Region, startRegion } from '../harness/region.ts';

const minuteNs = 60_000_000_000n;

interface Streams {
  status: string;
  data: {
    resultType: string;
    encodingFlags?: string[];
    result: { stream?: Record<string, string>; metric?: Record<string, string>; values: unknown[][] }[];
  };
}

suite('searches in log pipelines', () => {
  let region: Region;
  let pipeline: LogPipeline;
  let nowNs: bigint;
  before(async () => {
    region = await startRegion();
    pipeline = await addLogPipeline(region, [stream('web'), stream('jobs')]);
    nowNs = BigInt(Date.now()) * 1_000_000n;
    const line = (index: number): [string, string] => [
      String(nowNs - 10n * minuteNs + BigInt(index) * 1_000_000_000n),
      `level=${index % 5 === 0 ? 'error' : 'info'} took=${index}ms n=${index}`,
    ];
    const streams = ['web', 'jobs'].map((tag) => ({
      stream: { tag },
      values: Array.from({ length: 100 }, (_, index) => line(index + (tag === 'web' ? 0 : 100))),
    }));
    const pushed = await post(region, pipeline, '/loki/api/v1/push', { streams });
    assert.equal(pushed.status, 204, String(pushed.body));
  });
  after(() => region.stop());

  const ask = (path: string, parameters: Record<string, string> = {}, headers: Record<string, string> = {}) =>
    region.call<Streams>('GET', `${pipeline.path}/loki/api/v1/${path}?${new URLSearchParams(parameters)}`, undefined, {
      token: null,
      headers: { apikey: pipeline.key, ...headers },
    });

  test('[LOG-06] lines are found by time, tag, field and text, with the labels of their stream', async () => {
    const errors = await search(region, pipeline, '{tag="web"} |= "level=error"');
    assert.equal(errors.length, 20);
    const { tag, source, pipeline: name } = errors[0]?.labels ?? {};
    assert.deepEqual([tag, source, name], ['web', 'generic', pipeline.id]);
    assert.equal((await search(region, pipeline, '{tag=~"web|jobs"} | logfmt | n >= 95 | took < 105ms')).length, 10);
    const since = { start: String(nowNs - 10n * minuteNs), end: String(nowNs - 10n * minuteNs + 5_000_000_000n) };
    assert.equal((await search(region, pipeline, '{tag="web"}', since)).length, 5);
  });

  test('[LOG-06] with a token in the management API, and not without', async () => {
    const path = `${logPipelines}/${pipeline.id}`;
    assert.equal((await searchAt(region, path, '{tag="jobs"}')).length, 100);
    const query = `loki/api/v1/query_range?${new URLSearchParams({ query: '{tag="jobs"}' })}`;
    const status = async (at: string, headers: Record<string, string>): Promise<number> =>
      (await region.call('GET', `${at}/${query}`, undefined, { token: null, headers })).status;
    assert.equal(await status(pipeline.path, { authorization: `Bearer ${pipeline.key}` }), 200);
    assert.equal(await status(pipeline.path, { apikey: `${pipeline.key}x` }), 401);
    assert.equal(await status(pipeline.path, {}), 401);
    assert.equal(await status(path, { apikey: pipeline.key }), 401);
  });

  test("[LOG-06] Grafana's data source: health, labels, histogram, lines with separate labels, a form", async () => {
    assert.equal((await ask('query', { query: 'vector(1)+vector(1)', time: '4000000000' })).status, 200);
    assert.equal((await ask('status/buildinfo')).status, 200);
    const range = { start: String(nowNs - 15n * minuteNs), end: String(nowNs) };
    const { body: labels } = await ask('labels', range);
    assert.ok(['tag', 'source', 'pipeline'].every((name) => (labels.data as unknown as string[]).includes(name)));
    assert.deepEqual((await ask('label/tag/values', range)).body.data, ['jobs', 'web']);
    const { body: volume } = await ask('query_range', {
      ...range,
      query: 'sum by (level) (count_over_time({tag="web"} | logfmt | drop __error__[15m]))',
      step: '900',
    });
    const last = volume.data.result.map(({ metric, values }) => [metric?.level, values.at(-1)?.[1]]);
    assert.deepEqual(last, [
      ['error', '20'],
      ['info', '80'],
    ]);
    const headers = { 'x-loki-response-encoding-flags': 'categorize-labels' };
    const { body: lines } = await ask('query_range', { ...range, query: '{tag="web"} | logfmt', limit: '1' }, headers);
    assert.deepEqual(lines.data.encodingFlags, ['categorize-labels']);
    assert.deepEqual(lines.data.result[0]?.values[0]?.[2], { parsed: { level: 'info', n: '99', took: '99ms' } });
    assert.equal(lines.data.result[0]?.stream?.level, undefined);
    const form = new URLSearchParams({ ...range, query: '{tag="web"}', limit: '3' });
    const posted = await region.call<Streams>('POST', `${pipeline.path}/loki/api/v1/query_range`, String(form), {
      token: null,
      headers: { apikey: pipeline.key, 'content-type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(posted.body.data.result[0]?.values.length, 3);
  });

  test('[LOG-06] an invalid query is 400 in plain text, with the position', async () => {
    const { status, body, headers } = await ask('query_range', { query: '{tag="web"} |= ' });
    assert.equal(status, 400);
    assert.match(headers['content-type'] ?? '', /^text\/plain/);
    assert.match(String(body), /^parse error at line 1, col 16: syntax error: unexpected \$end/);
    const wide = await ask('query_range', { query: '{tag="web"}', since: '31d', step: '1h' });
    assert.equal(wide.status, 400);
    assert.match(String(wide.body), /exceeds the limit \(query length: 744h, limit: 30d\)/);
  });

  test('[LOG-06] a tail sends the newest lines, then new and late ones, each once', async () => {
    const query = new URLSearchParams({ query: '{tag="web"} |= "took"', limit: '2' });
    const address = `${region.url.replace(/^http/, 'ws')}${pipeline.path}/loki/api/v1/tail?${query}`;
    const socket = new WebSocket(address, { headers: { authorization: `Bearer ${pipeline.key}` } });
    // Listens from now on, so that no early message is missed.
    const messages = on(socket, 'message', { signal: AbortSignal.timeout(limits.request) }); // deadline
    const next = async (): Promise<string[]> => {
      const [data] = (await messages.next()).value as [Buffer];
      const { streams } = JSON.parse(String(data)) as { streams: { values: [string, string][] }[] };
      return streams.flatMap(({ values }) => values.map(([, line]) => line));
    };
    const send = (times: bigint[]): Promise<unknown> =>
      post(region, pipeline, '/loki/api/v1/push', {
        streams: [{ stream: { tag: 'web' }, values: times.map((time) => [String(time), `took ${time}`]) }],
      });
    try {
      assert.deepEqual(await next(), ['level=info took=98ms n=98', 'level=info took=99ms n=99']);
      const first = BigInt(Date.now()) * 1_000_000n;
      await send([first]);
      assert.deepEqual(await next(), [`took ${first}`]);
      const second = BigInt(Date.now()) * 1_000_000n;
      await send([first + 1n, second]);
      assert.deepEqual(await next(), [`took ${first + 1n}`, `took ${second}`]);
    } finally {
      socket.terminate();
    }
    const wrong = new WebSocket(address.replace(/query=[^&]*/, 'query=%7B'), { headers: { apikey: pipeline.key } });
    const signal = AbortSignal.timeout(10_000); // deadline
    const [code, reason] = (await once(wrong, 'close', { signal })) as [number, Buffer];
    assert.equal(code, 1008);
    assert.match(String(reason), /^parse error/);
  });

  test('[LOG-02] a tail ends when its key is changed', async () => {
    const own = await addLogPipeline(region);
    const address = `${region.url.replace(/^http/, 'ws')}${own.path}/loki/api/v1/tail?query=%7Btag%3D%22app%22%7D`;
    const socket = new WebSocket(address, { headers: { apikey: own.key } });
    await once(socket, 'open', { signal: AbortSignal.timeout(10_000) }); // deadline
    const { status } = await region.call('POST', `${logPipelines}/${own.id}/key`);
    assert.ok(status < 300);
    const [code] = (await once(socket, 'close', { signal: AbortSignal.timeout(10_000) })) as [number]; // deadline
    assert.equal(code, 1008);
  });
});
