// Terraform (or OpenTofu) with the platform's provider, where both are installed, against a fresh region: by
// IONOS_API_URL, by the config file, and by the proxy with no address at all. The provider is used where it lies: no
// registry is asked.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Ended } from '../process.ts';
import { type Region, type Shown, startRegion } from '../region.ts';
import { find } from './install.ts';
import { run, type Way, wayTo, workFolder } from './run.ts';

const terraform = find('CUMULET_TERRAFORM', 'terraform', 'tofu');
const provider = find('CUMULET_TERRAFORM_PROVIDER', 'terraform-provider-ionoscloud');

test('Terraform', { skip: terraform.skip ?? provider.skip ?? false }, async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const folder = workFolder(t);
  // One after the other: a fault of the lab strikes whoever comes first.
  for (const name of ['direct', 'config', 'proxy'] as const) {
    const way = await wayTo(region, name, folder);
    await t.test(name, (inner) => journey(inner, region, way, join(folder, `terraform-${name}`)));
  }
});

async function journey(t: TestContext, region: Region, way: Way, folder: string): Promise<void> {
  const tag = `tf${way.name}`;
  const first = workspace(way, folder, tag);
  const second = { ...first, TF_VAR_description: 'second', TF_VAR_public: 'false' };
  const call = (env: Record<string, string>, ...args: string[]): Promise<Ended> =>
    run([terraform.path as string, ...args], { env, cwd: folder });
  const apply = async (env: Record<string, string>): Promise<string> => said(await call(env, 'apply', ...quietly));
  const isSettled = async (env: Record<string, string>): Promise<void> => {
    const { code, stdout, stderr } = await call(env, 'plan', '-detailed-exitcode', '-input=false', '-no-color');
    assert.equal(code, 0, `there is something left to change:\n${stdout}${stderr}`);
  };
  const seen = async (): Promise<Seen> => JSON.parse(said(await call(first, 'output', '-json', 'seen'))) as Seen;

  await t.test('[CORE-01] apply makes everything; data sources find it', async () => {
    assert.match(await apply(first), /10 added, 0 changed, 0 destroyed/);
    const { lans, ips, ...rest } = await seen();
    const { user, datacenter } = await placed(region, tag);
    assert.deepEqual(rest, { datacenter, location: 'de/txl', lan: true, user: 'first', members: [user] });
    assert.deepEqual(lans, ['1', '2', '3', '4']);
    assert.equal(new Set(ips).size, 2);
  });
  await t.test('[CORE-04] a plan right after it finds nothing to change', () => isSettled(first));
  await t.test('[CORE-01] what can change changes in place, and settles', async () => {
    assert.match(await apply(second), /0 added, 10 changed, 0 destroyed/);
    await isSettled(second);
    const { lan, user } = await seen();
    assert.deepEqual({ lan, user }, { lan: false, user: 'second' });
  });
  await t.test('[CORE-23] a request that fails fails the apply, and the next one mends it', async () => {
    const broken = { ...second, TF_VAR_blocks: '2' };
    const message = `No address for ${tag}, says the lab`;
    const fault = { kind: 'ipblock', step: 'create.reserve', mode: 'fail', message };
    await region.call('PUT', '/lab/faults', { faults: [fault] });
    const { code, stderr } = await call(broken, 'apply', ...quietly);
    assert.notEqual(code, 0);
    assert.match(stderr.replace(/\s+/g, ' '), /No address for/);
    assert.match(await apply(broken), /1 added, 0 changed, 0 destroyed/);
  });
  await t.test('[CORE-05] destroy leaves nothing', async () => {
    assert.match(said(await call(second, 'destroy', ...quietly)), /destroyed/);
    assert.deepEqual(await placed(region, tag), {
      datacenter: undefined,
      ipblock: undefined,
      group: undefined,
      user: undefined,
    });
  });
}

interface Seen {
  datacenter: string;
  location: string;
  lans: string[];
  lan: boolean;
  ips: string[];
  user: string;
  members: string[];
}

const quietly = ['-auto-approve', '-input=false', '-no-color'];

function said({ code, stdout, stderr }: Ended): string {
  assert.equal(code, 0, stdout + stderr);
  return stdout;
}

// A folder with the configuration, and the environment that everything in it is run with.
function workspace(way: Way, folder: string, tag: string): Record<string, string> {
  mkdirSync(folder);
  copyFileSync(join(import.meta.dirname, 'terraform/main.tf'), join(folder, 'main.tf'));
  const settings = join(folder, 'terraform.rc');
  const place = JSON.stringify(dirname(provider.path as string));
  const overrides = `dev_overrides {\n    "ionos-cloud/ionoscloud" = ${place}\n  }\n  direct {}`;
  writeFileSync(settings, `provider_installation {\n  ${overrides}\n}\n`);
  return {
    ...way.env,
    TF_CLI_CONFIG_FILE: settings,
    CHECKPOINT_DISABLE: '1',
    TF_VAR_tag: tag,
    TF_VAR_password: 'A-Password-Of-Tests-1',
  };
}

// The ids of what a run has made, by name.
async function placed(region: Region, tag: string): Promise<Record<string, string | undefined>> {
  const find = async (path: string, filter: string): Promise<string | undefined> => {
    const { body } = await region.call('GET', `/cloudapi/v6/${path}?depth=1&filter.${filter}=${tag}`);
    return body.items.find((item: Shown) => JSON.stringify(item.properties).includes(tag))?.id;
  };
  return {
    datacenter: await find('datacenters', 'name'),
    ipblock: await find('ipblocks', 'name'),
    group: await find('um/groups', 'name'),
    user: await find('um/users', 'email'),
  };
}
