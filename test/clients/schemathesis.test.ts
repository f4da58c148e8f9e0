// A fuzzer (PyPI `schemathesis`) driven by the region's own OpenAPI documents: no 5xx, and no answer that its document
// does not tell, by status, type and schema. CUMULET_LONG=1 for a long run.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { isLong } from '../../src/testing/seed.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { namesIn, type Operation, operationsOf, type World, worldOf } from '../sweep/api.ts';
import { find, pythonWith } from './install.ts';
import { run, workFolder } from './run.ts';

const python = find('CUMULET_PYTHON', 'python3');
const examples = isLong ? 100 : 5;
const limitMs = isLong ? 1_800_000 : 1_200_000; // every bound of every property of 250 operations takes minutes
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
  for (const service of ['cloudapi', 'auth', 'activitylog', 'monitoring', 'lab', 'region']) {
    // Each on a region of its own: a fault that is planted in one would strike in another.
    test(`[GEN-05, GEN-08] ${service} answers as its document says`, { timeout: limitMs }, async (t) => {
      const interpreter = await pythonWith(python.path as string, 'schemathesis');
      await using region = await startRegion({ args: ['--rate-burst', '1000000'] });
      await fuzz(t, region, service, join(interpreter, '../schemathesis'));
    });
  }
});

// They stop the region for a moment: test/state/savepoints.test.ts has them.
const stopping = ['lab_savepoint_create', 'lab_savepoint_restore'];

const looked = ['serverId', 'datacenterId', 'autoscalinggroupId'];

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

// Of a pipeline and what belongs to it: real ones, and questions that can be answered, but for what removes things.
const asked: Record<string, string> = { query: 'up', time: '1', start: '1', end: '2', step: '1', 'match[]': 'up' };

function pipelineSettings(operations: readonly Operation[], ids: World['ids']): string {
  return operations
    .filter(({ service, method }) => service === 'monitoring' && method !== 'DELETE')
    .map((one) => {
      const named = namesIn(one).map((name) => [`path.${name}`, ids[name] ?? '']);
      const told = one.query.filter((name) => name in asked).map((name) => [`query.${name}`, asked[name]]);
      const all = [...named, ...told].map(([name, value]) => `"${name}" = "${value}"`);
      return `[[operations]]\ninclude-operation-id = "${one.id}"\nparameters = { ${all.join(', ')} }\n`;
    })
    .join('\n');
}

async function fuzz(t: TestContext, region: Region, service: string, program: string): Promise<void> {
  const folder = workFolder(t);
  const config = join(folder, 'schemathesis.toml');
  const { ids } = await worldOf(region); // things to find
  const more = service === 'monitoring' ? pipelineSettings(await operationsOf(region), ids) : '';
  writeFileSync(config, `${settings(region, ids, service)}\n${more}`);
  const { email, password } = region.owner;
  const who = byPassword.includes(service)
    ? ['--auth', `${email}:${password}`]
    : ['--header', `Authorization: Bearer ${region.token}`];
  const command = [program, '--config-file', config, 'run', `${region.url}/docs/${service}.json`, ...who];
  const what = ['--checks', checks.join(), '--phases', 'examples,coverage,fuzzing', '--warnings', 'off'];
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
  // What stands deep in a datacenter is found by luck, which a short run has less of; the sweeps reach every operation.
  const most = service === 'cloudapi' && !isLong ? 0.3 : 0.1;
  assert.ok(missed.length <= all.length * most, `too many operations were refused each time: ${missed.join(', ')}`);
}
