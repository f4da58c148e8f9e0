// A fuzzer (PyPI `schemathesis`) driven by the region's own OpenAPI documents: no 5xx, and no answer that differs from
// its document in status, type or schema. More of it with --full.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, type TestContext, test } from 'node:test';
import { byUuid } from '../../src/testing/black-box/declarations.ts';
import { limits } from '../../src/testing/limits.ts';
import { isFull } from '../../src/testing/seed.ts';
import { addLogPipeline } from '../harness/logs.ts';
import { addPipeline } from '../harness/metrics.ts';
import { core } from '../harness/people.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { idsIn, type Operation, operationsOf, type World, worldOf } from '../sweep/api.ts';
import { find, pythonWith } from './install.ts';
import { run, workFolder } from './run.ts';

const python = find('CUMULET_PYTHON', 'python3');

// Every bound of every property takes 20,000 calls of the core API alone, so most services are tested in a full run
// only. In a plain run, test/sweep/bodies.test.ts tries them.
const quick = ['activitylog', 'reachability', 'region', 'auth'];
const phasesOf = (service: string): string =>
  isFull || quick.includes(service) ? 'examples,coverage,fuzzing' : 'examples,fuzzing';
const examplesOf = (service: string): number => (isFull ? 100 : service === 'cloudapi' ? 1 : 3);

// Queries of the central pipelines, and below other paths, are answered like the others; labels and flow logs of other
// resources are answered like those of servers and NICs.
const twins = [
  '^(metrics_below|centralmonitoring|centrallogging)_(?!list$|get$|replace)|^central(log)?alert',
  '^(datacenter|volume|ipblock|snapshot|image)_labels?_|^\\w+balancer_flowlog_|^natgateway_flowlog_',
].join('|');
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

// The clock of the lab expires tokens, and the token service deletes them, including the caller's. A password stays
// valid there, so that no operation has to be skipped.
const byPassword = ['auth', 'lab'];

// In this order, because the core API deletes resources that others may need.
const together = [
  ...['activitylog', 'reachability', 'billing', 'monitoring', 'metrics', 'logging', 'logs', 'dns', 'certificates'],
  ...['objectstorage', 'streaming', 'inference', 'modelhub', 'region', 'autoscaling', 'cloudapi'],
];
// Each with a separate region: tokens are deleted, and injected faults would affect others.
const alone = ['auth', 'lab'];

suite('schemathesis', { skip: python.skip ?? false }, () => {
  let shared: Region;
  before(async () => {
    shared = await openRegion();
  });
  after(() => shared?.stop());

  test('[GEN-08] every service that has a document is tried', async () => {
    const { body } = await shared.call<{ services: { name: string }[] }>('GET', '/');
    assert.deepEqual(body.services.map(({ name }) => name).sort(), [...together, ...alone].sort());
  });
  for (const service of together) {
    test(`[GEN-05, GEN-08] ${service} answers as its document says`, (t) => fuzz(t, shared, service));
  }
  for (const service of alone) {
    test(`[GEN-05, GEN-08] ${service} answers as its document says`, async (t) => {
      await using region = await openRegion();
      await fuzz(t, region, service);
    });
  }
});

// They stop the region for a moment, and otherwise there is nothing to delete: test/state/savepoints.test.ts tests
// them all. test/cli/demo.test.ts tests the demo, which needs an empty contract.
const stopping = ['lab_savepoint_create', 'lab_savepoint_restore', 'lab_savepoint_delete', 'lab_demo_start'];

const openRegion = (): Promise<Region> =>
  startRegion({ args: ['--rate-burst', '1000000', '--inference-rate', '1000000'] });

const looked = ['serverId', 'datacenterId', 'autoscalinggroupId', 'clusterId', 'brokerId'];

// A foreign contract is refused before all else, and a fuzzer can't guess the own contract, a URN, or the ids of
// resources for the lab. Where all tokens are deleted at once, none remains to be read or deleted by its id.
const settings = ({ contract }: Region, ids: World['ids'], service: string): string => `
hooks = "hooks.py"

[parameters]
"path.contractNumber" = "${contract}"

${service === 'lab' ? looked.map((name) => `"path.${name}" = "${ids[name]}"`).join('\n') : ''}

[[operations]]
include-operation-id = "token_deleteByCriteria"
parameters = { "query.criteria" = "EXPIRED" }

${stopping.map((id) => `[[operations]]\ninclude-operation-id = "${id}"\nenabled = false\n`).join('\n')}
[[operations]]
include-operation-id = "label_getByUrn"
parameters = { "path.labelUrn" = "${ids.labelUrn}" }
`;

// Every call has the credentials and the contract, regardless of the generated values. No call changes or deletes the
// caller's own user or token, and none deletes resources that other operations need. Binary data is sent as the
// generated bytes.
const hooks = ({ headers, own }: Caller, kept: Kept): string => `
import json
import schemathesis

headers = json.loads(${JSON.stringify(JSON.stringify(headers))})
own = json.loads(${JSON.stringify(JSON.stringify(own))})
kept = json.loads(${JSON.stringify(JSON.stringify(kept))})


@schemathesis.hook
def before_call(context, case, kwargs):
    for name, value in headers.items():
        case.headers[name] = value
    ids = case.path_parameters
    for name, (mine, other) in own.items():
        if case.method.upper() != "GET" and ids.get(name) == mine:
            ids[name] = other
    for name, (id, other) in kept.get(case.operation.label, {}).items():
        if ids.get(name) == id:
            ids[name] = other


types = ["application/x-protobuf", "application/msgpack"]
schemathesis.serializer.alias(types, "application/octet-stream")
schemathesis.serializer.alias(["application/x-ndjson", "application/openmetrics-text"], "text/plain")
`;

// Valid queries: in PromQL, in LogQL, and about the path between two ends.
function validQuery({ service, id }: Operation, { nicId = '' }: World['ids']): Record<string, string> {
  const times = { time: '1', start: '1', end: '2', step: '1' };
  if (service === 'reachability') return { from: nicId, to: '192.0.2.1' };
  if (!service.startsWith('log')) return { ...times, query: 'up', 'match[]': 'up' };
  const selector = '{tag=~".+"}';
  const query = /_query(_form)?$/.test(id) && !id.includes('format') ? `count_over_time(${selector}[1m])` : selector;
  return { ...times, query, 'match[]': selector };
}

// There the ids are found by chance, or in the document.
const byLuck = ['activitylog', 'region', ...alone];
const needsQuery = (service: string): boolean =>
  ['monitoring', 'metrics', 'logging', 'logs', 'reachability', 'autoscaling'].includes(service);

// Ids of existing resources, because a short run finds nothing by chance. A deletion uses an id that another call
// created.
function realIds(operations: readonly Operation[], ids: World['ids']): string {
  return operations
    .map((one) => {
      const answered = validQuery(one, ids);
      const named = [...idsIn(one, ids)].slice(0, removesOne(one) ? -1 : undefined);
      const fixed = [
        ...named.map(([name, id]) => [`path.${name}`, id]),
        ...one.query.filter((name) => name in answered).map((name) => [`query.${name}`, answered[name]]),
      ];
      const all = fixed.map(([name, value]) => `"${name}" = ${JSON.stringify(value)}`);
      return `[[operations]]\ninclude-operation-id = "${one.id}"\nparameters = { ${all.join(', ')} }\n`;
    })
    .join('\n');
}

const removesOne = ({ method, path }: Operation): boolean => method === 'DELETE' && path.endsWith('}');

// By operation and parameter: an existing id, and one that does not exist.
type Kept = Record<string, Record<string, [string, string]>>;

const keptOf = (operations: readonly Operation[], ids: World['ids']): Kept =>
  Object.fromEntries(
    operations.filter(removesOne).map((one) => {
      const last = [...idsIn(one, ids)].slice(-1).map(([name, id]) => [name, [id, byUuid.example]]);
      return [`${one.method} ${one.below}`, Object.fromEntries(last)];
    }),
  );

// A group is created in a separate datacenter.
const withRealIds = (document: string, { datacenterId }: World['ids']): string =>
  document.replaceAll('"datacenter":{"id":"example"}', `"datacenter":{"id":"${datacenterId}"}`);

interface Caller {
  headers: Record<string, string>;
  own: Record<string, [string, string]>; // ids of the caller's own resources, and of others that may be changed instead
  ids: Record<string, string>; // ids that only this caller can reach
}

const keyed: Record<string, (region: Region) => Promise<{ key: string; path: string }>> = {
  metrics: (region) => addPipeline(region),
  logs: (region) => addLogPipeline(region),
};

// With the key of a pipeline, a password or a token.
async function callerOf(region: Region, service: string): Promise<Caller> {
  const pipeline = await keyed[service]?.(region);
  if (pipeline) {
    const number = /\/ingest\/([^/]+)/.exec(pipeline.path)?.[1] ?? '';
    return { headers: { APIKEY: pipeline.key }, own: {}, ids: { number } };
  }
  const { email, password } = region.owner;
  const basic = `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`;
  const authorization = byPassword.includes(service) ? basic : `Bearer ${region.token}`;
  const headers = { Authorization: authorization, 'X-Contract-Number': String(region.contract) };
  const { ids } = await worldIn(region);
  const { items } = (await region.call('GET', `${core}/um/users?depth=1`)).body;
  const owner = items.find(({ properties }) => properties.email === email)?.id ?? '';
  const own: Caller['own'] = {
    userId: [owner, ids.userId ?? ''],
    tokenId: [tokenIdIn(region.token), byUuid.example],
  };
  return { headers, own, ids: {} };
}

const tokenIdIn = (token: string): string =>
  (JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;

// Creates resources to find, once in each region.
const worlds = new WeakMap<Region, Promise<World>>();

function worldIn(region: Region): Promise<World> {
  const world = worlds.get(region) ?? worldOf(region);
  worlds.set(region, world);
  return world;
}

const everyOperation = async (region: Region): Promise<Operation[]> => [
  ...(await operationsOf(region)),
  ...(await operationsOf(region, true)),
];

async function fuzz(t: TestContext, region: Region, service: string): Promise<void> {
  const folder = workFolder(t);
  const config = join(folder, 'schemathesis.toml');
  const caller = await callerOf(region, service);
  const ids = { ...(await worldIn(region)).ids, ...caller.ids };
  const isFound = needsQuery(service) || (!isFull && !byLuck.includes(service));
  const own = (await everyOperation(region)).filter((one) => one.service === service);
  const more = isFound ? realIds(own, ids) : '';
  writeFileSync(join(folder, 'hooks.py'), hooks(caller, isFound ? keptOf(own, ids) : {}));
  const { body: document } = await region.call<{ servers: { url: string }[] }>('GET', `/docs/${service}.json`);
  writeFileSync(join(folder, 'document.json'), withRealIds(JSON.stringify(document), ids));
  writeFileSync(config, `${settings(region, ids, service)}\n${more}`);
  const interpreter = await pythonWith(python.path as string, 'schemathesis');
  const program = join(interpreter, '../schemathesis');
  const left = isFull ? [] : ['--exclude-operation-id-regex', twins];
  const url = document.servers[0]?.url ?? '';
  const command = [program, '--config-file', config, 'run', 'document.json', '--url', url, ...left];
  const what = ['--checks', checks.join(), '--phases', phasesOf(service), '--warnings', 'off'];
  const how = ['--max-examples', String(examplesOf(service)), '--seed', '1', '--request-timeout', '20', '--no-color'];
  // Its Unicode tables take seconds to create, so they are kept with it. Examples are not kept.
  const env = { HYPOTHESIS_STORAGE_DIRECTORY: join(interpreter, '../../hypothesis') };
  const kept = ['--generation-database', 'none'];
  const before = await statusesOf(region);
  const { code, stdout, stderr } = await run([...command, ...what, ...how, ...kept], {
    cwd: folder,
    env,
    limitMs: limits.test,
  });
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  assert.doesNotMatch(region.log(), /"message":"bug"/);
  assertAnswered(t, service, before, await statusesOf(region));
  await assertReached(t, region, service);
}

type Statuses = ReadonlyMap<string, number>; // how often, by service and status

async function statusesOf(region: Region): Promise<Statuses> {
  const { body } = await region.call<string>('GET', '/metrics', undefined, { token: null });
  const counted = new Map<string, number>();
  const counters = /^cumulet_requests_total\{service="(\w+)",operation="\w+",status="(\d+)"\} (\d+)$/gm;
  for (const [, service, status, count] of body.matchAll(counters)) {
    const key = `${service} ${status}`;
    counted.set(key, (counted.get(key) ?? 0) + Number(count));
  }
  return counted;
}

const minPassed = 0.8;

// A call without rights reveals nothing about the checks after them.
function assertAnswered(t: TestContext, service: string, before: Statuses, after: Statuses): void {
  const added = [...after]
    .filter(([key]) => key.startsWith(`${service} `))
    .map(([key, count]): [number, number] => [Number(key.split(' ')[1]), count - (before.get(key) ?? 0)])
    .filter(([, count]) => count > 0)
    .sort(([one], [other]) => one - other);
  const sum = (wanted: (status: number) => boolean): number =>
    added.reduce((total, [status, count]) => total + (wanted(status) ? count : 0), 0);
  const calls = sum(() => true);
  const passed = calls - sum((status) => status === 401 || status === 403);
  const summary = added.map(([status, count]) => `${status}: ${count}`).join(', ');
  t.diagnostic(`${service}: ${calls} calls, ${((100 * passed) / calls).toFixed(1)} % past 401 and 403 (${summary})`);
  assert.ok(passed >= calls * minPassed, `${calls - passed} of ${calls} calls were refused with 401 or 403`);
  assert.equal(
    sum((status) => status >= 500),
    0,
    `an answer is 5xx: ${summary}`,
  );
}

// Success means little if everything was refused. Without a WebSocket, a tail is always refused.
async function assertReached(t: TestContext, region: Region, service: string): Promise<void> {
  const all = (await everyOperation(region))
    .filter((one) => one.service === service && !stopping.includes(one.id) && !one.id.endsWith('_tail'))
    .filter(({ id }) => isFull || !new RegExp(twins).test(id))
    .map(({ id }) => id);
  const { body } = await region.call<string>('GET', '/metrics', undefined, { token: null });
  const good = new RegExp(
    `^cumulet_requests_total\\{service="${service}",operation="(\\w+)",status="2\\d\\d"\\}`,
    'gm',
  );
  const reached = new Set([...body.matchAll(good)].map(([, operation]) => operation));
  const missed = all.filter((id) => !reached.has(id));
  t.diagnostic(
    `${all.length - missed.length} of ${all.length} operations did something${missed.map((id) => ` -${id}`)}`,
  );
  // Deletions need luck, which a short run has less of; the sweeps reach every operation.
  const most = isFull || quick.includes(service) ? 0.1 : 0.3;
  assert.ok(missed.length <= all.length * most, `too many operations were refused each time: ${missed.join(', ')}`);
}
