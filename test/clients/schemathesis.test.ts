// A fuzzer (PyPI `schemathesis`) driven by the region's own OpenAPI documents: no 5xx, and no answer that its document
// does not tell, by status, type and schema. CUMULET_LONG=1 for a long run.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, suite, type TestContext, test } from 'node:test';
import { isLong } from '../../src/testing/seed.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { idsIn, type Operation, operationsOf, type World, worldOf } from '../sweep/api.ts';
import { find, pythonWith } from './install.ts';
import { run, workFolder } from './run.ts';

const python = find('CUMULET_PYTHON', 'python3');
const examples = isLong ? 100 : 3;
const limitMs = isLong ? 1_800_000 : 1_200_000;

// Every bound of every property of the 260 operations of the core API takes 20,000 calls: in the long run only. In the
// short one test/sweep/bodies.test.ts tries them.
const phasesOf = (service: string): string =>
  isLong || service !== 'cloudapi' ? 'examples,coverage,fuzzing' : 'examples,fuzzing';
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

// The clock of the lab ends tokens, and the token service deletes them, the caller's own too: there a password stays
// good, so that no operation has to be left out.
const byPassword = ['auth', 'lab'];

suite('schemathesis', { skip: python.skip ?? false, timeout: 2 * limitMs }, () => {
  let shared: Region;
  before(async () => {
    shared = await openRegion();
  });
  after(() => shared?.stop());

  // In this order: what the core API is asked to delete may be what others need.
  for (const service of ['activitylog', 'monitoring', 'region', 'cloudapi']) {
    test(`[GEN-05, GEN-08] ${service} answers as its document says`, { timeout: limitMs }, (t) =>
      fuzz(t, shared, service),
    );
  }
  // Each on a region of its own: tokens are gone, and faults that were planted would strike in others.
  for (const service of ['auth', 'lab']) {
    test(`[GEN-05, GEN-08] ${service} answers as its document says`, { timeout: limitMs }, async (t) => {
      await using region = await openRegion();
      await fuzz(t, region, service);
    });
  }
});

// They stop the region for a moment, and without them there is nothing to delete: test/state/savepoints.test.ts has
// them all.
const stopping = ['lab_savepoint_create', 'lab_savepoint_restore', 'lab_savepoint_delete'];

const openRegion = (): Promise<Region> => startRegion({ args: ['--rate-burst', '1000000'] });

const looked = ['serverId', 'datacenterId', 'autoscalinggroupId', 'clusterId', 'brokerId'];

// A foreign contract is refused before anything else is looked at, and no fuzzer guesses one's own, nor a URN, nor what
// the lab, which has no list of them, can look at. Where
// all tokens are deleted at once, none is left to be read or deleted by its id.
const settings = ({ contract }: Region, ids: World['ids'], service: string): string => `
[parameters]
"header.X-Contract-Number" = "${contract}"
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

// Questions that can be answered.
const asked: Record<string, string> = { query: 'up', time: '1', start: '1', end: '2', step: '1', 'match[]': 'up' };

// Ids of real things, but for what removes them: a short run has no time to find them by luck.
function realIds(operations: readonly Operation[], ids: World['ids'], wanted: string): string {
  return operations
    .filter(({ service, method }) => service === wanted && method !== 'DELETE')
    .map((one) => {
      const named = [...idsIn(one, ids)].map(([name, id]) => [`path.${name}`, id]);
      const told = one.query.filter((name) => name in asked).map((name) => [`query.${name}`, asked[name]]);
      const all = [...named, ...told].map(([name, value]) => `"${name}" = "${value}"`);
      return `[[operations]]\ninclude-operation-id = "${one.id}"\nparameters = { ${all.join(', ')} }\n`;
    })
    .join('\n');
}

// Things to find, once in each region.
const worlds = new WeakMap<Region, Promise<World>>();

function worldIn(region: Region): Promise<World> {
  const world = worlds.get(region) ?? worldOf(region);
  worlds.set(region, world);
  return world;
}

async function fuzz(t: TestContext, region: Region, service: string): Promise<void> {
  const folder = workFolder(t);
  const config = join(folder, 'schemathesis.toml');
  const { ids } = await worldIn(region);
  const isFound = service === 'monitoring' || (service === 'cloudapi' && !isLong);
  const more = isFound ? realIds(await operationsOf(region), ids, service) : '';
  writeFileSync(config, `${settings(region, ids, service)}\n${more}`);
  const { email, password } = region.owner;
  const who = byPassword.includes(service)
    ? ['--auth', `${email}:${password}`]
    : ['--header', `Authorization: Bearer ${region.token}`];
  const interpreter = await pythonWith(python.path as string, 'schemathesis');
  const program = join(interpreter, '../schemathesis');
  const command = [program, '--config-file', config, 'run', `${region.url}/docs/${service}.json`, ...who];
  const what = ['--checks', checks.join(), '--phases', phasesOf(service), '--warnings', 'off'];
  const how = ['--max-examples', String(examples), '--seed', '1', '--request-timeout', '20', '--no-color'];
  const { code, stdout, stderr } = await run([...command, ...what, ...how], { cwd: folder, limitMs });
  assert.equal(code, 0, `${stdout}\n${stderr}`);
  assert.doesNotMatch(region.log(), /"message":"bug"/);
  await assertReached(t, region, service);
}

// That nothing was found means little where everything was refused.
async function assertReached(t: TestContext, region: Region, service: string): Promise<void> {
  const all = (await operationsOf(region))
    .filter((one) => one.service === service && !stopping.includes(one.id))
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
  // What is removed is found by luck, which a short run has less of; the sweeps reach every operation.
  const most = service === 'cloudapi' && !isLong ? 0.3 : 0.1;
  assert.ok(missed.length <= all.length * most, `too many operations were refused each time: ${missed.join(', ')}`);
}
