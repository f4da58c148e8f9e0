// The API does not return values that the client did not send: Terraform would plan to remove them, at every plan.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, assertRefused, disk, done, read } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion } from '../harness/region.ts';

suite('what reads back', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  async function grounds() {
    const datacenter = await addDatacenter(region);
    const addLan = async (): Promise<number> =>
      Number((await createDone(region, `${datacenter}/lans`, { properties: { public: false } })).id);
    return { datacenter, listenerLan: await addLan(), targetLan: await addLan() };
  }

  async function addBalancer(kind: 'network' | 'application', more: object = {}) {
    const { datacenter, ...lans } = await grounds();
    const place = `${datacenter}/${kind}loadbalancers`;
    const made = await createDone(region, place, { properties: { name: 'one', ...lans, ...more } });
    return { datacenter, path: `${place}/${made.id}`, ...lans, made };
  }

  test('[CORE-20] a target of a network load balancer has a health check only where one was sent', async () => {
    const { path, made } = await addBalancer('network');
    const [listenerIp] = made.properties.ips as string[];
    const without = { ip: '10.9.8.7', port: 80, weight: 1 };
    const rule = { name: 'web', algorithm: 'ROUND_ROBIN', protocol: 'TCP', listenerIp, listenerPort: 80 };
    const targets = [without, { ...without, port: 81, healthCheck: { checkInterval: 1000 } }];
    const { id } = await createDone(region, `${path}/forwardingrules`, { properties: { ...rule, targets } });
    const at = `${path}/forwardingrules/${id}`;
    const shown = async () => (await read(region, at)).properties.targets;
    const expected = [
      { ...without, proxyProtocol: 'none' },
      {
        ...without,
        port: 81,
        proxyProtocol: 'none',
        healthCheck: { check: true, checkInterval: 1000, maintenance: false },
      },
    ];
    assert.deepEqual(await shown(), expected);
    await done(region, 'PATCH', at, { name: 'renamed' });
    assert.deepEqual(await shown(), expected);
    await done(region, 'PUT', at, { properties: { ...rule, targets: [{ ...without, healthCheck: null }] } });
    assert.deepEqual(await shown(), expected.slice(0, 1));
  });

  test('[CORE-20] targets of a network load balancer are listed by address, then by port', async () => {
    const { path, made } = await addBalancer('network');
    const [listenerIp] = made.properties.ips as string[];
    const rule = { name: 'web', algorithm: 'ROUND_ROBIN', protocol: 'TCP', listenerIp, listenerPort: 80 };
    const target = (ip: string, port: number) => ({ ip, port, weight: 1 });
    const targets = [target('10.0.0.10', 80), target('10.0.0.9', 443), target('9.0.0.1', 1), target('10.0.0.9', 80)];
    const { id } = await createDone(region, `${path}/forwardingrules`, { properties: { ...rule, targets } });
    const at = `${path}/forwardingrules/${id}`;
    const shown = async () =>
      ((await read(region, at)).properties.targets as Record<string, unknown>[]).map(({ ip, port }) => `${ip}:${port}`);
    assert.deepEqual(await shown(), ['9.0.0.1:1', '10.0.0.9:80', '10.0.0.9:443', '10.0.0.10:80']);
    await done(region, 'PATCH', at, { targets: targets.slice(0, 2) });
    assert.deepEqual(await shown(), ['10.0.0.9:443', '10.0.0.10:80']);
  });

  test('[CORE-20] an application load balancer shows the addresses in its target LAN that it was sent', async () => {
    const { datacenter, path, made, listenerLan, targetLan } = await addBalancer('application');
    const shown = async () => (await read(region, path)).properties.lbPrivateIps;
    assert.deepEqual(made.properties.lbPrivateIps, []);
    await done(region, 'PATCH', path, { name: 'renamed' });
    assert.deepEqual(await shown(), []);
    await done(region, 'PATCH', path, { lbPrivateIps: ['10.99.0.4/24'] });
    assert.deepEqual(await shown(), ['10.99.0.4/24']);
    const server = await addServer(region, datacenter);
    const nic = { properties: { lan: targetLan, ips: ['10.99.0.4'] } };
    assertRefused(await region.call('POST', `${server}/nics`, nic), '10.99.0.4 is already in use in this LAN');
    await done(region, 'PATCH', path, { lbPrivateIps: [] });
    assert.deepEqual(await shown(), []);
    await done(region, 'POST', `${server}/nics`, nic);
    await done(region, 'PUT', path, { properties: { name: 'put', listenerLan, targetLan } });
    assert.deepEqual(await shown(), []);
    const other = Number((await createDone(region, `${datacenter}/lans`, { properties: { public: false } })).id);
    await done(region, 'PATCH', path, { targetLan: other });
    assert.deepEqual(await shown(), []);
  });

  test('[CORE-20] a classic load balancer has the DHCP flag that it was sent, or true', async () => {
    const place = `${await addDatacenter(region)}/loadbalancers`;
    const made = async (properties: object) => (await createDone(region, place, { properties })).properties.dhcp;
    assert.deepEqual([await made({}), await made({ dhcp: false }), await made({ dhcp: true })], [true, false, true]);
  });

  test('[CORE-20] a server is in the default group without showing it, until a client names its groups', async () => {
    const datacenter = await addDatacenter(region);
    const group = async (name: string) =>
      (await createDone(region, `${datacenter}/securitygroups`, { properties: { name } })).id;
    const [usual, other] = [await group('usual'), await group('other')];
    await done(region, 'PATCH', datacenter, { defaultSecurityGroupId: usual });
    const server = await addServer(region, datacenter);
    const idsIn = (collection: ResourceBody | undefined) => collection?.items.map(({ id }) => id);
    const shown = async () => idsIn((await read(region, `${server}?depth=1`)).entities.securitygroups);
    const covered = async (id: string) =>
      idsIn((await read(region, `${datacenter}/securitygroups/${id}?depth=1`)).entities.servers);
    const serverId = server.split('/').at(-1);
    assert.deepEqual([await shown(), await covered(usual)], [[], [serverId]]);
    await done(region, 'PATCH', server, { name: 'renamed' });
    assert.deepEqual([await shown(), await covered(usual)], [[], [serverId]]);
    await region.call('PUT', `${server}/securitygroups`, { ids: [usual, other] });
    await done(region, 'PATCH', server, { name: 'again' });
    assert.deepEqual([await shown(), await covered(other)], [[usual, other], [serverId]]);
    const second = await addServer(region, datacenter);
    await done(region, 'DELETE', `${datacenter}/securitygroups/${usual}`);
    assert.deepEqual(await shown(), [other]);
    assert.deepEqual((await read(region, `${second}?depth=1`)).entities.securitygroups?.items, []);
  });

  test('[CORE-18] volumes and snapshots need a legacy BIOS where their source does', async () => {
    const datacenter = await addDatacenter(region);
    const add = async (more: object): Promise<[path: string, flag: unknown]> => {
      const made = await createDone(region, `${datacenter}/volumes`, { properties: { ...disk, size: 30, ...more } });
      const path = `${datacenter}/volumes/${made.id}`;
      return [path, (await read(region, path)).properties.requireLegacyBios];
    };
    const password = { licenceType: undefined, imagePassword: 'Secret12345' };
    const [linux, ofLinux] = await add({ imageAlias: 'ubuntu:latest', ...password });
    const [, ofWindows] = await add({ imageAlias: 'windows:2022', ...password });
    const [, legacy] = await add({ imageAlias: 'ubuntu:latest', ...password, requireLegacyBios: true });
    const [, blank] = await add({});
    assert.deepEqual([ofLinux, ofWindows, legacy, blank], [false, true, true, true]);
    await done(region, 'PUT', linux, { properties: { name: 'put', size: 30 } });
    assert.equal((await read(region, linux)).properties.requireLegacyBios, false);
    const { body } = await done(region, 'POST', `${linux}/create-snapshot`, { properties: { name: 'copy' } });
    assert.equal((await read(region, `${core}/snapshots/${body.id}`)).properties.requireLegacyBios, false);
    const [, copied] = await add({ image: body.id, licenceType: undefined });
    assert.equal(copied, false);
    await done(region, 'PATCH', `${core}/snapshots/${body.id}`, { requireLegacyBios: true });
    const [, changed] = await add({ image: body.id, licenceType: undefined });
    assert.equal(changed, true);
  });
});
