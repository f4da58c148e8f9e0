// The flow that every SDK goes through. Its program, in its own language, makes the calls and prints one line of JSON
// per check with the values that the SDK's models contain. The expectations are here, once for all SDKs.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { provideBuckets } from '../../../harness/objects.ts';
import type { Region, ResourceBody } from '../../../harness/region.ts';
import { run, type Way, wayTo, workFolder } from '../../run.ts';
import { brokenChecks } from './broken.ts';
import { errorChecks } from './errors.ts';
import { identityChecks } from './identity.ts';
import { infrastructureChecks } from './infrastructure.ts';
import { networkChecks } from './networks.ts';
import { serverChecks } from './servers.ts';

export interface Refusal {
  status: number;
  body: ResourceBody;
}

// The output of a program for a check. Its parts depend on the check.
export interface Seen extends Refusal {
  location: string | null;
  after: ResourceBody;
  gone: Refusal;
  [part: string]: unknown;
}

export interface Journey {
  tag: string; // a prefix of all names of this run
  base: string; // what links begin with
  contract: number;
}

export interface Check {
  title: string;
  verify(seen: Seen, journey: Journey): void;
}
export type Checks = Record<string, Check>;

interface Line {
  check?: string;
  seen?: Seen;
  broken?: string;
  why?: string;
}

const sections = ['infrastructure', 'addresses', 'servers', 'networks', 'identity', 'reading', 'errors'];
const wholeFlow: Checks = {
  ...infrastructureChecks,
  ...serverChecks,
  ...networkChecks,
  ...identityChecks,
  ...errorChecks,
};

// The whole flow in both ways at once, with different names; then, directly, the failures.
export async function flow(t: TestContext, command: string[], region: Region): Promise<void> {
  const home = workFolder(t);
  const direct = await wayTo(region, 'direct', home);
  const ways = [direct, await wayTo(region, 'proxy', home)];
  await provideBuckets(region, ...ways.map((way) => `${tagOf(way)}-logs`)); // for flow logs
  await Promise.all(
    ways.map(async (way) => {
      const lines = await linesOf(command, region, way, sections);
      await t.test(way.name, (inner) => judge(inner, lines, wholeFlow, journeyOf(region, way)));
    }),
  );
  await brokenFlow(t, command, region, direct);
}

// Failures behind the API: an IP block that fails, then a datacenter that is never ready.
async function brokenFlow(t: TestContext, command: string[], region: Region, way: Way): Promise<void> {
  const planted = await region.call('PUT', '/lab/faults', {
    faults: [
      { kind: 'ipblock', step: 'create.reserve', mode: 'fail', message: 'No address is left, says the lab' },
      { kind: 'datacenter', step: 'create.provision', mode: 'stall' },
    ],
  });
  assert.equal(planted.status, 200, JSON.stringify(planted.body));
  const lines = await linesOf(command, region, way, ['broken']);
  await region.call('PUT', '/lab/faults', { faults: [] });
  await t.test('broken', (inner) => judge(inner, lines, brokenChecks, journeyOf(region, way)));
}

const tagOf = (way: Way): string => `sdk${way.name}`;

const journeyOf = (region: Region, way: Way): Journey => ({
  tag: tagOf(way),
  base: `${way.origin}/cloudapi/v6`,
  contract: region.contract,
});

async function linesOf(command: string[], region: Region, way: Way, wanted: string[]): Promise<Line[]> {
  const url = way.name === 'direct' ? { url: `${region.url}/cloudapi/v6` } : {};
  const settings = { ...url, token: way.env.IONOS_TOKEN, tag: tagOf(way), sections: wanted };
  const env = { ...way.env, CLIENT_SETTINGS: JSON.stringify(settings) };
  const { code, stdout, stderr } = await run(command, { env });
  assert.equal(code, 0, `${command.join(' ')}\n${stdout}${stderr}`);
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

async function judge(t: TestContext, lines: Line[], checks: Checks, journey: Journey): Promise<void> {
  const seen = new Map(lines.map((line) => [line.check, line.seen]));
  const broken = lines.filter((line) => line.broken !== undefined);
  for (const [name, check] of Object.entries(checks)) {
    await t.test(`${name}: ${check.title}`, () => {
      const found = seen.get(name);
      assert.ok(found, `the client did not get this far. ${broken.map(({ why }) => why).join('\n')}`);
      check.verify(found, journey);
    });
  }
  const strange = [...seen.keys()].filter((name) => name !== undefined && !Object.hasOwn(checks, name));
  assert.deepEqual(strange, [], 'unknown checks');
  for (const { broken: section, why } of broken) assert.fail(`${section} broke: ${why}`);
}
