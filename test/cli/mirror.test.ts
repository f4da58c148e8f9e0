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
import { type Region, startRegion, waitRequest } from '../harness/region.ts';

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
  assert.deepEqual(
    Object.keys(sections).sort().join(' '),
    'backupunits buckets certificates datacenters groups ipblocks pipelines snapshots users zones',
  );
  const [shop] = seed.datacenters as [Item];
  const servers = shop.servers as Item[];
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['web', 'web-2', 'server-1'],
  );
  const [web, second, third] = servers as [Item, Item, Item];
  assert.deepEqual([web.vmState, third.vmState], [undefined, 'SHUTOFF']);
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
    /^# MongoDB clusters were not read: 403/m,
    /^# Buckets were not read/m,
    /^# Replaced by a certificate with a new key.*\(certificate shop\)/m,
    /^# Blank volume instead of the private image our golden image/m,
    /^# The server web-2 of datacenter shop is the second web/m,
    /^# 1 Kubernetes clusters were not read, because no region has this product: prod\./m,
    /^# 1 users of group devs are not in the seed/m,
  ])
    assert.match(text, note);
});

test('a dump reads buckets with their objects, and changes nothing in the object storage', async () => {
  const before = platform.calls.length;
  const keys = join(folder, 's3-keys');
  writeFileSync(keys, 'access\nsecret\n');
  const { code, stderr } = await dumpTo('stored.yaml', '--s3-key-file', keys, '--objects');
  assert.equal(code, 0, stderr);
  const { buckets } = read('stored.yaml').seed;
  assert.deepEqual(buckets, [
    { name: 'assets', versioning: true, files: './stored.objects/assets' },
    { name: 'audit-logs', placeholder: 'An empty bucket replaces one that was not read' }, // a flow log names it
  ]);
  assert.equal(readFileSync(join(folder, 'stored.objects/assets/index.html'), 'utf8'), 'twelve bytes');
  const calls = platform.calls.slice(before);
  assert.ok(calls.includes('GET /assets/index.html'));
  assert.deepEqual(new Set(calls.map((call) => call.split(' ')[0])), new Set(['GET']));
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
  const all = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((one) => one.isFile());
  const files = all.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'));
  for (const text of [...shown, ...files]) assert.doesNotMatch(text, /Planted/);
  const missing = await cumulet(['seed', '--dump', '--from', platform.url], { env: { IONOS_TOKEN: '' } });
  assert.match(missing.stderr, /There is no token/);
  const inUrl = await cumulet(['seed', '--dump', '--from', 'https://me:secret@api.ionos.com']);
  assert.match(inUrl.stderr, /must not have credentials/);
  const env = { HTTPS_PROXY: 'http://127.0.0.1:1', CUMULET_SAVED: 'HTTPS_PROXY', NO_PROXY: '127.0.0.1' };
  const ofRegion = await cumulet(['seed', '--dump', '--from', 'https://api.ionos.com'], { env });
  assert.match(ofRegion.stderr, /env --proxy leads api\.ionos\.com to a region. Run eval .*env --unset/);
});

test('an address that is not that of a platform is refused, and leaves no file', async () => {
  writeFileSync(tokenFile, platform.token);
  const output = join(folder, 'elsewhere.yaml');
  const from = ['--from', `${platform.url}/elsewhere`, '--token-file', tokenFile];
  const { code, stderr } = await cumulet(['seed', '--dump', '--output', output, ...from]);
  assert.equal(code, 2);
  assert.match(stderr, /The source is not the platform or a region/);
  assert.ok(!existsSync(output) && !existsSync(`${output}.partial`));
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

  const keys = join(folder, 's3-keys');
  writeFileSync(keys, 'access\nsecret\n');
  const limited = await dumpTo('shop.yaml', '--datacenter', 'shop', '--s3-key-file', keys);
  assert.equal(limited.code, 0, limited.stderr);
  const sections = 'buckets certificates datacenters ipblocks read snapshots';
  assert.equal(Object.keys(read('shop.yaml').seed).sort().join(' '), sections);
  assert.match(read('shop.yaml').text, /^# Buckets were not read, .* The S3 key was not used\.$/m);
});

let region: Region;
after(() => region?.stop());
const updated = async (method: string, path: string, body?: object): Promise<void> => {
  const { status, headers } = await region.call(method, path, body);
  assert.ok(status < 300, `${method} ${path}: ${status}`);
  if (path.startsWith(core)) await waitRequest(region, String(headers.location));
};

interface Placeholder {
  what: string;
  reason: string;
}
const standIns: Readonly<Record<string, RegExp>> = {
  'volume data of server web-2 of datacenter shop': /^Blank volume instead of the private image our golden image$/,
  'autoscalinggroup workers':
    /^New replicas have the image debian:latest instead of the private image our golden image$/,
  'certificate shop': /private keys are never readable$/,
  'server known of datacenter edge': /^The server is SUSPENDED, because it can't be created as SHUTOFF$/,
  'server dense of datacenter edge':
    /^The template CUBES L \(4 cores, 8 GB of RAM\) replaces Dense Cube \(3 cores, 6 GB of RAM\)$/,
  'server trainer of datacenter edge':
    /^The template GPU M \(30 cores, 535 GB of RAM\) replaces GPU H100 \(24 cores, 256 GB of RAM\)$/,
  'server crashed of datacenter edge': /^The server is SHUTOFF, because it can't be created as CRASHED$/,
  'server paused of datacenter edge': /^The server is SHUTOFF, because it can't be created as PAUSED$/,
  'server blocked of datacenter edge': /^The server is RUNNING, because it can't be created as BLOCKED$/,
};
const assertPlaceholders = (found: readonly Placeholder[], expected = standIns): void => {
  const reasons = new Map(found.map(({ what, reason }) => [what, reason]));
  assert.deepEqual([...reasons.keys()].sort(), Object.keys(expected).sort());
  for (const [what, reason] of Object.entries(expected)) assert.match(reasons.get(what) ?? '', reason);
};

test('a region takes the dump, and lists what it lacks', async () => {
  platform.refused = /^\/none/;
  const { code, stderr } = await dumpTo('whole.yaml');
  assert.equal(code, 0, stderr);
  region = await startRegion({ args: ['--seed', join(folder, 'whole.yaml')] });
  const { seeded } = region.ready as unknown as { seeded: { placeholders: Placeholder[]; omitted: string[] } };
  assertPlaceholders(seeded.placeholders, {
    ...standIns,
    'bucket audit-logs': /^An empty bucket/,
    'snapshot golden': /^The snapshot is blank/,
    ...Object.fromEntries(
      ['user ada@shop.example', 'volume system of server web of datacenter shop', 'backupunit nightly']
        .concat('volume disk of autoscalinggroup workers')
        .map((what) => [what, /^A generated password/]),
    ),
  });
  assert.ok(seeded.omitted.some((line) => /Buckets were not read/.test(line)));
  const again = await cumulet(['seed', join(folder, 'whole.yaml'), '--data', region.data]);
  assert.match(again.stdout, /^Created 0 resources; .*\nNot in the dump:\n(.*\n)* {2}Buckets were not read/);
  const { body } = await region.call('GET', `${core}/datacenters?depth=7`);
  const { servers, loadbalancers } = body.items[0]?.entities ?? {};
  const web = servers?.items.find(({ properties }) => properties.name === 'web');
  assert.ok(['web', 'web-2', 'server-1'].every((name) => servers?.items.some((one) => one.properties.name === name)));
  for (const { properties } of servers?.items ?? [])
    assert.equal(properties.vmState, properties.name === 'server-1' ? 'SHUTOFF' : 'RUNNING');
  for (const name of ['cdroms', 'securitygroups', 'volumes']) assert.equal(web?.entities[name]?.items.length, 1, name);
  assert.equal(web?.entities.nics?.items[0]?.entities.securitygroups?.items[0]?.properties.name, 'web');
  assert.equal(loadbalancers?.items[0]?.entities.balancednics?.items[0]?.properties.name, 'eth0');
  const edge = body.items[1]?.entities.servers?.items ?? [];
  assert.deepEqual(
    edge.map(({ properties: { name, type, cores, vmState } }) => [name, type, cores, vmState]),
    [
      ['known', 'CUBE', 2, 'SUSPENDED'],
      ['dense', 'CUBE', 4, 'RUNNING'],
      ['trainer', 'GPU', 30, 'RUNNING'],
      ['crashed', 'ENTERPRISE', 2, 'SHUTOFF'],
      ['paused', 'ENTERPRISE', 2, 'SHUTOFF'],
      ['blocked', 'ENTERPRISE', 2, 'RUNNING'],
    ],
  );
  const balancers = `${core}/datacenters/${body.items[0]?.id}/applicationloadbalancers`;
  const [front] = (await region.call('GET', balancers)).body.items;
  const [rule] = (await region.call('GET', `${balancers}/${front?.id}/forwardingrules?depth=1`)).body.items;
  const [certificate] = (await region.call('GET', '/certificate-manager/certificates')).body.items;
  assert.deepEqual(rule?.properties.serverCertificates, [certificate?.id], 'the reference is valid');
  assert.deepEqual(
    [certificate?.metadata.commonName, certificate?.metadata.subjectAlternativeNames],
    ['example.com', ['example.com', 'www.example.com']],
  );
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

interface Report {
  differences: Record<string, unknown>[];
  placeholders: Placeholder[];
  notCompared: string[];
}
const diff = (...args: string[]) =>
  cumulet(['seed', '--diff', '--from', platform.url, '--token-file', tokenFile, '--data', region.data, ...args]);
const diffOf = async (...args: string[]): Promise<Report & { code: number | null }> => {
  const { code, stdout, stderr } = await diff('--json', ...args);
  assert.ok(code === 0 || code === 3, stderr);
  return { code, ...(JSON.parse(stdout) as Report) };
};

test('a copy with new ids has no differences until it is changed', async () => {
  const same = await diffOf();
  assert.deepEqual(same.differences, []);
  assert.equal(same.code, 0);
  assertPlaceholders(same.placeholders);
  const datacenters = `${core}/datacenters`;
  const [shop] = (await region.call('GET', `${datacenters}?depth=5`)).body.items;
  const web = shop?.entities.servers?.items.find(({ properties }) => properties.name === 'web');
  const [eth0] = web?.entities.nics?.items ?? [];
  const servers = `${datacenters}/${shop?.id}/servers`;
  await updated('PATCH', `${servers}/${web?.id}`, { cores: 3 });
  await updated('PATCH', `${servers}/${web?.id}/nics/${eth0?.id}`, { ips: ['10.7.228.11'] });
  await updated('POST', `${core}/ipblocks`, { properties: { name: 'extra', location: 'de/txl', size: 1 } });
  const [zone] = (await region.call('GET', '/dns/zones')).body.items;
  const records = (await region.call('GET', `/dns/zones/${zone?.id}/records`)).body.items;
  const www0 = records.find(({ properties }) => properties.name === 'www0');
  await updated('DELETE', `/dns/zones/${zone?.id}/records/${www0?.id}`);
  const { code, differences } = await diffOf();
  assert.equal(code, 3);
  const path = ['shop', 'web'];
  assert.deepEqual(differences, [
    {
      ...{ section: 'datacenters', resource: 'server', path, difference: 'changed' },
      ...{ property: 'cores', here: 3, there: 2 },
    },
    {
      ...{ section: 'datacenters', resource: 'nic', path: [...path, 'eth0'], difference: 'changed' },
      ...{ property: 'ips', here: ['10.7.228.11'], there: ['10.7.228.11', 'ipblocks.pool.ips.0'] },
    },
    { section: 'ipblocks', resource: 'ipblock', path: ['extra'], difference: 'only here' },
    { section: 'zones', resource: 'record', path: ['shop.example', 'www0'], difference: 'only there' },
  ]);
  await updated('DELETE', `${servers}/${web?.id}/volumes/${web?.entities.volumes?.items[0]?.id}`);
  platform.refused = /^\/dns/;
  const { stdout } = await diff();
  platform.refused = /^\/none/;
  const lines = stdout.split('\n').map((line) => line.trim());
  for (const line of [
    `Changed values are shown as: this region → ${platform.url}`,
    'shop / server web: cores: 3 → 2',
    'shop / web / nic eth0: ips: ["10.7.228.11"] → ["10.7.228.11","ipblocks.pool.ips.0"]',
    'ipblock extra: only here',
    'shop / volume system: attachedTo: (none) → web',
    '4 differences.',
    'zones were not read: 403 Access denied for ….',
  ])
    assert.ok(lines.includes(line), `${line} is not in:\n${stdout}`);
  for (const [args, message] of [
    [['--anonymise'], /--anonymise is for --dump/],
    [['--datacenter', 'shpo'], /no datacenter shpo/],
  ] as const) {
    const refused = await diff(...args);
    assert.deepEqual([refused.code, message.test(refused.stderr)], [2, true], refused.stderr);
  }
});

test('a copy with kept ids has no differences, and a renamed resource is still the same one', async () => {
  await region.stop();
  region = await startRegion({ args: ['--seed', join(folder, 'whole.yaml'), '--keep-ids'] });
  assert.deepEqual((await diffOf()).differences, []);
  await updated('PATCH', `${core}/datacenters/${ids.datacenter}`, { name: 'store', description: 'constructor' });
  await updated('POST', `${core}/datacenters`, { properties: { name: 'another one', location: 'de/txl' } });
  const servers = `${core}/datacenters/${ids.datacenter}/servers`;
  const [web, second, third] = ids.servers;
  await updated('DELETE', `${servers}/${second}/volumes/${ids.data}`);
  await updated('POST', `${servers}/${web}/volumes`, { id: ids.data });
  await updated('POST', `${servers}/${third}/volumes`, { id: ids.spare });
  const { code, differences } = await diffOf('--datacenter', 'shop');
  assert.equal(code, 3);
  assert.deepEqual(differences, [
    {
      ...{ section: 'datacenters', resource: 'datacenter', path: ['shop'], difference: 'changed' },
      ...{ property: 'description', here: 'constructor', there: 'by ada@shop.example' },
    },
    {
      ...{ section: 'datacenters', resource: 'datacenter', path: ['shop'], difference: 'changed' },
      ...{ property: 'name', here: 'store', there: 'shop' },
    },
    {
      ...{ section: 'datacenters', resource: 'volume', path: ['shop', 'data'], difference: 'changed' },
      ...{ property: 'attachedTo', here: 'web', there: 'web-2' },
    },
    {
      ...{ section: 'datacenters', resource: 'volume', path: ['shop', 'spare'], difference: 'changed' },
      ...{ property: 'attachedTo', here: 'server-1' },
    },
  ]);
  platform.hasNamesake = true;
  const both = await diffOf('--datacenter', 'shop');
  platform.hasNamesake = false;
  const missing = both.differences.filter(({ difference }) => difference !== 'changed');
  assert.deepEqual(missing, [], 'both datacenters of that name are compared');
  assert.equal(both.differences.length, differences.length + 1, 'and the second one has another name here');
  const { stdout } = await diff('--datacenter', 'shop');
  assert.match(stdout, /^ {2}shop \/ volume data: attachedTo: web → web-2$/m);
  assert.match(stdout, /^ {2}shop \/ volume spare: attachedTo: server-1 → \(none\)$/m);
});

// A balancer without an address gets the first free one.
test('NICs of a copy keep their addresses although a balancer chooses one in the same LAN', async () => {
  const nic = { name: 'eth0', lan: 2, ips: ['10.9.0.10'] };
  const order = {
    ...{ name: 'order', location: 'de/txl' },
    lans: [
      { name: 'front', public: true },
      { name: 'inside', was: { ipv4CidrBlock: '10.9.0.0/24' } },
    ],
    servers: [{ name: 'web', cores: 1, ram: 1024, nics: [nic] }],
    networkloadbalancers: [{ name: 'entrance', listenerLan: 1, targetLan: 2 }],
  };
  const file = join(folder, 'order.json');
  writeFileSync(file, JSON.stringify({ datacenters: [order] }));
  const { code, stderr } = await cumulet(['seed', file, '--keep-ids', '--data', region.data]);
  assert.equal(code, 0, stderr);
});
