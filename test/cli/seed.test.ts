// Seeds: a file becomes a region, again changes nothing, and a dump of it makes the same region elsewhere.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import {
  CreateBucketCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectVersionsCommand,
  PutBucketAclCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { freePort } from '../../src/testing/free-port.ts';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { core } from '../harness/people.ts';
import { cumulet, endsWithin, launch, signalIfAlive } from '../harness/process.ts';
import { createDone, ownerPassword, type Region, startRegion } from '../harness/region.ts';
import { stateFor } from '../harness/states.ts';
import { worldOf } from '../sweep/world.ts';

const folder = mkdtempSync(join(tmpdir(), 'cumulet-seed-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
mkdirSync(join(folder, 'assets/css'), { recursive: true });
file('assets/index.html', '<h1>shop</h1>');
file('assets/css/page.css', 'h1 {}');
mkdirSync(join(folder, 'broken'));
symlinkSync('nowhere', join(folder, 'broken/link'));

const shop = file(
  'shop.yaml',
  `
datacenters:
  - name: shop
    location: de/txl
    lans: [{ name: public, public: true }]
    servers:
      - name: web
        cores: 2
        ram: 2048
        volumes: [{ name: disk, type: HDD, size: 10, licenceType: LINUX }]
        nics:
          - name: eth0
            lan: 1
            ips: ["\${ipblocks.pool.ips.0}"]
            firewallActive: true
            firewallrules: [{ name: http, protocol: TCP, portRangeStart: 80, portRangeEnd: 80 }]
ipblocks: [{ name: pool, location: de/txl, size: 2 }]
users:
  - { firstname: Ada, lastname: L, email: ada@example.com, password: Ada-Password-1, administrator: true }
groups: [{ name: devs, createDataCenter: true }]
pipelines: [{ name: metrics, region: de-txl }]
loggingPipelines: [{ name: logs, logs: [{ source: generic, tag: app, protocol: http }] }]
clusters:
  - name: orders
    size: S
    topics: [{ name: orders, numberOfPartitions: 3 }]
zones:
  - zoneName: example.com
    records: [{ name: www, type: A, content: "\${ipblocks.pool.ips.1}" }]
buckets:
  - { name: assets, files: assets, versioning: true, objects: [{ key: hello.txt, content: hello }] }
servers: [{ datacenter: shop, name: db, cores: 1, ram: 1024, vmState: SHUTOFF }]
`,
);

const run = (region: Region, ...args: string[]) => cumulet([...args, '--data', region.data]);

async function dump(region: Region): Promise<object> {
  const { code, stdout, stderr } = await run(region, 'seed', '--dump');
  assert.equal(code, 0, stderr);
  return parse(stdout) as object;
}

test('a seed is made at the start, once, and a dump of it makes the same elsewhere', async () => {
  await using region = await startRegion({ args: ['--seed', shop] });
  const { body } = await region.call('GET', `${core}/datacenters?depth=5`);
  const [datacenter] = body.items;
  const servers = datacenter?.entities.servers?.items ?? [];
  assert.deepEqual(servers.map(({ properties }) => properties.name).sort(), ['db', 'web']);
  assert.deepEqual(servers.map(({ properties }) => properties.vmState).sort(), ['RUNNING', 'SHUTOFF']);
  const web = servers.find(({ properties }) => properties.name === 'web');
  assert.equal(web?.entities.volumes?.items[0]?.properties.name, 'disk');
  const [block] = (await region.call('GET', `${core}/ipblocks?depth=1`)).body.items;
  const ips = block?.properties.ips as string[];
  assert.deepEqual(web?.entities.nics?.items[0]?.properties.ips, [ips[0]]);
  const ada = { email: 'ada@example.com', password: 'Ada-Password-1' };
  assert.equal((await region.call('GET', `${core}/datacenters`, undefined, { basic: ada })).status, 200);
  assert.equal((await region.call('GET', '/de-txl/monitoring/pipelines')).body.items.length, 1);
  const keptKeys = (): Record<string, Record<string, string>> => {
    const { checksum, ...sections } = JSON.parse(readFileSync(join(region.data, 'seed-keys.json'), 'utf8'));
    assert.match(checksum, /^[0-9a-f]{8}$/);
    return sections;
  };
  const keys = keptKeys();
  assert.deepEqual(Object.keys(keys), ['pipelines', 'loggingPipelines']);
  const s3 = s3Client(region, await makeStorageKey(region));
  const page = await s3.send(new GetObjectCommand({ Bucket: 'assets', Key: 'css/page.css' }));
  assert.equal(await page.Body?.transformToString(), 'h1 {}');
  assert.equal(page.ContentType, 'text/css');
  s3.destroy();

  const tokens = async () => (await region.call<{ tokens: object[] }>('GET', '/auth/v1/tokens')).body.tokens.length;
  const before = await tokens();
  const again = await run(region, 'seed', shop);
  assert.equal(await tokens(), before, 'a seed leaves no token');
  assert.equal(again.stdout, 'Created 0 resources; 19 already existed.\n');
  const more = await run(region, 'seed', file('more.yaml', 'pipelines: [{ name: more }]\n'));
  assert.match(more.stdout, /^Created 1 resource; 0 already existed\. Keys and generated passwords are in /);
  const both = keptKeys();
  const { more: added, ...first } = both.pipelines ?? {};
  assert.match(String(added), /./);
  assert.deepEqual({ ...both, pipelines: first }, keys); // those of earlier seeds, which are never shown again
  assert.equal((await region.call('DELETE', `${core}/ipblocks/${block?.id}`)).status, 422); // it is in use
  const [group] = (await region.call('GET', `${core}/um/groups`)).body.items;
  assert.equal((await region.call('DELETE', `${core}/um/groups/${group?.id}`)).status, 202);
  await region.restart();
  assert.deepEqual((await region.call('GET', `${core}/um/groups`)).body.items, []);

  const dumped = await dump(region);
  const copy = file('copy.yaml', JSON.stringify(dumped));
  await using other = await startRegion({ args: ['--seed', copy] });
  assert.deepEqual(inOrder(await dump(other)), inOrder(dumped));
});

test('errors are reported with file and line, before anything is created', async () => {
  const bad = file(
    'bad.yaml',
    `datacenters:
  - name: a
    location: de/txl
    server: []
  - location: de/txl
datacentres: []
buckets:
  - { name: x, colour: red }
servers:
  - { name: web, cores: 1, ram: 1024 }
`,
  );
  const lines = [
    'bad.yaml:4: a datacenter has no server. Did you mean servers?',
    'bad.yaml:5: the name of a datacenter is missing. It identifies the item.',
    'bad.yaml:6: unknown section datacentres. Did you mean datacenters?',
    'bad.yaml:8: a bucket in a seed has no colour.',
    'bad.yaml:10: name its datacenter (datacenter: NAME), or move it into that datacenter.',
  ];
  await using region = await startRegion();
  const found = await run(region, 'seed', bad);
  assert.equal(found.code, 2);
  assert.deepEqual(
    found.stderr.trim().split('\n'),
    lines.map((line) => `cumulet: ${join(folder, line)}`),
  );
  const a = 'datacenters: [{ name: a, location: de/txl }]\n';
  const cases: [string, RegExp][] = [
    ['datacenters: [{ name: a, location: x/y }]', /case\.yaml:1: location: /],
    [`datacenters:\n  - name: a\n    location: "\${lans.b}"`, /case\.yaml:3: \$\{lans\.b\} is neither in the seed/],
    [
      'servers:\n  - { datacenter: gone, name: a, cores: 1, ram: 1024 }',
      /case\.yaml:2: the datacenter gone is neither in the seed/,
    ],
    ['datacenters: [', /case\.yaml:1: (?!.* at line)\S/],
    ['datacenters: {}', /case\.yaml:1: expected a list/],
    ['- 1', /a seed must be an object of sections/],
    ['buckets: [{ name: kept, files: nowhere }]', /case\.yaml:1: the folder .*nowhere does not exist/],
    ['buckets:\n  - name: kept\n    versioning: "yes"', /case\.yaml:3: its versioning must be true or false/],
    ['buckets:\n  - name: kept\n    objects: [{ key: a, content: b, type: c }]', /:3: an object has key, content/],
    ['buckets:\n  - name: kept\n    files: broken', /case\.yaml:3: .*broken.link can't be read: there is no such file/],
    ['datacenters:\n  - *none', /case\.yaml:2: an alias is undefined, circular/],
    ['datacenters:\n  - &a { name: a, location: de/txl, description: *a }', /case\.yaml:2: an alias is .*circular/],
    [
      'datacenters: [{ name: 123, location: de/txl }]',
      /case\.yaml:1: the name of a datacenter must be a string: write it in quotes, "123"/,
    ],
    [`${a}ipblocks:\n  - { name: b, location: de/txl, size: many }`, /case\.yaml:3: .*Expected an integer/],
    [
      `${a}servers:\n  - { datacenter: a, name: b, cores: 1 }\n  - { datacenter: a, name: b, cores: 1 }`,
      /:4: the server b is twice in the seed: here and at .*case\.yaml:3\./,
    ],
    [
      `${a}servers:\n  - { datacenter: a, name: b, cores: 1, ram: 1024, vmState: "off" }`,
      /:3: expected one of RUNNING, SHUTOFF, SUSPENDED/,
    ],
    [`${a}pipelines: [{ name: b, region: moon }]`, /case\.yaml:2: unknown region moon/],
    [
      `${a}pccs:\n  - { name: b, description: "\${pccs.c}" }\n  - { name: c, description: "\${pccs.b}" }`,
      /:3: it refers to itself/,
    ],
    [`datacenters: [{ name: "\${datacenters.a}", location: de/txl }]`, /is neither in the seed nor in the region/],
  ];
  for (const [text, pattern] of cases) {
    const { code, stderr } = await run(region, 'seed', file('case.yaml', text));
    assert.equal(code, 2, `${text}: ${stderr}`);
    assert.match(stderr, pattern, text);
  }
  assert.deepEqual((await region.call('GET', `${core}/datacenters`)).body.items, []);
  const missing = await cumulet([
    'up',
    '--port',
    '0',
    '--data',
    join(folder, 'none'),
    '--seed',
    join(folder, 'no.yaml'),
  ]);
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /The seed file or folder .* does not exist/);
});

// All that a seed can create or change, as the region returns it.
async function everything(region: Region, s3: S3Client): Promise<unknown> {
  const read = async (path: string): Promise<unknown> =>
    (await region.call('GET', path)).body.items.map(({ id, entities, properties: { version: _, ...properties } }) => ({
      id,
      properties, // without the number of a datacenter's changes
      entities,
    }));
  const objects: unknown[] = [];
  for (const { Name: Bucket } of (await s3.send(new ListBucketsCommand())).Buckets ?? []) {
    for (const { Key, VersionId, ETag } of (await s3.send(new ListObjectVersionsCommand({ Bucket }))).Versions ?? []) {
      const { ContentType, Metadata } = await s3.send(new HeadObjectCommand({ Bucket, Key }));
      objects.push({ Bucket, Key, VersionId, ETag, ContentType, Metadata });
    }
  }
  const core5 = await Promise.all(
    ['datacenters', 'ipblocks', 'um/users', 'um/groups'].map((one) => read(`${core}/${one}?depth=5`)),
  );
  return { seed: await dump(region), core5, objects };
}

test('a seed that is refused on the way is taken back, and nothing else', async () => {
  await using region = await startRegion({ args: ['--seed', shop] });
  const s3 = s3Client(region, await makeStorageKey(region));
  const object = {
    Bucket: 'plain',
    Key: 'old.css',
    Body: 'h1 { }',
    ContentType: 'text/x-old',
    Metadata: { by: 'ada' },
  };
  await s3.send(new CreateBucketCommand({ Bucket: 'plain' }));
  await s3.send(new PutObjectCommand(object));
  const before = await everything(region, s3);
  const all = (wrong: string) => `
ipblocks: [{ name: new, location: de/txl, size: 1 }]
servers:
  - datacenter: shop
    name: new
    cores: 1
    ram: 1024
    volumes: [{ name: new, type: HDD, size: 10, licenceType: LINUX }]
    nics: [{ name: new, lan: 7, ips: ["\${ipblocks.new.ips.0}"] }]
datacenters:
  - { name: new, location: de/txl, lans: [{ name: new, number: 3 }], servers: [{ name: new, cores: 1, ram: 1024 }] }
lans: [{ datacenter: shop, name: new }]
users: [{ firstname: N, lastname: N, email: new@example.com, password: New-Password-1 }]
groups: [{ name: new }]
pipelines: [{ name: new }]
loggingPipelines: [{ name: new, logs: [{ source: generic, tag: new, protocol: http }] }]
clusters: [{ name: new, size: S, topics: [{ name: new }] }]
topics: [{ cluster: orders, name: new }]
zones: [{ zoneName: new.example.com, records: [{ name: new, type: A, content: 10.0.0.1 }] }]
records: [{ zone: example.com, name: new, type: A, content: 10.0.0.1 }]
${wrong}
`;
  const good = { Version: '2012-10-17', Statement: [] };
  const tagging = '<Tagging><TagSet><Tag><Key>team</Key><Value>new</Value></Tag></TagSet></Tagging>';
  const buckets = `buckets:
  - { name: made, versioning: true, policy: ${JSON.stringify({ ...good, Statement: statementOf('made') })}, files: assets }
  - { name: assets, policy: ${JSON.stringify({ ...good, Statement: statementOf('assets') })}, objects: [{ key: index.html, content: new }] }
  - { name: plain, tagging: "${tagging}", objects: [{ key: old.css, content: new }, { key: new.css, content: new }] }`;
  const vast = '{ datacenter: shop, name: vast, type: HDD, size: 4000000, licenceType: LINUX }';
  const cases: [string, RegExp][] = [
    [`${buckets}\nvolumes:\n  - ${vast}`, /taken\.yaml:26: .*hddLimitPerVolume.*\n.*deleted again/],
    [
      `${buckets}\n  - { name: more, policy: "{}" }`,
      /taken\.yaml:25: the object storage refused the \w+ with 400.*\n.*again/,
    ],
  ];
  for (const [wrong, pattern] of cases) {
    const { code, stderr } = await run(region, 'seed', file('taken.yaml', all(wrong)));
    assert.equal(code, 2, stderr);
    assert.match(stderr, pattern);
    assert.deepEqual(await everything(region, s3), before, wrong);
  }
  s3.destroy();
});

const statementOf = (bucket: string) => [
  { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: `arn:aws:s3:::${bucket}/*` },
];

test('a dump has names, numbers, buckets and texts that look like references, and no keys', async () => {
  const world = file(
    'world.yaml',
    `
datacenters:
  - name: one
    location: de/txl
    description: "costs $\${much}"
    lans: [{ name: last, number: 3 }]
    servers:
      - { name: web, cores: 1, ram: 1024, nics: [{ name: a, lan: "\${lans.last}" }] }
  - name: two
    location: de/txl
    lans: [{ name: last }]
    labels: [{ key: env, value: test }]
    servers:
      - { name: web, cores: 1, ram: 1024, nics: [{ name: a, lan: "\${lans.last}" }] }
      - name: small
        type: CUBE
        templateUuid: 15c6dd2f-02d2-4987-b439-9a58dd59ecc3
        vmState: SUSPENDED
        volumes: [{ name: small, type: DAS, licenceType: LINUX }]
  - name: three
    location: de/txl
    lans:
      - { name: shared, public: true, ipFailover: [{ ip: "\${ipblocks.pool.ips.0}", nicUuid: "\${servers.first.nics.front}" }] }
    servers:
      - name: first
        cores: 1
        ram: 1024
        bootVolume: { id: "\${servers.first.volumes.data}" }
        volumes:
          - { name: system, type: HDD, size: 10, licenceType: LINUX }
          - { name: data, type: HDD, size: 10, licenceType: LINUX }
        nics: [{ name: front, lan: "\${lans.shared}", ips: ["\${ipblocks.pool.ips.0}"] }]
ipblocks: [{ name: pool, location: de/txl, size: 1 }]
zones:
  - zoneName: example.com
    records: [{ name: www, type: A, content: 10.0.0.1 }, { name: www, type: A, content: 10.0.0.2 }, { name: "", type: A, content: 10.0.0.3 }]
buckets:
  - name: kept
    versioning: true
    tagging: <Tagging><TagSet><Tag><Key>team</Key><Value>shop</Value></Tag></TagSet></Tagging>
    cors: <CORSConfiguration><CORSRule><AllowedMethod>GET</AllowedMethod><AllowedOrigin>*</AllowedOrigin></CORSRule></CORSConfiguration>
    lifecycle: >
      <LifecycleConfiguration><Rule><ID>old</ID><Status>Enabled</Status><Filter><Prefix>logs/</Prefix></Filter>
      <Expiration><Days>7</Days></Expiration></Rule></LifecycleConfiguration>
    encryption: >
      <ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm>
      </ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>
    website: <WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument></WebsiteConfiguration>
    ownershipControls: <OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule></OwnershipControls>
    publicAccessBlock: <PublicAccessBlockConfiguration><BlockPublicPolicy>true</BlockPublicPolicy></PublicAccessBlockConfiguration>
    objectLock: >
      <ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>
      <Mode>GOVERNANCE</Mode><Days>1</Days></DefaultRetention></Rule></ObjectLockConfiguration>
  - { name: plain }
`,
  );
  await using region = await startRegion({ args: ['--seed', world] });
  const { body } = await region.call('GET', `${core}/datacenters?depth=5`);
  const nics = (at: number) => body.items[at]?.entities.servers?.items[0]?.entities.nics?.items[0]?.properties.lan;
  assert.deepEqual([nics(0), nics(1)], [3, 1]);
  assert.equal(body.items[0]?.properties.description, `costs \${much}`);
  assert.equal(body.items[0]?.entities.lans?.items.length, 1); // and none of the numbers below it
  const [server] = body.items[0]?.entities.servers?.items ?? [];
  const place = `${core}/datacenters/${body.items[0]?.id}/servers`;
  await createDone(region, `${place}/${server?.id}/nics`, { properties: { lan: 3 } });
  await createDone(region, place, { properties: { name: 'web', cores: 1, ram: 1024 } });
  await makeStorageKey(region);
  const { stdout } = await run(region, 'seed', '--dump');
  assert.match(stdout, /^# The nic nic-1 of server web of datacenter one is without a name/m);
  assert.match(stdout, /^# The server web-2 of datacenter one is the second web/m);
  const { stdout: asJson } = await run(region, 'seed', '--dump', '--json');
  const dumped = JSON.parse(asJson) as Record<string, object[]>;
  assert.deepEqual(parse(stdout), dumped);
  assert.deepEqual(Object.keys(dumped), ['ipblocks', 'datacenters', 'zones', 'buckets']);
  const [, , three] = dumped.datacenters as { lans: object[]; servers: { bootVolume?: object }[] }[];
  assert.deepEqual(three?.lans[0], {
    name: 'shared',
    public: true,
    ipFailover: [{ ip: `\${ipblocks.pool.ips.0}`, nicUuid: `\${servers.first.nics.front}` }],
  });
  assert.deepEqual(three?.servers[0]?.bootVolume, { id: `\${servers.first.volumes.data}` });
  const [kept, plain] = dumped.buckets as Record<string, string>[];
  assert.deepEqual(plain, { name: 'plain', region: 'eu-central-3' });
  const { name, region: home, versioning, ...documents } = kept ?? {};
  assert.deepEqual([name, home, versioning], ['kept', 'eu-central-3', true]);
  for (const [what, expected] of Object.entries({
    tagging: '<Key>team</Key><Value>shop</Value>',
    cors: '<AllowedOrigin>*</AllowedOrigin>',
    lifecycle: '<Prefix>logs/</Prefix>',
    encryption: '<SSEAlgorithm>AES256</SSEAlgorithm>',
    website: '<Suffix>index.html</Suffix>',
    ownershipControls: '<ObjectOwnership>BucketOwnerEnforced</ObjectOwnership>',
    publicAccessBlock: '<BlockPublicPolicy>true</BlockPublicPolicy>',
    objectLock: '<Mode>GOVERNANCE</Mode><Days>1</Days>',
  }))
    assert.ok(documents[what]?.includes(expected), `${what}: ${documents[what]}`);
  await using other = await startRegion({ args: ['--seed', file('copy-2.json', asJson)] });
  assert.deepEqual(sorted(await dump(other)), sorted(dumped));
  assert.match((await run(other, 'seed', world)).stdout, /^Created 0 resources/);
});

// Records have no order, and a placeholder of a certificate has a new key.
const sorted = (seed: object): unknown =>
  JSON.parse(JSON.stringify(seed), (key, value) =>
    /^certificate(Chain)?$/.test(key)
      ? undefined
      : key === 'records'
        ? (value as { content: string }[]).toSorted((a, b) => (a.content < b.content ? -1 : 1))
        : value,
  );

const shared = { Bucket: 'shared', Key: 'reports/2026.txt' };

test('a region with everything: its dump is a seed by the JSON Schema for editors, and makes the same elsewhere', async () => {
  await using region = await startRegion();
  await worldOf(region);
  const key = await makeStorageKey(region);
  const s3 = s3Client(region, key);
  await s3.send(new CreateBucketCommand({ Bucket: shared.Bucket, ObjectOwnership: 'ObjectWriter' }));
  await s3.send(new PutBucketAclCommand({ Bucket: shared.Bucket, ACL: 'public-read' }));
  await s3.send(new PutObjectCommand({ ...shared, Body: 'twelve bytes' }));
  s3.destroy();
  const dumped = (await dump(region)) as Record<string, { name?: string; acl?: string }[]>;
  const acl = dumped.buckets?.find(({ name }) => name === shared.Bucket)?.acl ?? '';
  for (const part of ['<ID>OWNER</ID>', 'groups/global/AllUsers</URI>', '<Permission>READ</Permission>'])
    assert.ok(acl.includes(part), acl);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  const isSeed = ajv.compile((await region.call<object>('GET', '/docs/seed.schema.json')).body);
  for (const good of [dumped, parse(readFileSync(shop, 'utf8'))])
    assert.ok(isSeed(good), JSON.stringify(isSeed.errors?.slice(0, 3)));
  for (const bad of [
    'datacentres: []',
    'datacenters: [{ location: de/txl }]',
    'servers: [{ name: a, cores: 1, ram: 1024 }]',
    'datacenters: [{ name: a, location: de/txl, servers: [{ name: b, cores: 1, ram: 1024, volumes: [{ colour: red }] }] }]',
    'ipblocks: [{ name: a, location: de/txl, size: many }]',
    'buckets: [{ name: a, versioning: sometimes }]',
  ])
    assert.ok(!isSeed(parse(bad)), bad);
  const kinds = [
    'datacenters',
    'ipblocks',
    'targetgroups',
    'autoscalingGroups',
    'pipelines',
    'loggingPipelines',
    'clusters',
  ];
  for (const kind of [...kinds, 'snapshots', 'zones', 'collections', 'buckets']) assert.ok(kind in dumped, kind);
  const token = file('token', region.token);
  const keyFile = file('s3', `${key.accessKeyId}\n${key.secretAccessKey}\n`);
  const from = ['--from', region.url, '--token-file', token, '--s3-key-file', keyFile];
  const output = join(folder, 'remote.json');
  const copied = await cumulet(['seed', '--dump', '--json', '--objects', '--output', output, ...from]);
  assert.equal(copied.code, 0, copied.stderr);
  assert.doesNotMatch(copied.stderr, /not read/);
  assert.match(copied.stderr, /The snapshot is blank, because its content is never readable/);
  const { read: when, ...remote } = JSON.parse(readFileSync(output, 'utf8'));
  assert.ok(isSeed({ read: when, ...remote }), JSON.stringify(isSeed.errors?.slice(0, 3)));
  assert.deepEqual(inOrder(withoutOriginals(remote)), inOrder(dumped));
  const differences = await run(region, 'seed', '--diff', ...from);
  assert.equal(differences.stdout, `No differences from ${region.url}.\n`);
  await region.stop(); // its brokers have addresses that the other one may want
  await using other = await startRegion({ args: ['--seed', output, '--keep-ids'] });
  assert.deepEqual(inOrder(await dump(other)), inOrder(dumped));
  const restored = s3Client(other, await makeStorageKey(other));
  const object = await restored.send(new GetObjectCommand(shared));
  assert.equal(await object.Body?.transformToString(), 'twelve bytes');
  restored.destroy();
  const again = ['--json', '--from', other.url, '--token-file', file('other-token', other.token)];
  const copy = await cumulet(['seed', '--dump', ...again]);
  assert.deepEqual(idsIn(keptOf(JSON.parse(copy.stdout))), idsIn(keptOf(remote)));
});

// Buckets have no ids, and brokers have other addresses.
const keptOf = (seed: object): object => {
  const kept = Object.entries(seed).filter(([key]) => key !== 'buckets' && key !== 'read');
  return JSON.parse(
    JSON.stringify(Object.fromEntries(kept), (key, one) =>
      /^(?:s3CanonicalUserId|brokerAddresses)$/.test(key) ? undefined : one,
    ),
  );
};

// The ids and addresses of all items, by their place.
function idsIn(value: unknown, at = ''): Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return {};
  const { id, was, name } = value as { id?: string; was?: object; name?: string };
  const inner = Object.entries(value).map(([key, one]) => idsIn(one, `${at}/${Array.isArray(value) ? '' : key}`));
  const place = `${at} ${name ?? ''}`;
  return Object.assign({}, id !== undefined && { [`${place} ${id}`]: was ?? {} }, ...inner);
}

const withoutOriginals = (seed: object): object =>
  JSON.parse(
    JSON.stringify(seed, (key, value) =>
      key === 'was' || key === 'files' || (key === 'id' && /^[0-9a-f-]{36}$/.test(value)) ? undefined : value,
    ),
  );

// Not all collections have one.
const inOrder = (seed: object): object =>
  Object.fromEntries(
    Object.entries(sorted(seed) as Record<string, Named[]>).map(([key, items]) => [
      key,
      items.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)),
    ]),
  );
interface Named {
  name?: string;
  zoneName?: string;
}
const nameOf = ({ name, zoneName }: Named): string => String(name ?? zoneName);

test('a region is ready when its seed is made, also for those who see nothing but its port', async (t) => {
  const port = await freePort();
  const seed = file('two.yaml', 'datacenters: [{ name: a, location: de/txl }, { name: b, location: de/txl }]\n');
  const data = join(folder, 'two');
  const args = ['--json', '--port', String(port), '--pace', '1000', '--data', data, '--seed', seed]; // so that it takes a while
  const env = { CUMULET_OWNER_PASSWORD: ownerPassword };
  const child = launch(['up', ...args, ...(await stateFor(data))], { env });
  t.after(async () => {
    signalIfAlive(child.pid, 'SIGTERM');
    await endsWithin(child, limits.regionStop);
  });
  const url = `http://127.0.0.1:${port}`;
  const seen = new Set<number>();
  const look = async (): Promise<Set<number>> => {
    assert.equal(child.exitCode, null, 'it has ended');
    return seen.add((await fetch(`${url}/ready`).catch(() => undefined))?.status ?? 0);
  };
  await until('the region is ready', look, (statuses) => statuses.has(200), { limitMs: limits.regionStart });
  assert.ok(seen.has(503), 'it is reached before it is ready');
  const { email } = JSON.parse(readFileSync(join(data, 'owner.json'), 'utf8')) as { email: string };
  const authorization = `Basic ${Buffer.from(`${email}:${ownerPassword}`).toString('base64')}`;
  const answer = await fetch(`${url}${core}/datacenters`, { headers: { authorization } });
  assert.equal(((await answer.json()) as { items: object[] }).items.length, 2);
});

test('up --detach --seed fills a region that runs already, once, and two seeds at once do not double it', async () => {
  await using region = await startRegion();
  const twin = file('twin.yaml', 'datacenters: [{ name: twin, location: de/txl }]\n');
  const both = await Promise.all([run(region, 'seed', twin), run(region, 'seed', twin)]);
  assert.deepEqual(both.map(({ stdout }) => /^Created \d/.exec(stdout)?.[0]).sort(), ['Created 0', 'Created 1']);
  const late = file('late.yaml', 'ipblocks: [{ name: late, location: de/txl, size: 1 }]\n');
  const blocks = async () => (await region.call('GET', `${core}/ipblocks`)).body.items;
  const up = async (): Promise<void> => {
    const { code, stderr } = await run(region, 'up', '--detach', '--seed', late);
    assert.equal(code, 0, stderr);
  };
  await up();
  const [block] = await blocks();
  assert.ok(block);
  await region.call('DELETE', `${core}/ipblocks/${block.id}`);
  await up();
  assert.ok(
    (await blocks()).every(({ id }) => id === block.id),
    'what was removed stays away',
  );
  file('late.yaml', 'ipblocks: [{ name: late, location: nowhere, size: 1 }]\n');
  const refused = await run(region, 'up', '--detach', '--seed', late);
  assert.equal(refused.code, 2, refused.stdout);
});
