// `seed --dump --from`: a copy of a contract of the platform, which is only read.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { parse } from 'yaml';
import { ids, type Platform, startPlatform } from '../harness/mirror/platform.ts';
import { core } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { startRegion } from '../harness/region.ts';

const folder = mkdtempSync(join(tmpdir(), 'cumulet-mirror-'));
after(() => rmSync(folder, { recursive: true, force: true }));

let platform: Platform;
before(async () => {
  platform = await startPlatform();
});
after(() => platform[Symbol.asyncDispose]());

const tokenFile = join(folder, 'token');
const dumpTo = (name: string, ...args: string[]) => {
  writeFileSync(tokenFile, `${platform.token}\n`);
  const all = ['--from', platform.url, '--token-file', tokenFile, '--output', join(folder, name), ...args];
  return cumulet(['seed', '--dump', ...all]);
};
interface Item extends Record<string, unknown> {
  id?: string;
  was?: Record<string, unknown>;
}
const read = (name: string): { text: string; seed: Record<string, Item[]> } => {
  const text = readFileSync(join(folder, name), 'utf8');
  return { text, seed: parse(text) as Record<string, Item[]> };
};

test('a dump of the platform has what could be read with its ids, and notes about the rest', async () => {
  const { code, stderr } = await dumpTo('cloud.yaml');
  assert.equal(code, 0, stderr);
  const { text, seed } = read('cloud.yaml');
  assert.deepEqual(
    new Set(platform.calls.map((call) => call.split(' ')[0])),
    new Set(['GET']),
    'nothing else than GET is sent',
  );
  assert.equal(platform.throttled, 3);
  const { read: when, ...sections } = seed as unknown as { read: { from: string; at: Record<string, string> } };
  assert.equal(when.from, platform.url);
  assert.match(String(when.at.datacenters), /^\d{4}-.*Z$/);
  assert.deepEqual(Object.keys(sections).sort(), ['datacenters', 'groups', 'ipblocks', 'pipelines', 'users', 'zones']);
  const [shop] = seed.datacenters as [Item];
  const servers = shop.servers as Item[];
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['web', 'web-2', 'server-1'],
  );
  const [web, second] = servers as [Item, Item];
  assert.deepEqual(web.securitygroups, [`\${securitygroups.web}`]);
  assert.deepEqual(web.labels, [{ key: 'env', value: 'prod' }]);
  assert.equal((web.cdroms as string[]).length, 1);
  const [eth0] = web.nics as [Item];
  assert.deepEqual(eth0.ips, ['10.7.228.11', `\${ipblocks.pool.ips.0}`]);
  assert.deepEqual(eth0.was, { deviceNumber: 6, pciSlot: 7 });
  assert.equal(eth0.mac, '02:01:9c:00:00:30');
  const [system] = web.volumes as [Item];
  assert.deepEqual([system.imageAlias, system.image], ['debian:latest', undefined]);
  assert.deepEqual(system.was?.image, { id: ids.image, name: 'Debian-12-server-2026-05-01' });
  const [data] = second.volumes as [Item];
  assert.deepEqual([data.image, data.licenceType], [undefined, 'LINUX']);
  assert.deepEqual((shop.loadbalancers as Item[])[0]?.balancednics, [`\${servers.web.nics.eth0}`]);
  assert.deepEqual((shop.lans as Item[])[0]?.number, 2);
  assert.deepEqual(seed.ipblocks?.[0]?.was, { ips: ['198.51.100.4', '198.51.100.5'] });
  assert.deepEqual(
    seed.users?.map(({ id, email }) => [id, email]),
    [[ids.ada, 'ada@shop.example']],
  );
  const [group] = seed.groups as [Item];
  assert.deepEqual(group.users, [`\${users.ada@shop\\.example}`]);
  assert.deepEqual(group.shares, [{ resource: `\${datacenters.shop}`, editPrivilege: true }]);
  const [zone] = seed.zones as [Item];
  assert.equal((zone.records as Item[]).length, 7, 'all pages');
  assert.deepEqual(
    seed.pipelines?.map(({ name, region }) => [name, region]),
    [['metrics', 'de-fra']],
  );
  for (const note of [
    /^# autoscalingGroups were not read: 403/m,
    /^# targetgroups were not read: 500/m,
    /^# Buckets were not read/m,
    /^# Omitted, because the API does not return their secrets: 1 certificates/m,
    /^# A blank volume stands for the private image our golden image/m,
    /^# The server web-2 of datacenter shop is the second web/m,
    /^# 1 users of group devs are not in the seed/m,
  ])
    assert.match(text, note);
});

test('the token is not stored or shown, also not by messages of the platform', async () => {
  const { code, stdout, stderr } = await dumpTo('secret.yaml', '--json');
  assert.equal(code, 0, stderr);
  writeFileSync(tokenFile, 'wrong-Planted-token');
  const refused = await cumulet(['seed', '--dump', '--from', platform.url, '--token-file', tokenFile]);
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /The platform refused the token: 401/);
  const shown = [stdout, stderr, refused.stdout, refused.stderr];
  rmSync(tokenFile);
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
  for (const text of [...shown, ...files]) assert.doesNotMatch(text, /Planted/);
  const missing = await cumulet(['seed', '--dump', '--from', platform.url], { env: { IONOS_TOKEN: '' } });
  assert.match(missing.stderr, /There is no token/);
  const inUrl = await cumulet(['seed', '--dump', '--from', 'https://me:secret@api.ionos.com']);
  assert.match(inUrl.stderr, /must not have credentials/);
});

test('an interrupted dump continues, --datacenter limits it, and --anonymise replaces users', async () => {
  const partial = join(folder, 'again.yaml.partial');
  platform.stopAfter = platform.calls.length + 14;
  const broken = await dumpTo('again.yaml', '--anonymise');
  assert.equal(broken.code, 2);
  assert.match(broken.stderr, /can't be reached.*Repeat the command to continue/);
  assert.doesNotMatch(readFileSync(partial, 'utf8'), /Planted/);
  platform.stopAfter = Number.POSITIVE_INFINITY;
  const other = await dumpTo('again.yaml', '--datacenter', 'shop');
  assert.match(other.stderr, /belongs to a dump with other options/);
  const before = platform.calls.length;
  const { code, stderr } = await dumpTo('again.yaml', '--anonymise');
  assert.equal(code, 0, stderr);
  assert.match(stderr, /continues the dump/);
  assert.ok(!platform.calls.slice(before).includes('GET /cloudapi/v6/contracts'), 'it is not read twice');
  assert.ok(!existsSync(partial));
  const { text, seed } = read('again.yaml');
  assert.doesNotMatch(text, /ada@|Ada/);
  assert.match(text, /description: by user-1@example.com/);
  assert.deepEqual(seed.users?.[0]?.firstname, 'User');
  assert.deepEqual(seed.groups?.[0]?.users, [`\${users.user-1@example\\.com}`]);

  const limited = await dumpTo('shop.yaml', '--datacenter', 'shop');
  assert.equal(limited.code, 0, limited.stderr);
  assert.deepEqual(Object.keys(read('shop.yaml').seed).sort(), ['datacenters', 'ipblocks', 'read']);
});

test('a region takes the dump', async () => {
  await using region = await startRegion({ args: ['--seed', join(folder, 'cloud.yaml')] });
  const { body } = await region.call('GET', `${core}/datacenters?depth=7`);
  const { servers, loadbalancers } = body.items[0]?.entities ?? {};
  const [web] = servers?.items ?? [];
  assert.equal(servers?.items.length, 3);
  for (const name of ['cdroms', 'securitygroups', 'volumes']) assert.equal(web?.entities[name]?.items.length, 1, name);
  assert.equal(web?.entities.nics?.items[0]?.entities.securitygroups?.items[0]?.properties.name, 'web');
  assert.equal(loadbalancers?.items[0]?.entities.balancednics?.items[0]?.properties.name, 'eth0');
  const [group] = (await region.call('GET', `${core}/um/groups?depth=3`)).body.items;
  assert.deepEqual(
    group?.entities.users?.items.map(({ properties }) => properties.email),
    ['ada@shop.example'],
  );
  const { users, volumes } = JSON.parse(readFileSync(join(region.data, 'seed-keys.json'), 'utf8'));
  assert.match(volumes.system, /^\w+$/);
  const ada = { email: 'ada@shop.example', password: users['ada@shop.example'] };
  const seen = await region.call('GET', `${core}/datacenters?depth=1`, undefined, { basic: ada });
  assert.equal(seen.body.items[0]?.properties.name, 'shop', 'it is shared with the group');
});
