// Volumes, images and snapshots, black box.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, addServer, addVolume, assertRefused, disk, done, figures, read } from '../harness/landscape.ts';
import { addGroup, addPerson, core } from '../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../harness/region.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIIoGfPcMqB6SgWYrLDyV2zPpYK1qJf0t2T6m1cUyJXq9 somebody@somewhere';

suite('volumes', { concurrency: true }, () => {
  let region: Region;
  let datacenter: string;
  before(async () => {
    region = await startRegion();
    datacenter = await addDatacenter(region);
  });
  after(() => region.stop());

  const post = (properties: object) => region.call('POST', `${datacenter}/volumes`, { properties });
  const fromImage = { name: 'system', type: 'SSD Premium', size: 20, imageAlias: 'ubuntu:latest', sshKeys: [key] };

  test('[CORE-13] a volume has a size and one of four types, and only grows', async () => {
    for (const type of ['HDD', 'SSD Standard', 'SSD Premium']) await addVolume(region, datacenter, { type });
    assertRefused(await post({ ...disk, type: 'TAPE' }), 'Expected one of [HDD, SSD, SSD Standard, SSD Premium, DAS]');
    assertRefused(await post({ name: 'x' }), 'properties.type] Attribute is required', 'size] Attribute is required');
    assertRefused(
      await post({ ...disk, licenceType: undefined }),
      'One of image, imageAlias and licenceType is required',
    );
    const id = await addVolume(region, datacenter, { licenceType: 'linux' });
    const path = `${datacenter}/volumes/${id}`;
    const { properties } = await read(region, path);
    assert.deepEqual(
      [properties.licenceType, properties.bus, properties.availabilityZone, properties.bootOrder, properties.image],
      ['LINUX', 'VIRTIO', 'AUTO', 'AUTO', null],
    );
    await done(region, 'PATCH', path, { size: 15 });
    assert.equal((await read(region, path)).properties.size, 15);
    assertRefused(await region.call('PATCH', path, { size: 14 }), 'can only grow. It has 15 GB');
    assertRefused(await region.call('PATCH', path, { type: 'SSD' }), 'type] Attribute can not be changed');
  });

  test('[CORE-13] [CORE-18] a volume from an image is what the image is; what it was given is never shown', async () => {
    const secrets = { imagePassword: 'Secret12345', userData: base64('#cloud-config\npackages: [nginx]\n') };
    const { id } = await createDone(region, `${datacenter}/volumes`, { properties: { ...fromImage, ...secrets } });
    const { properties } = await read(region, `${datacenter}/volumes/${id}`);
    const image = await read(region, `${core}/images/${properties.image}`);
    assert.ok((image.properties.imageAliases as string[]).includes('ubuntu:latest'));
    assert.equal(image.properties.location, 'de/txl');
    for (const name of ['imageAlias', 'imagePassword', 'sshKeys', 'userData', 'backupunitId'])
      assert.equal(properties[name], null, name);
    for (const name of ['licenceType', 'cpuHotPlug', 'nicHotPlug'])
      assert.equal(properties[name], image.properties[name]);
    assertRefused(
      await region.call('PATCH', `${datacenter}/volumes/${id}`, { userData: base64('#!/bin/sh\n') }),
      'userData]',
    );
    assertRefused(await post({ ...fromImage, size: 1 }), 'size] The image needs');
    assertRefused(await post({ ...fromImage, imageAlias: 'plan9:latest' }), '100 [(root).properties.imageAlias]');
    assertRefused(await post({ ...fromImage, imageAlias: 'ubuntu:latest_iso' }), 'is a CD-ROM');
    assertRefused(await post({ ...fromImage, imagePassword: 'short' }), 'Password syntax error');
    assertRefused(await post({ ...fromImage, sshKeys: ['nonsense'] }), 'Expected a public SSH key');
    assertRefused(await post({ ...disk, sshKeys: [key] }), 'requires an image or an imageAlias');
    const { items } = await read(region, `${core}/images?depth=1&filter.location=us/las&filter.imageType=HDD`);
    const foreignImage = { ...fromImage, imageAlias: undefined, image: items[0]?.id };
    assertRefused(await post(foreignImage), '[VDC-5-622]');
  });

  test('[CORE-13] an empty image or alias is none', async () => {
    const { items } = await read(region, `${core}/images?depth=1&filter.location=de/txl&filter.imageAliases=debian:12`);
    const image = items.find(({ properties }) => properties.imageType === 'HDD') as ResourceBody;
    const system = { name: 'system', type: 'SSD', size: 20, imagePassword: 'Secret12345' };
    const byId = { ...system, image: image.id, imageAlias: '' };
    const { id } = await createDone(region, `${datacenter}/volumes`, { properties: byId });
    const { properties } = await read(region, `${datacenter}/volumes/${id}`);
    assert.deepEqual([properties.image, properties.licenceType, properties.cpuHotPlug], [image.id, 'LINUX', true]);
    const byAlias = { ...system, image: '', imageAlias: 'debian:12' };
    const other = await createDone(region, `${datacenter}/volumes`, { properties: byAlias });
    assert.equal((await read(region, `${datacenter}/volumes/${other.id}`)).properties.image, image.id);
    assertRefused(
      await post({ ...system, imagePassword: undefined, image: '', imageAlias: '' }),
      'One of image, imageAlias and licenceType is required',
    );
    const blank = { ...disk, image: '', imageAlias: '', sshKeys: [key] };
    assertRefused(await post(blank), 'sshKeys] Attribute requires an image or an imageAlias');
  });

  test('[CORE-13] SSH keys are for Linux images', async () => {
    const windows = { ...fromImage, size: 100, imageAlias: 'windows:2022', imagePassword: 'Secret12345' };
    assertRefused(await post(windows), '100 [(root).properties.sshKeys] SSH keys are for public Linux images');
    assert.equal((await post({ ...windows, sshKeys: [] })).status, 202);
  });

  test('a PUT keeps the size of a volume, and what a volume or snapshot has from its source', async () => {
    const { id } = await createDone(region, `${datacenter}/volumes`, { properties: fromImage });
    const path = `${datacenter}/volumes/${id}`;
    const source = ['licenceType', 'cpuHotPlug', 'ramHotPlug', 'nicHotUnplug'];
    const bootProperties = async (at: string) => {
      const { properties } = await read(region, at);
      return [properties.name, ...source.map((name) => properties[name]), properties.requireLegacyBios];
    };
    const [, ...before] = await bootProperties(path);
    await done(region, 'PUT', path, { properties: { name: 'put' } });
    assert.equal((await read(region, path)).properties.size, fromImage.size);
    await done(region, 'PUT', path, { properties: { size: 20 } });
    assert.deepEqual(await bootProperties(path), ['put', ...before]);
    const { body } = await done(region, 'POST', `${path}/create-snapshot`, {});
    const snapshot = `${core}/snapshots/${body.id}`;
    await done(region, 'PUT', snapshot, { properties: { name: 'put' } });
    assert.deepEqual(await bootProperties(snapshot), ['put', ...before]);
    await done(region, 'PUT', snapshot, { properties: { name: 'put', cpuHotPlug: false, licenceType: 'OTHER' } });
    assert.deepEqual((await bootProperties(snapshot)).slice(1, 3), ['OTHER', false]);
  });

  test('[CORE-17] older clients send snapshots as forms', async () => {
    const path = `${datacenter}/volumes/${await addVolume(region, datacenter)}`;
    const form = async (action: string, fields: Record<string, string>) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return region.call('POST', `${path}/${action}`, String(new URLSearchParams(fields)), { headers });
    };
    const made = await form('create-snapshot', { name: 'a & b', description: 'é', secAuthProtection: 'true' });
    assert.equal(made.status, 202, JSON.stringify(made.body));
    await waitRequest(region, made.headers.location);
    const { properties } = await read(region, `${core}/snapshots/${made.body.id}`);
    assert.deepEqual(
      [properties.name, properties.description, properties.secAuthProtection, properties.licenceType],
      ['a & b', 'é', true, 'LINUX'],
    );
    assert.equal((await form('restore-snapshot', { snapshotId: made.body.id })).status, 202);
    assertRefused(await form('create-snapshot', { colour: 'red' }), '106 [(root).properties.colour]');
    assertRefused(await form('create-snapshot', { secAuthProtection: 'maybe' }), 'Expected true or false');
    assertRefused(await region.call('POST', `${path}/create-snapshot`, '{'), 'not valid JSON');
  });

  test('[CORE-14] user data is base64, with padding or without; only invalid base64 is refused', async () => {
    for (const text of [
      '#cloud-config\n',
      '#!/bin/sh\n',
      'Content-Type: text/x-shellscript\n\n',
      '#include\nhttp://a\n',
      'just some words',
    ]) {
      const answer = await done(region, 'POST', `${datacenter}/volumes`, {
        properties: { ...fromImage, userData: base64(text) },
      });
      assert.equal(answer.status, 202, text);
    }
    assertRefused(await post({ ...fromImage, userData: '#cloud-config' }), 'properties.userData]');
    for (const userData of ['foo', base64('#!/bin/sh\n').replace(/=+$/, ''), ''])
      assert.equal((await post({ ...fromImage, userData })).status, 202, userData);
  });

  test('[CORE-17] a snapshot is a full copy in the same location; it seeds volumes and restores them', async () => {
    const id = (await createDone(region, `${datacenter}/volumes`, { properties: fromImage })).id;
    const volume = `${datacenter}/volumes/${id}`;
    const properties = { name: 'yesterday', description: 'a copy' };
    const answer = await done(region, 'POST', `${volume}/create-snapshot`, { properties });
    assert.deepEqual([answer.status, answer.body.type], [202, 'snapshot']);
    const path = `${core}/snapshots/${answer.body.id}`;
    const snapshot = await read(region, path);
    assert.deepEqual(
      [snapshot.properties.name, snapshot.properties.location, snapshot.properties.size, snapshot.metadata.state],
      ['yesterday', 'de/txl', 20, 'AVAILABLE'],
    );
    const copy = { name: 'copy', type: 'HDD', size: 20, image: snapshot.id };
    const seeded = await createDone(region, `${datacenter}/volumes`, { properties: copy });
    assert.equal((await read(region, `${datacenter}/volumes/${seeded.id}`)).properties.image, snapshot.id);
    assertRefused(await post({ ...copy, size: 10 }), 'needs 20 GB');
    assertRefused(await post({ ...copy, imagePassword: 'Secret12345' }), 'not allowed for a volume from a snapshot');
    const restore = { properties: { snapshotId: snapshot.id } };
    assert.equal((await done(region, 'POST', `${volume}/restore-snapshot`, restore)).status, 202);
    const unknown = { properties: { snapshotId: id } };
    assertRefused(await region.call('POST', `${volume}/restore-snapshot`, unknown), 'Snapshot ');
    const otherDatacenter = await addDatacenter(region, 'de/fra');
    const foreign = await region.call('POST', `${otherDatacenter}/volumes`, { properties: copy });
    assertRefused(foreign, '[VDC-5-622]');
    await done(region, 'DELETE', volume);
    assert.equal((await read(region, path)).metadata.state, 'AVAILABLE', 'it outlives its volume');
    await done(region, 'PATCH', path, { name: 'renamed' });
    assert.equal((await read(region, path)).properties.name, 'renamed');
    await done(region, 'DELETE', path);
    assert.equal((await region.call('GET', path)).status, 404);
  });

  test('a snapshot needs a privilege, and is seen by its maker', async () => {
    const [one, other] = [await addPerson(region), await addPerson(region)];
    await addGroup(region, ['createDataCenter'], [one.user]);
    const made = await createDone(
      region,
      `${core}/datacenters`,
      { properties: { name: 'mine', location: 'de/txl' } },
      one,
    );
    const volume = await createDone(region, `${core}/datacenters/${made.id}/volumes`, { properties: disk }, one);
    const path = `${core}/datacenters/${made.id}/volumes/${volume.id}/create-snapshot`;
    const refused = await region.call('POST', path, { properties: { name: 'x' } }, one);
    assert.equal(refused.status, 403);
    await addGroup(region, ['createSnapshot'], [one.user]);
    const { body: snapshot } = await region.call('POST', path, { properties: { name: 'x' } }, one);
    assert.equal((await region.call('GET', `${core}/snapshots/${snapshot.id}`, undefined, other)).status, 404);
    assert.equal((await region.call('GET', `${core}/snapshots/${snapshot.id}`, undefined, one)).status, 200);
  });

  test('resources of other users of the contract do not exist for users who may not see them', async () => {
    const stranger = await addPerson(region);
    const group = await addGroup(region, ['createDataCenter'], [stranger.user]);
    const properties = { name: 'theirs', location: 'de/txl' };
    const { id } = await createDone(region, `${core}/datacenters`, { properties }, stranger);
    const theirs = `${core}/datacenters/${id}`;
    const source = `${datacenter}/volumes/${(await createDone(region, `${datacenter}/volumes`, { properties: disk })).id}`;
    const snapshot = (await done(region, 'POST', `${source}/create-snapshot`, { properties: {} })).body;
    const pcc = await createDone(region, `${core}/pccs`, { properties: { name: 'ours' } });
    const block = await createDone(region, `${core}/ipblocks`, { properties: { location: 'de/txl', size: 1 } });
    const [ip] = (await read(region, `${core}/ipblocks/${block.id}`)).properties.ips as string[];
    const volume = await createDone(region, `${theirs}/volumes`, { properties: disk }, stranger);
    const gateway = { name: 'out', publicIps: [ip] };
    const copy = { ...disk, image: snapshot.id };
    const tries: [path: string, properties: object, why: string][] = [
      ['volumes', copy, 'Image '],
      [`volumes/${volume.id}/restore-snapshot`, { snapshotId: snapshot.id }, 'Snapshot '],
      ['lans', { pcc: pcc.id }, 'Cross connect '],
      ['natgateways', gateway, 'is not in an IP block'],
    ];
    for (const [path, sent, why] of tries)
      assertRefused(await region.call('POST', `${theirs}/${path}`, { properties: sent }, stranger), why);
    const share = `${core}/um/groups/${group.id}/shares/${snapshot.id}`;
    assert.equal((await region.call('POST', share, { properties: {} })).status, 202);
    assert.equal((await region.call('POST', `${theirs}/volumes`, { properties: copy }, stranger)).status, 202);
  });

  test('an SSH key of blanks is refused at once, and the end of a line is not part of a key', async () => {
    const blanks = `ssh-rsa A${' '.repeat(16_000)}\nx`;
    const before = performance.now();
    assertRefused(await post({ ...fromImage, sshKeys: Array.from({ length: 60 }, () => blanks) }), 'sshKeys.[0]');
    assert.ok(performance.now() - before < 10_000, `${performance.now() - before} ms`);
    for (const end of ['', '\n', '\r\n\n', ' \n']) {
      const { status } = await post({ ...fromImage, sshKeys: [key + end] });
      assert.equal(status, 202, JSON.stringify(end));
    }
  });

  test('[CORE-21] sizes count against the contract, exactly', async () => {
    const own = await startRegion();
    try {
      const top = await addDatacenter(own);
      const id = await addVolume(own, top, { size: 10 });
      await addVolume(own, top, { type: 'SSD Premium', size: 5 });
      const server = await addServer(own, top, { cores: 3, ram: 2048 });
      const usage = async () => {
        const now = await figures(own);
        return [now.hddVolumeProvisioned, now.ssdVolumeProvisioned, now.coresProvisioned, now.ramProvisioned];
      };
      assert.deepEqual(await usage(), [10_240, 5120, 3, 2048]);
      await done(own, 'PATCH', `${top}/volumes/${id}`, { size: 12 });
      await done(own, 'PATCH', server, { cores: 2 });
      assert.deepEqual(await usage(), [12_288, 5120, 2, 2048]);
      await done(own, 'DELETE', `${top}/volumes/${id}`);
      assert.deepEqual(await usage(), [0, 5120, 2, 2048]);
      await done(own, 'DELETE', top);
      assert.deepEqual(await usage(), [0, 0, 0, 0]);
    } finally {
      await own.stop();
    }
  });

  test('servers, volumes and snapshots can have labels as well', async () => {
    const server = await addServer(region, datacenter);
    const id = await addVolume(region, datacenter);
    const copied = await done(region, 'POST', `${datacenter}/volumes/${id}/create-snapshot`, {});
    for (const [type, path] of [
      ['server', server],
      ['volume', `${datacenter}/volumes/${id}`],
      ['snapshot', `${core}/snapshots/${copied.body.id}`],
    ] as const) {
      const made = await region.call('POST', `${path}/labels`, { properties: { key: 'kind', value: type } });
      assert.equal(made.status, 201, JSON.stringify(made.body));
      const resourceId = path.split('/').at(-1);
      const label: ResourceBody = await read(region, `${core}/labels/urn:label:${type}:${resourceId}:kind`);
      assert.deepEqual([label.properties.value, label.properties.resourceId], [type, resourceId]);
    }
  });
});
