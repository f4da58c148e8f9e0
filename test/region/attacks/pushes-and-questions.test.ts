// Pushes of metrics, questions, rules and plain requests that are small to send and costly to judge: none blocks the
// main thread.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Sent, writeRequest } from '../../clients/promql/remote-write.ts';
import { rulesOf } from '../../harness/alerts.ts';
import { addLogPipeline, type LogPipeline, post } from '../../harness/logs.ts';
import { addPipeline, type MetricPipeline, plainText } from '../../harness/metrics.ts';
import { assertYields, type MeteredRegion, startMetered } from '../../harness/turns.ts';

const times = (count: number, one: (nth: number) => string, between = ''): string =>
  Array.from({ length: count }, (_, nth) => one(nth)).join(between);
const nested = (depth: number, open: string, inner: string, close: string): string =>
  open.repeat(depth) + inner + close.repeat(depth);

const series = (...labels: Sent['labels']): Sent => ({ labels: [['__name__', 'many'], ...labels], points: [[0, 1]] });

const manyLabels = (): Buffer => {
  const labels = Array.from({ length: 20_000 }, (_, at) => [`l${at}`, 'v'] as const);
  const one = writeRequest([series(...labels)]);
  return Buffer.concat(Array.from({ length: 20 }, () => one));
};
const manySeries = (): Buffer => writeRequest(Array.from({ length: 20_000 }, (_, nth) => series(['n', String(nth)])));

const json = 'application/json';
const protobuf = 'application/x-protobuf';
const pushes: Record<string, [type: string, path: string, body: () => string | Buffer]> = {
  'many labels': [protobuf, '/api/v1/push', manyLabels],
  'many series': [protobuf, '/api/v1/push', manySeries],
  'a line of many labels': [
    plainText['content-type'],
    '/api/v1/push',
    () => `many{${times(20_000, (at) => `l${at}="v"`, ',')}} 1\n`,
  ],
  'a long line': [plainText['content-type'], '/api/v1/push', () => 'a'.repeat(15_000_000)],
  'many empty lines': [plainText['content-type'], '/api/v1/push', () => '\n'.repeat(15_000_000)],
  'nested lists in JSON': [json, '/api/v1/push', () => '['.repeat(15_000_000)],
  'many keys in JSON': [
    json,
    '/api/v1/push',
    () => `{"metrics":[{"labels":{${times(900_000, (at) => `"l${at}":"v"`, ',')}}}]}`,
  ],
  'nested OTLP in JSON': [json, '/v1/metrics', () => nested(1_000_000, '{"resourceMetrics":[', '', ']}')],
};

const promql: Record<string, string> = {
  'nested brackets': nested(6000, '(', '1', ')'),
  'open brackets': '('.repeat(12_000),
  'nested calls': nested(2000, 'abs(', 'up', ')'),
  'many operators': times(4000, () => '1', '+'),
  'many negations': `${'-'.repeat(12_000)}1`,
  'nested subqueries': `up${'[1m:1s]'.repeat(1500)}`,
  'many matchers': `up{${times(1500, (at) => `a="${at}"`, ',')}}`,
  'a large pattern': `up{a=~"${'(a|b)'.repeat(2000)}"}`,
  'many large patterns': `up{${times(40, (at) => `a=~"[\\\\pL]{${900 + at}}"`, ',')}}`,
};
const logql: Record<string, string> = {
  'nested brackets': nested(6000, '(', '1', ')'),
  'many stages': `{tag="app"}${' | json'.repeat(2000)}`,
  'many filters': `{tag="app"}${' |= "a"'.repeat(1800)}`,
  'nested conditions': `{tag="app"} | ${nested(4000, '(', 'a="b"', ')')}`,
  'a long template': `{tag="app"} | line_format "${'{{.a}}'.repeat(2000)}"`,
  'nested templates': `{tag="app"} | line_format "${'{{if .a}}'.repeat(900)}${'{{end}}'.repeat(900)}"`,
  'a large pattern': `{tag="app"} |~ "${'(a|b)'.repeat(2000)}"`,
};

const rule = (expr: string, more = ''): string => `- alert: A\n  expr: '${expr}'\n${more}`;
const group = (rules: string): string => `name: hostile\nrules:\n${rules}`;
const ruleFiles: Record<string, string> = {
  'many rules': group(times(3000, (nth) => `- alert: A${nth}\n  expr: up == ${nth}\n`)),
  'nested brackets': group(rule(nested(20_000, '(', '1', ')'))),
  'nested lists': `name: ${'['.repeat(500_000)}`,
  'nested maps': `name: ${'{a: '.repeat(200_000)}`,
  'indented maps': times(3000, (nth) => `${' '.repeat(nth)}a:\n`).slice(0, 900_000),
  'many anchors': `a0: &a0 [x, x]\n${times(25, (nth) => `a${nth + 1}: &a${nth + 1} [*a${nth}, *a${nth}]\n`)}`,
  'many keys': times(60_000, (nth) => `k${nth}: 1\n`),
  'long templates': group(rule('up', `  annotations:\n    text: "${'{{ $labels.a }}'.repeat(20_000)}"\n`)),
  'nested templates': group(
    rule('up', `  annotations:\n    text: "${'{{ if .a }}'.repeat(9000)}${'{{ end }}'.repeat(9000)}"\n`),
  ),
  'many labels': group(rule('up', `  labels:\n${times(20_000, (nth) => `    l${nth}: v\n`)}`)),
};

const core = '/cloudapi/v6';
const long = 'a'.repeat(14_000);
const filters = times(700, (nth) => `filter.properties.name=${nth}`, '&');
const paths: Record<string, string> = {
  'a long path': `${core}/${long}`,
  'a path of many parts': `${core}${'/a'.repeat(7000)}`,
  'a path of escapes': `${core}/${'%2e%2e%2f'.repeat(1500)}`,
  'a long query': `${core}/datacenters?${'a&'.repeat(7000)}`,
  'many filters': `${core}/datacenters?${filters}`,
  'a long filter': `${core}/datacenters?filter.properties.name=${long}`,
  'a deep list': `${core}/datacenters?depth=10&limit=1000`,
  'many orders': `${core}/datacenters?${times(900, () => 'orderBy=name', '&')}`,
  'a long search': `/console/search?text=${long}`,
  'a search of many words': `/console/search?text=${'a+'.repeat(6000)}`,
  'activity of all time': '/activitylog/v1/contracts/CONTRACT?startDate=1970-01-01&limit=100000',
  'a long filter of activity': `/activitylog/v1/contracts/CONTRACT?filter=${long}`,
  'usage of all time': '/billing/CONTRACT/usage?from=1970-01-01&to=2099-01-01',
  'the utilization of all time': '/billing/CONTRACT/utilization?from=1970-01-01&to=2099-01-01',
  'zones by a long filter': `/dns/zones?filter.zoneName=${long}`,
  'requests by filters': `${core}/requests?${times(700, () => 'filter.status=DONE', '&')}`,
};

const policy = { metric: 'INSTANCE_CPU_UTILIZATION_AVERAGE', range: 'PT24H', scaleInAction: { amount: 1 } };
const bodies: Record<string, [path: string, body: string]> = {
  'an auto scaling group of many volumes': [
    '/autoscaling/v1.ea/groups',
    JSON.stringify({
      properties: {
        name: 'a',
        policy,
        replicaConfiguration: {
          volumes: Array.from({ length: 10_000 }, () => ({ name: 'v', size: 1 })),
          nics: Array.from({ length: 10_000 }, () => ({ name: 'n', lan: 1 })),
        },
      },
    }),
  ],
  'a dashboard of many panels': [
    '/monitoring/dashboards',
    JSON.stringify({ properties: { name: 'a', panels: Array.from({ length: 20_000 }, () => ({ title: 'p' })) } }),
  ],
  'a log pipeline of many streams': [
    '/logging/pipelines',
    JSON.stringify({
      properties: { name: 'a', logs: Array.from({ length: 20_000 }, (_, nth) => ({ tag: `t${nth}` })) },
    }),
  ],
  'nested lists': ['/monitoring/pipelines', '['.repeat(1_000_000)],
  'nested objects': ['/dns/zones', '{"a":'.repeat(200_000)],
  'packets for a trace': [
    '/reachability/check',
    JSON.stringify({ packets: Array.from({ length: 20_000 }, () => ({ from: '10.0.0.1', to: '10.0.0.2' })) }),
  ],
  'faults of the lab': [
    '/lab/faults',
    JSON.stringify({ faults: Array.from({ length: 20_000 }, () => ({ chance: 1 })) }),
  ],
};

suite('hostile pushes, questions and requests', () => {
  let metered: MeteredRegion;
  let metrics: MetricPipeline;
  let logs: LogPipeline;
  before(async () => {
    metered = await startMetered({ args: ['--rate-burst', '100000'] });
    const { region } = metered;
    metrics = await addPipeline(region);
    logs = await addLogPipeline(region);
    await metrics.push('up 1\n', plainText);
    await metrics.vector('up');
    await post(region, logs, '/app', { a: 1 });
    await ask('{tag="app"}');
    await region.call('POST', `${rulesOf(metrics.id)}/app`, group(rule('up')));
    for (const path of Object.values(paths)) await get(path.slice(0, 100));
    for (const [path] of Object.values(bodies)) await region.call('POST', path, '{}');
  });
  after(() => metered.region.stop());

  const isAnswered = ({ status, body }: { status: number; body: unknown }): void =>
    assert.ok(status < 500, `${status} ${JSON.stringify(body).slice(0, 300)}`);
  const get = async (path: string): Promise<void> =>
    isAnswered(await metered.region.call('GET', path.replace('CONTRACT', String(metered.region.contract))));
  const ask = async (query: string): Promise<void> => {
    const parameters = new URLSearchParams({ query, since: '1h' });
    const headers = { apikey: logs.key };
    const path = `${logs.path}/loki/api/v1/query_range?${parameters}`;
    isAnswered(await metered.region.call('GET', path, undefined, { token: null, headers }));
  };

  for (const [name, [type, path, make]] of Object.entries(pushes))
    test(`a push of metrics: ${name}`, async () => {
      const body = gzipSync(make());
      const headers = { 'content-type': type, 'content-encoding': 'gzip' };
      await assertYields(metered, name, async () => isAnswered(await metrics.push(body, headers, path)));
    });
  for (const [name, query] of Object.entries(promql))
    test(`a question in PromQL: ${name}`, () =>
      assertYields(metered, name, async () => isAnswered(await metrics.ask('query', { query }))));
  for (const [name, query] of Object.entries(logql))
    test(`a question in LogQL: ${name}`, () => assertYields(metered, name, () => ask(query)));
  for (const [name, file] of Object.entries(ruleFiles))
    test(`rules: ${name}`, () =>
      assertYields(metered, name, async () =>
        isAnswered(await metered.region.call('POST', `${rulesOf(metrics.id)}/app`, file)),
      ));
  for (const [name, path] of Object.entries(paths)) test(name, () => assertYields(metered, name, () => get(path)));
  for (const [name, [path, body]] of Object.entries(bodies))
    test(name, () =>
      assertYields(metered, name, async () => isAnswered(await metered.region.call('POST', path, body))),
    );
  test('many headers', () =>
    assertYields(metered, 'many headers', async () => {
      const headers = Object.fromEntries(Array.from({ length: 1500 }, (_, nth) => [`x-${nth}`, 'v']));
      isAnswered(await metered.region.call('GET', `${core}/datacenters`, undefined, { headers }));
    }));
});
