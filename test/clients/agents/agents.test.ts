// Agents, configured as in their documentation, each with a fresh region: queries return what they sent.
// Prometheus itself is in restart.test.ts. Grafana's agent pushes with Prometheus' own code and the header
// that Prometheus 3 has there.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { zstdCompressSync } from 'node:zlib';
import { freePort } from '../../../src/testing/free-port.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { type Absent, type Found, find } from '../install.ts';
import { body1, remoteWrite1, type Sent, writeRequest } from '../promql/remote-write.ts';
import { sameSamples } from '../promql/sameness.ts';
import { mustRun, workFolder } from '../run.ts';
import { type Api, keyOf } from './api.ts';
import { everyLook, isExported, isExposed } from './expected.ts';
import { openExporter } from './exporter.ts';
import { exportOnce, type OtlpTarget } from './otlp.ts';
import { openPipeline, type Pipeline } from './pipeline.ts';
import { startAgent, untilAnswered } from './process.ts';
import { collector, prometheus3, promtool, promtool3, telegraf, vmagent } from './programs.ts';
import { startPrometheus } from './prometheus.ts';
import { pushOnce, pythonClient } from './python.ts';
import { collectorSettings, scraping, telegrafSettings } from './settings.ts';

const python = find('CUMULET_PYTHON', 'python3');

suite('metric agents', () => {
  agent('vmagent', vmagent, async (t, program, { pipeline }) => {
    await using exporter = await openExporter();
    const folder = workFolder(t);
    writeFileSync(join(folder, 'scrape.yml'), scraping(exporter.address));
    await using vm = startAgent([
      program,
      `-promscrape.config=${join(folder, 'scrape.yml')}`,
      `-remoteWrite.url=${pipeline.endpoint}/api/v1/push`,
      `-remoteWrite.bearerToken=${pipeline.key}`,
      `-remoteWrite.tmpDataPath=${join(folder, 'queue')}`,
      `-httpListenAddr=127.0.0.1:${await freePort()}`,
    ]);
    await everyLook(pipeline.api, 10, vm.log);
  });

  agent('promtool push metrics', promtool3, async (t, program, { pipeline }) => {
    const file = join(workFolder(t), 'page.prom');
    writeFileSync(file, '# HELP pushed_total Pushed.\n# TYPE pushed_total counter\npushed_total{by="hand"} 42\n');
    const how = ['--remote-write.path=/api/v1/push', `--header=APIKEY=${pipeline.key}`, '--label=job=cron'];
    await mustRun([program, 'push', 'metrics', ...how, pipeline.endpoint, file]);
    const { result } = await pipeline.api.query('pushed_total');
    assert.deepEqual(
      result.map(({ labels, points }) => [labels, points[0]?.[1]]),
      [[{ __name__: 'pushed_total', by: 'hand', job: 'cron' }, 42]],
    );
  });

  for (const form of ['protobuf', 'json'] as const) {
    for (const path of ['/v1/metrics', '/otlp/v1/metrics'])
      test(`[METRIC-05] OpenTelemetry exports OTLP as ${form} to ${path}`, async () => {
        await using region = await startRegion();
        const pipeline = await openPipeline(region, 'otlp');
        await exportOnce(otlp(pipeline, form, path));
        await isExported(pipeline.api);
      });
  }

  agent('OpenTelemetry, as Prometheus translates it', prometheus3, async (_, program, { pipeline }) => {
    await using theirs = await startPrometheus({ program, args: ['--web.enable-otlp-receiver'] });
    const url = `${theirs.url}/api/v1/otlp/v1/metrics`;
    const beforeMs = Date.now() - 1000;
    await exportOnce(otlp(pipeline, 'protobuf', '/v1/metrics'), { url, headers: {}, form: 'protobuf' });
    const afterMs = Date.now() + 1000;
    const all = (api: Api) => api.samples('{__name__!=""}', beforeMs, afterMs);
    assert.ok(sameSamples(await all(pipeline.api), await all(theirs.api)) >= 10);
  });

  agent(
    'prometheus_client',
    async () => python,
    async (_, program, { pipeline }) => {
      const interpreter = await pythonClient(program);
      const target = { url: `${pipeline.endpoint}/api/v1/push`, key: pipeline.key, header: 'APIKEY' };
      const pushed = await pushOnce(interpreter, target);
      assert.deepEqual(
        pushed.map(({ form, status }) => [form, status < 300]),
        [
          ['text', true],
          ['openmetrics', true],
        ],
      );
      await isExposed(pipeline.api);
    },
  );

  agent('OpenTelemetry collector', collector, async (t, program, { pipeline }) => {
    const file = join(workFolder(t), 'collector.yml');
    writeFileSync(file, collectorSettings(pipeline));
    await using running = startAgent([program, `--config=${file}`]);
    await everyLook(pipeline.api, 5, running.log);
  });

  agent('Telegraf', telegraf, async (t, program, { pipeline }) => {
    await using exporter = await openExporter();
    const file = join(workFolder(t), 'telegraf.conf');
    writeFileSync(file, telegrafSettings(exporter.address, pipeline));
    await using running = startAgent([program, file]);
    await everyLook(pipeline.api, 5, running.log, true);
  });

  // These agents are in no available registry, so their pushes are built here. Fluent Bit's prometheus_remote_write has
  // labels in the order in which they were added, the metric's name first; newer vmagents compress with zstd.
  const shapes = {
    'Fluent Bit': { agent: 'Fluent-Bit', coding: 'snappy', body: body1 },
    vmagent: { agent: 'vmagent', coding: 'zstd', body: (series: Sent[]) => zstdCompressSync(writeRequest(series)) },
  };
  for (const [name, shape] of Object.entries(shapes))
    test(`[METRIC-05] [METRIC-03] a push in the shape of ${name}’s`, async () => {
      await using region = await startRegion();
      const pipeline = await openPipeline(region, 'shape');
      const timeMs = Date.now();
      const labels = [
        ['__name__', 'node_cpu_seconds_total'],
        ['mode', 'idle'],
        ['cpu', '0'],
        ['app', 'agent'],
      ] as const;
      const series: Sent[] = [{ labels, points: [[timeMs, 12.5]] }];
      const headers = { ...remoteWrite1, 'User-Agent': shape.agent, 'Content-Encoding': shape.coding };
      const credentials = { Authorization: `Bearer ${pipeline.key}` };
      const { status, text } = await pipeline.push(shape.body(series), headers, credentials);
      assert.ok(status < 300, `${status} ${text}`);
      const found = await pipeline.api.samples('node_cpu_seconds_total{app="agent"}', timeMs - 1, timeMs);
      assert.deepEqual([...found], [[keyOf(Object.fromEntries(labels)), [[timeMs, 12.5]]]]);
    });
});

suite('metric readers', () => {
  // The query of KEDA's scaler `ionos-monitoring`: one element, its value a text; no result counts as zero.
  test('[METRIC-08] the question of KEDA’s scaler', async () => {
    await using region = await startRegion();
    const pipeline = await openPipeline(region, 'keda');
    await pushed(pipeline, { queue_length: { a: 7, b: 4 } });
    const ask = async (query: string): Promise<unknown> => {
      const time = `${new Date().toISOString().slice(0, 19)}Z`;
      const url = `${pipeline.endpoint}/prometheus/api/v1/query?${new URLSearchParams({ query, time })}`;
      const response = await fetch(url, { headers: { Authorization: `Bearer ${pipeline.key}` } });
      assert.equal(response.status, 200);
      return response.json();
    };
    // The scaler cuts off the fraction of a second, so it sees a recent push a second later.
    const sum = await untilAnswered('the push can be asked for', async () => {
      const answer = (await ask('sum(queue_length)')) as { data: { result: { value: [number, string] }[] } };
      return answer.data.result.length > 0 && answer;
    });
    assert.equal(sum.data.result.length, 1);
    assert.equal(sum.data.result[0]?.value[1], '11');
    assert.deepEqual(await ask('sum(nothing)'), { status: 'success', data: { resultType: 'vector', result: [] } });
  });

  // Debian's version does not support files with credentials, but takes them from the address: the key is the password.
  agent('promtool query', promtool, async (_, program, { pipeline }) => {
    const server = new URL(pipeline.endpoint);
    Object.assign(server, { username: 'key', password: pipeline.key });
    await answersPromtool(pipeline, server.href, (kind, ...rest) => [program, 'query', kind, ...rest]);
  });

  agent('promtool query, version 3', promtool3, async (t, program, { pipeline }) => {
    const settings = join(workFolder(t), 'http.yml');
    writeFileSync(settings, JSON.stringify({ authorization: { credentials: pipeline.key } }));
    const file = `--http.config.file=${settings}`;
    await answersPromtool(pipeline, pipeline.endpoint, (kind, ...rest) => [program, 'query', file, kind, ...rest]);
  });
});

async function answersPromtool(
  pipeline: Pipeline,
  server: string,
  command: (kind: string, ...rest: string[]) => string[],
): Promise<void> {
  await pushed(pipeline, { depth: { a: 1.5 } });
  const query = async (kind: string, ...rest: string[]): Promise<string> =>
    (await mustRun(command(kind, ...rest))).stdout.trim();
  assert.match(await query('instant', server, 'depth * 2'), /^\{at="a"\} => 3 @/);
  assert.match(await query('range', '--step=1s', server, 'depth'), /depth\{at="a"\} =>\n1\.5 @/);
  assert.equal(await query('series', '--match=depth', server), '{__name__="depth", at="a"}');
  assert.equal(await query('labels', server, 'at'), 'a');
}

// Gauges with their current values, with a label `at`.
async function pushed(pipeline: Pipeline, gauges: Record<string, Record<string, number>>): Promise<void> {
  const series = Object.entries(gauges).flatMap(([name, values]) =>
    Object.entries(values).map(([at, value]): Sent => {
      const labels = [['__name__', name] as const, ['at', at] as const];
      return { labels, points: [[Date.now(), value]] };
    }),
  );
  const { status, text } = await pipeline.push(body1(series), remoteWrite1);
  assert.ok(status < 300, `${status} ${text}`);
}

interface Place {
  region: Region;
  pipeline: Pipeline;
}

function agent(
  name: string,
  finding: () => Promise<Found | Absent>,
  use: (t: TestContext, program: string, place: Place) => Promise<void>,
): void {
  const ids = name.startsWith('promtool query') ? '[METRIC-08]' : '[METRIC-05]';
  test(`${ids} ${name}`, async (t) => {
    const program = await finding();
    if (!program.path) {
      t.skip(program.skip);
      return;
    }
    await using region = await startRegion();
    await use(t, program.path, { region, pipeline: await openPipeline(region, 'agent') });
  });
}

const otlp = ({ endpoint, key }: Pipeline, form: OtlpTarget['form'], path: string): OtlpTarget => ({
  url: endpoint + path,
  headers: { APIKEY: key },
  form,
});
