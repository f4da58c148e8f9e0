// Copies of another region: a caller whom the operator allows it keeps ids, addresses and slots. No other caller does.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { silent } from './base/log.ts';
import { configOf } from './config/config.ts';
import { startPlatform } from './platform.ts';
import { products } from './products.ts';
import { operatorAccounts } from './surface/operator.ts';
import { groupIn, replicaConfiguration } from './testing/scaling-group.ts';
import { until } from './testing/waiting.ts';

const data = mkdtempSync(join(tmpdir(), 'cumulet-copies-'));
const ids = {
  datacenter: '0e6bd6a5-2c2f-4b65-8b1d-9b3a0f5a1c01',
  server: '1f6bd6a5-2c2f-4b65-8b1d-9b3a0f5a1c02',
  volume: '2a6bd6a5-2c2f-4b65-8b1d-9b3a0f5a1c03',
  nic: '3b6bd6a5-2c2f-4b65-8b1d-9b3a0f5a1c04',
  block: '4c6bd6a5-2c2f-4b65-8b1d-9b3a0f5a1c05',
};
const block = { name: 'pool', location: 'de/txl', size: 2, ips: ['85.215.10.4', '85.215.10.9'] };
const nic = { name: 'eth0', lan: 3, ips: [block.ips[1]], mac: '02:01:8c:11:22:33', pciSlot: 9 };
let platform: Awaited<ReturnType<typeof startPlatform>>;
let copier = '';
let owner = '';

before(async () => {
  const config = configOf(new Map(Object.entries({ data, port: '0', pace: '0' })), products);
  platform = await startPlatform(config, { version: '0', log: silent });
  const accounts = platform.ports.use(operatorAccounts);
  copier = (await accounts.generateToken({ copies: true })).token;
  owner = (await accounts.generateToken({})).token;
});
after(async () => {
  await platform.stop();
  rmSync(data, { recursive: true, force: true });
});

interface Answer {
  status: number;
  body: { id: string; properties: Record<string, unknown>; messages?: { message: string }[] };
}

const core = '/cloudapi/v6';
const call = (token: string, method: string, path: string, body?: object): Promise<Answer> =>
  callService(token, method, core + path, body);

async function callService(token: string, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`http://127.0.0.1:${platform.gateway.port}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: (await answer.json()) as Answer['body'] };
}

const create = async (path: string, body: object): Promise<Answer> => {
  const answer = await call(copier, 'POST', path, body);
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
  return until(`${path}/${answer.body.id} is there`, async () => {
    const shown = await call(owner, 'GET', `${path}/${answer.body.id}?depth=3`);
    return shown.status === 200 && { done: JSON.stringify(shown.body).includes('"AVAILABLE"') ? shown : undefined };
  }).then(({ done }) => done as Answer);
};

test('a copy keeps ids, public addresses, MAC addresses and slots', async () => {
  const pool = await create('/ipblocks', { id: ids.block, properties: block });
  assert.deepEqual(pool.body.properties.ips, block.ips);
  await create('/datacenters', { id: ids.datacenter, properties: { name: 'shop', location: 'de/txl' } });
  const inside = `/datacenters/${ids.datacenter}`;
  const lan = await create(`${inside}/lans`, { id: 3, properties: { name: 'front', public: true } });
  assert.equal(lan.body.id, '3');
  const disk = { name: 'disk', type: 'HDD', size: 10, licenceType: 'LINUX', pciSlot: 7, deviceNumber: 3 };
  await create(`${inside}/servers`, {
    id: ids.server,
    properties: { name: 'web', cores: 1, ram: 1024 },
    entities: {
      volumes: { items: [{ id: ids.volume, properties: disk }] },
      nics: { items: [{ id: ids.nic, properties: nic }] },
    },
  });
  const kept = await call(owner, 'GET', `${inside}/servers/${ids.server}/nics/${ids.nic}`);
  for (const name of ['ips', 'mac', 'pciSlot'] as const) assert.deepEqual(kept.body.properties[name], nic[name]);
  const volume = await call(owner, 'GET', `${inside}/servers/${ids.server}/volumes/${ids.volume}`);
  assert.equal(volume.body.properties.pciSlot, 7);
  const leased = { name: 'eth1', lan: 3, ips: ['85.215.77.1'] };
  const second = await create(`${inside}/servers/${ids.server}/nics`, { properties: leased });
  assert.deepEqual(second.body.properties.ips, leased.ips);
});

test('a datacenter that is deleted and created again with its id numbers its LANs from 1', async () => {
  const id = '6d6bd6a5-2c2f-4b65-8b1d-9b3a0f5a1c06';
  for (let round = 0; round < 2; round++) {
    await create('/datacenters', { id, properties: { name: 'again', location: 'de/txl' } });
    const numbers: string[] = [];
    for (const name of ['front', 'back'])
      numbers.push((await create(`/datacenters/${id}/lans`, { properties: { name } })).body.id);
    assert.deepEqual(numbers, ['1', '2']);
    await call(owner, 'DELETE', `/datacenters/${id}`);
    await until('the datacenter is gone', async () => {
      const { status } = await call(owner, 'GET', `/datacenters/${id}`);
      return status === 404;
    });
  }
});

test('NICs of a copy get the address of a failover group before the group exists', async () => {
  const inside = `/datacenters/${ids.datacenter}`;
  const shared = { lan: 3, ips: ['85.215.77.1'] };
  const primary = await create(`${inside}/servers/${ids.server}/nics`, { properties: { ...shared, name: 'primary' } });
  const group = { ipFailover: [{ ip: '85.215.77.1', nicUuid: primary.body.id }] };
  assert.equal((await call(owner, 'PATCH', `${inside}/lans/3`, group)).status, 202);
  const elsewhere = { properties: { lan: 4, ips: ['85.215.77.1'] } };
  const refused = await call(copier, 'POST', `${inside}/servers/${ids.server}/nics`, elsewhere);
  assert.match(refused.body.messages?.[0]?.message ?? '', /85\.215\.77\.1/);
});

test('an id or an address that exists already is refused', async () => {
  const again = await call(copier, 'POST', '/ipblocks', {
    id: ids.block,
    properties: { ...block, ips: ['1.2.3.4', '1.2.3.5'] },
  });
  assert.equal(again.status, 422);
  assert.match(again.body.messages?.[0]?.message ?? '', /ipblock with the id 4c6b.* exists already/);
  const taken = await call(copier, 'POST', '/ipblocks', { properties: block });
  assert.match(taken.body.messages?.[0]?.message ?? '', /85\.215\.10\.4 is already reserved/);
  const short = await call(copier, 'POST', '/ipblocks', { properties: { ...block, ips: ['85.215.10.11'] } });
  assert.match(short.body.messages?.[0]?.message ?? '', /Expected 2 addresses/);
  const strange = await call(copier, 'POST', '/datacenters', {
    id: 'x',
    properties: { name: 'x', location: 'de/txl' },
  });
  assert.match(strange.body.messages?.[0]?.message ?? '', /'x' is not the id of a datacenter/);
});

test('an id of another contract is refused for datacenters, servers and users', async () => {
  const accounts = platform.ports.use(operatorAccounts);
  const other = await accounts.addTestContract();
  const copierThere = await accounts.generateToken({ contract: other.contract, copies: true });
  const there = (path: string, body: object): Promise<Answer> => call(copierThere.token, 'POST', path, body);
  const properties = { name: 'shop', location: 'de/txl' };
  const size = { name: 'web', cores: 1, ram: 1024 };
  const created = await there('/datacenters', { properties });
  assert.equal(created.status, 202);
  const person = { firstname: 'A', lastname: 'B', email: 'a@example.com', password: 'Secret-1234' };
  const { body: me } = await call(owner, 'GET', '/um/users?depth=1');
  const owners = (me as unknown as { items: { id: string }[] }).items[0]?.id;
  const refused: [path: string, body: object][] = [
    ['/datacenters', { id: ids.datacenter, properties }],
    ['/datacenters', { properties, entities: { servers: { items: [{ id: ids.server, properties: size }] } } }],
    [`/datacenters/${created.body.id}/servers`, { id: ids.server, properties: size }],
    ['/um/users', { id: owners, properties: person }],
  ];
  for (const [path, body] of refused) {
    const answer = await until(`an answer of ${path}`, async () => {
      const one = await there(path, body);
      return one.status !== 404 && one.status !== 423 && { one };
    });
    assert.equal(answer.one.status, 422, path);
    assert.match(answer.one.body.messages?.[0]?.message ?? '', /with the id .* exists already/, path);
  }
});

test('another caller, the owner too, may not choose ids or what the region chooses', async () => {
  const withId = await call(owner, 'POST', '/datacenters', {
    id: ids.datacenter,
    properties: { name: 'x', location: 'de/txl' },
  });
  assert.equal(withId.status, 422);
  assert.match(withId.body.messages?.[0]?.message ?? '', /id.*read-only/);
  const withAddresses = await call(owner, 'POST', '/ipblocks', { properties: block });
  assert.match(withAddresses.body.messages?.[0]?.message ?? '', /ips.*read-only/);
  const inside = `/datacenters/${ids.datacenter}/servers/${ids.server}/nics`;
  const leased = await call(owner, 'POST', inside, { properties: { lan: 3, ips: ['85.215.77.2'] } });
  assert.match(leased.body.messages?.[0]?.message ?? '', /not in an IP block/);
});

test('resources of regional services and auto scaling groups keep their ids, and a taken one is refused', async () => {
  const idOf = (number: number): string => `9a6bd6a5-2c2f-4b65-8b1d-9b3a0f5a1c${number}`;
  const group = { ...groupIn(ids.datacenter), replicaConfiguration: { ...replicaConfiguration, volumes: [] } };
  const provider = { name: 'own', email: 'me@example.com', server: 'https://acme.example.com/directory' };
  const cluster = `/de-txl/streaming/clusters/${idOf(13)}`;
  const all: [path: string, id: string, properties: object][] = [
    ['/de-txl/certificate-manager/providers', idOf(10), provider],
    ['/de-txl/monitoring/pipelines', idOf(11), { name: 'figures' }],
    ['/autoscaling/groups', idOf(12), group],
    ['/de-txl/streaming/clusters', idOf(13), { name: 'orders', size: 'XS' }],
    [`${cluster}/topics`, idOf(14), { name: 'orders' }],
  ];
  for (const [path, id, properties] of all) {
    const created = await callService(copier, 'POST', path, { id, properties });
    assert.ok(created.status < 300, `${path} ${JSON.stringify(created.body)}`);
    await until(`${path} is there`, async () => {
      const { body } = await callService(owner, 'GET', `${path}/${id}`);
      return body.id === id && /"(?:state|status)":"AVAILABLE"/.test(JSON.stringify(body));
    });
    const again = await callService(copier, 'POST', path, { id, properties: { ...properties, name: 'other' } });
    assert.match(again.body.messages?.[0]?.message ?? '', /with the id .* exists already/, path);
    const chosen = { id: idOf(20), properties: { ...properties, name: 'third' } };
    const refused = await callService(owner, 'POST', path, chosen);
    // The auto scaling service ignores what a client sends back.
    if (path === '/autoscaling/groups') assert.notEqual(refused.body.id, idOf(20));
    else assert.equal(refused.status, 422, path);
  }
});
