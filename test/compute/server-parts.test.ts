// The parts of a new server and its boot device, black box: existing volumes, CD-ROMs, boot orders, restarts.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  addCube,
  addDatacenter,
  addServer,
  addVolume,
  assertRefused,
  disk,
  done,
  read,
  small,
} from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { type Answer, type Region, type ResourceBody, startRegion, waitRequest } from '../harness/region.ts';

suite('what servers are made of', { concurrency: true }, () => {
  let region: Region;
  let datacenter: string;
  before(async () => {
    region = await startRegion();
    datacenter = await addDatacenter(region);
  });
  after(() => region.stop());

  const post = (properties: object, entities?: object) =>
    region.call('POST', `${datacenter}/servers`, { properties: { ...small, ...properties }, entities });
  const made = async (answer: Answer): Promise<string> => {
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    assert.equal((await waitRequest(region, answer.headers.location)).metadata.status, 'DONE');
    return `${datacenter}/servers/${answer.body.id}`;
  };
  const bootOf = async (path: string) => {
    const { bootVolume, bootCdrom } = (await read(region, path)).properties as Record<string, ResourceBody | null>;
    return bootVolume?.id ?? bootCdrom?.id ?? null;
  };
  const volumesOf = async (path: string) => (await read(region, `${path}/volumes`)).items.map(({ id }) => id);
  const listed = (...volumes: object[]) => ({
    volumes: { items: volumes.map((more) => ('id' in more ? more : { properties: { ...disk, ...more } })) },
  });
  const cdroms = async () =>
    (await read(region, `${core}/images?filter.imageType=CDROM&filter.location=de/txl`)).items.map(({ id }) => id);

  test('[CORE-25] existing volumes are attached to a new server by their ids, together with new ones', async () => {
    const [first, second] = [await addVolume(region, datacenter), await addVolume(region, datacenter)];
    const answer = await post({}, listed({ id: first }, { name: 'made' }, { id: second }));
    const path = await made(answer);
    const request = await read(region, new URL(String(answer.headers.location)).pathname.replace('/status', ''));
    assert.match(String(request.properties.body), new RegExp(`${first}.*made.*${second}`));
    const volumes = await volumesOf(path);
    assert.deepEqual([volumes.length, volumes[0], volumes[1]], [3, first, second]);
    assert.equal(await bootOf(path), first);
    const { properties } = await read(region, `${datacenter}/volumes/${second}`);
    assert.deepEqual([properties.name, properties.size, properties.deviceNumber], ['a disk', 10, 3]);
    assertRefused(
      await post({ cores: 0 }, listed({ id: second, href: 'x' }, { size: 0 }, { id: 7 })),
      '[(root).properties.cores]',
      '105 [(root).entities.volumes.items.[0].href] Attribute is read-only',
      '[(root).entities.volumes.items.[1].properties.size]',
      '100 [(root).entities.volumes.items.[2].id] Attribute is required',
    );
    assertRefused(
      await post({}, listed({ name: 'made' }, { id: second })),
      '200 [(root).entities.volumes.items.[1].id] Volume',
    );
    const unknown = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
    assertRefused(await post({}, listed({ id: unknown })), `items.[0].id] Volume ${unknown} does not exist`);
    await done(region, 'DELETE', path);
    const chosen = await made(await post({ bootVolume: { id: second } }, listed({ id: first }, { id: second })));
    assert.deepEqual([await bootOf(chosen), await volumesOf(chosen)], [second, [first, second]]);
    await done(region, 'DELETE', chosen);
    assertRefused(
      await post({}, listed({ id: first }, { id: first })),
      'items.[1].id] The volume is in the list twice',
    );
  });

  test('[CORE-23] a creation that fails lets go of the volumes that stood before', async () => {
    const own = await startRegion();
    try {
      const top = await addDatacenter(own);
      const id = await addVolume(own, top);
      await own.call('PUT', '/lab/faults', { faults: [{ kind: 'server', step: 'create.boot', mode: 'fail' }] });
      const body = { properties: small, entities: { volumes: { items: [{ id }] } } };
      const answer = await own.call('POST', `${top}/servers`, body);
      assert.equal((await waitRequest(own, answer.headers.location)).metadata.status, 'FAILED');
      const { properties, metadata } = await read(own, `${top}/volumes/${id}`);
      assert.deepEqual([properties.deviceNumber, metadata.state], [null, 'AVAILABLE']);
      assert.deepEqual((await read(own, `${top}/servers`)).items, []);
      await done(own, 'POST', `${top}/servers`, body);
    } finally {
      await own.stop();
    }
  });

  test('[CORE-25] CD-ROMs come to a new server by the ids of their images', async () => {
    const [first, second, third] = (await cdroms()) as [string, string, string];
    const items = (...ids: string[]) => ({ cdroms: { items: ids.map((id) => ({ id })) } });
    const path = await made(await post({ bootCdrom: { id: second } }, items(first, second)));
    const { entities } = await read(region, `${path}?depth=1`);
    assert.deepEqual(new Set(entities.cdroms?.items.map(({ id }) => id)), new Set([first, second]));
    assert.equal(await bootOf(path), second);
    assertRefused(await region.call('POST', `${path}/cdroms`, { id: third }), 'at most 2 CD-ROMs');
    assertRefused(await post({}, items(first, second, third)), 'cdroms.items.[2].id] A server has at most 2 CD-ROMs');
    assertRefused(await post({}, items(first, first)), 'cdroms.items.[1].id] The image is in the list twice');
    assertRefused(
      await post({ cores: 0 }, { cdroms: { items: [{ properties: {} }] } }),
      '[(root).properties.cores]',
      '107 [(root).entities.cdroms.items.[0].properties]',
      '[(root).entities.cdroms.items.[0].id] Attribute is required',
    );
    assertRefused(await post({}, { cdroms: [] }), '[(root).entities.cdroms.items] A list is expected');
  });

  test('a server boots from the PRIMARY volume, and all others are NONE', async () => {
    const path = await made(await post({}, listed({ bootOrder: 'NONE' }, { bootOrder: 'PRIMARY' })));
    const [, primary] = (await volumesOf(path)) as [string, string];
    assert.equal(await bootOf(path), primary);
    const place = (at: number) => `[(root).entities.volumes.items.[${at}].properties.bootOrder]`;
    assertRefused(
      await post({}, listed({}, { bootOrder: 'PRIMARY' })),
      `${place(0)} Another volume of the server is PRIMARY`,
      `${place(1)} A server boots from its PRIMARY volume`,
    );
    assertRefused(await post({}, listed({ bootOrder: 'PRIMARY' }, { bootOrder: 'PRIMARY' })), place(0), place(1));
    const usual = await addVolume(region, datacenter);
    assertRefused(
      await region.call('POST', `${path}/volumes`, { id: usual }),
      '[(root).id] Another volume of the server is PRIMARY',
    );
    const none = { properties: { ...disk, bootOrder: 'NONE' } };
    const { body: added } = await done(region, 'POST', `${path}/volumes`, none);
    const order = (id: string, bootOrder: string | null) =>
      region.call('PATCH', `${datacenter}/volumes/${id}`, { bootOrder });
    assertRefused(await order(added.id, 'PRIMARY'), '[(root).bootOrder] A server boots from its PRIMARY volume');
    assertRefused(await order(added.id, null), '[(root).bootOrder] Another volume of the server is PRIMARY');
    assertRefused(
      await region.call('PATCH', path, { bootVolume: { id: added.id } }),
      `[(root).bootVolume] Volume ${primary} is PRIMARY`,
    );
    assert.equal(await bootOf(path), primary);
    for (const [id, bootOrder, boots] of [
      [primary, 'NONE', null],
      [added.id, 'PRIMARY', added.id],
      [added.id, 'NONE', null],
      [primary, 'AUTO', primary],
      [added.id, 'AUTO', primary],
    ] as const) {
      await waitRequest(region, (await order(id, bootOrder)).headers.location);
      assert.equal(await bootOf(path), boots, `${bootOrder} of ${id}`);
    }
    const { body: free } = await region.call('POST', `${datacenter}/volumes`, {
      properties: { ...disk, bootOrder: 'PRIMARY' },
    });
    assert.equal(free.properties.bootOrder, 'PRIMARY');
  });

  test('of two volumes that become PRIMARY at once, one does', async () => {
    const path = await made(await post({}, listed({ bootOrder: 'NONE' }, { bootOrder: 'NONE' })));
    const volumes = await volumesOf(path);
    const answers = await Promise.all(
      volumes.map((id) => region.call('PATCH', `${datacenter}/volumes/${id}`, { bootOrder: 'PRIMARY' })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 422]);
    const winner = answers.findIndex(({ status }) => status === 202);
    await waitRequest(region, answers[winner]?.headers.location);
    assert.equal(await bootOf(path), volumes[winner]);
  });

  test('a server boots from one device, and has no placement group', async () => {
    const path = await addServer(region, datacenter, {}, listed({}));
    const [volume] = await volumesOf(path);
    const [image] = await cdroms();
    const both = { bootVolume: { id: volume }, bootCdrom: { id: image } };
    assertRefused(await region.call('PATCH', path, both), '[(root).bootCdrom] Only one of bootVolume and bootCdrom');
    assertRefused(
      await post({ ...both, placementGroupId: 'x' }),
      '[(root).properties.bootCdrom] Only one',
      '[(root).properties.placementGroupId] Placement groups are not supported',
    );
    await done(region, 'PATCH', path, { bootVolume: null, bootCdrom: { id: image }, placementGroupId: null });
    assert.equal(await bootOf(path), image);
  });

  test('multi-queue NICs restart a server that runs, and a Cube has none', async () => {
    const path = await addServer(region, datacenter);
    const boots = async () => (await read(region, `/lab/machines/${path.split('/').at(-1)}`)).boots as unknown;
    assert.equal(await boots(), 1);
    await done(region, 'PATCH', path, { nicMultiQueue: true });
    assert.equal(await boots(), 2);
    await done(region, 'PATCH', path, { nicMultiQueue: true, name: 'x' });
    assert.equal(await boots(), 2);
    await done(region, 'POST', `${path}/stop`);
    await done(region, 'PATCH', path, { nicMultiQueue: false });
    assert.equal(await boots(), 2);
    const cube = await addCube(region, datacenter);
    const refusal = '200 [(root).nicMultiQueue] A Cube has no multi-queue NICs';
    assertRefused(await region.call('PATCH', cube, { nicMultiQueue: true }), refusal);
    await done(region, 'PATCH', cube, { nicMultiQueue: false });
  });

  test('a restart with fewer cores logs no device that was attached all the time', async () => {
    const nics = { items: [{ properties: { lan: 1 } }] };
    const path = await addServer(region, datacenter, { cores: 2 }, { ...listed({}), nics });
    await done(region, 'PATCH', path, { cores: 1 });
    const { console: screen, boots } = await read(region, `/lab/machines/${path.split('/').at(-1)}`);
    assert.equal(boots as unknown, 2);
    assert.doesNotMatch(String(screen), /attached|detached/);
  });

  test('each message names the part that it is about', async () => {
    const { items } = await read(region, `${core}/templates`);
    assertRefused(
      await post({ type: 'CUBE', templateUuid: items[0]?.id, cores: undefined, ram: undefined }),
      '[(root).entities.volumes] A Cube needs exactly one volume of type DAS, not 0',
    );
    const many = Array.from({ length: 25 }, () => ({ properties: { lan: 1 } }));
    assertRefused(
      await post({}, { nics: { items: many } }),
      '[(root).entities.nics.items.[24]] A server has at most 24',
    );
    const { body } = await post({ type: 'VCPU', cores: 70 });
    assert.deepEqual(
      body.messages.map(({ message }: { message: string }) => message),
      ['[(root).properties.cores] Attribute value 70 is above the maximum of 60 of a vCPU server'],
    );
  });

  test('a Cube can be created with a datacenter, and a DAS volume not without a Cube', async () => {
    const { items } = await read(region, `${core}/templates`);
    const cube = { properties: { type: 'CUBE', templateUuid: items[0]?.id }, entities: listed() };
    const das = { properties: { name: 'nvme', type: 'DAS', licenceType: 'LINUX' } };
    const properties = { name: 'with a Cube', location: 'de/txl' };
    const servers = { items: [{ ...cube, entities: { volumes: { items: [das] } } }] };
    const answer = await region.call('POST', `${core}/datacenters`, { properties, entities: { servers } });
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    assert.equal((await waitRequest(region, answer.headers.location)).metadata.status, 'DONE');
    const alone = { properties, entities: { volumes: { items: [das] } } };
    assertRefused(
      await region.call('POST', `${core}/datacenters`, alone),
      '[(root).entities.volumes.items.[0].properties.type] A DAS volume can only be created with a server of type CUBE',
    );
  });
});
