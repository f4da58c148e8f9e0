// Servers of all kinds, black box: their bounds, what can be done with them, what they hold.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  addCube,
  addDatacenter,
  addServer,
  addVolume,
  assertRefused,
  das,
  disk,
  done,
  read,
  small,
  templateId,
} from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../harness/region.ts';

suite('servers', { concurrency: true }, () => {
  let region: Region;
  let datacenter: string;
  before(async () => {
    region = await startRegion();
    datacenter = await addDatacenter(region);
  });
  after(() => region.stop());

  const post = (properties: object, entities?: object) =>
    region.call('POST', `${datacenter}/servers`, { properties, ...(entities && { entities }) });

  test('[CORE-07] cores and RAM have bounds, which the refusal names, all together', async () => {
    assertRefused(
      await post({ ...small, cores: 63, ram: 235_776, availabilityZone: 'ZONE_3' }),
      '[(root).properties.cores] Attribute value 63 is above the maximum of 62',
      '[(root).properties.ram] Attribute value 235776 is above the maximum of 235520',
      "109 [(root).properties.availabilityZone] Attribute value 'ZONE_3' not allowed",
    );
    assertRefused(await post({ ...small, ram: 1000 }), 'Attribute value 1000 is not a multiple of 256');
    assertRefused(await post({ ...small, type: 'VCPU', cores: 61 }), 'above the maximum of 60');
    assertRefused(await post({ name: 'nothing' }), 'properties.cores] Attribute is required', 'properties.ram]');
    const most = await createDone(region, `${datacenter}/servers`, {
      properties: { ...small, cores: 62, ram: 235_520 },
    });
    assert.equal((await read(region, `${datacenter}/servers/${most.id}`)).properties.cores, 62);
    await done(region, 'DELETE', `${datacenter}/servers/${most.id}`);
  });

  test('[CORE-08] the CPU family can be chosen and changed on Dedicated Core servers, and on no others', async () => {
    const path = await addServer(region, datacenter, { cpuFamily: 'INTEL_ICELAKE' });
    assert.equal((await read(region, path)).properties.cpuFamily, 'INTEL_ICELAKE');
    await done(region, 'PATCH', path, { cpuFamily: 'INTEL_SKYLAKE' });
    assert.equal((await read(region, path)).properties.cpuFamily, 'INTEL_SKYLAKE');
    assertRefused(await region.call('PATCH', path, { cpuFamily: 'Z80' }), /109 .*cpuFamily\].*'Z80'.*INTEL_ICELAKE/);
    assertRefused(await post({ ...small, type: 'VCPU', cpuFamily: 'INTEL_SKYLAKE' }), 'Omit the property');
    const shared = await addServer(region, datacenter, { type: 'VCPU' });
    const { properties } = await read(region, shared);
    assert.ok(properties.cpuFamily);
    assertRefused(await region.call('PATCH', shared, { cpuFamily: 'AMD_EPYC_X' }), 'Omit the property');
    const far = await addDatacenter(region, 'us/las');
    const usual = async (at: string) => (await read(region, await addServer(region, at))).properties.cpuFamily;
    assert.deepEqual([await usual(datacenter), await usual(far)], ['INTEL_SKYLAKE', 'INTEL_XEON']);
    const [first] = (await read(region, far)).properties.cpuArchitecture as ResourceBody['properties'][];
    assert.equal(first?.cpuFamily, 'INTEL_XEON');
    await done(region, 'PATCH', shared, { cores: 2 });
    assert.equal((await read(region, shared)).properties.cpuFamily, properties.cpuFamily);
  });

  test('[CORE-09] a server is in zone 1, zone 2 or any', async () => {
    const path = await addServer(region, datacenter, { availabilityZone: 'ZONE_2' });
    assert.equal((await read(region, path)).properties.availabilityZone, 'ZONE_2');
    assertRefused(await post({ ...small, availabilityZone: 'ZONE_3' }), 'Expected one of [AUTO, ZONE_1, ZONE_2]');
  });

  test('[CORE-10] a Cube is what its template says, and its NVMe stays', async () => {
    const template = await templateId(region);
    const properties = { name: 'cube', type: 'CUBE', templateUuid: template };
    assertRefused(
      await post({ name: 'cube', type: 'CUBE' }, { volumes: das }),
      'properties.templateUuid] Attribute is required',
    );
    assertRefused(
      await post({ ...properties, cores: 2, cpuFamily: 'AMD_EPYC' }, { volumes: das }),
      'VDC-5-1921',
      'cores]',
    );
    assertRefused(await post(properties), 'exactly one volume of type DAS');
    assertRefused(await post({ ...small }, { volumes: das }), 'CUBE');
    assertRefused(
      await region.call('POST', `${datacenter}/volumes`, { properties: { ...disk, type: 'DAS' } }),
      'only be created with a server of type CUBE',
    );
    const path = await addCube(region, datacenter);
    const cube = await read(region, `${path}?depth=3`);
    const { cores, ram, type, cpuFamily, vmState } = cube.properties;
    assert.deepEqual([cores, ram, type, cpuFamily, vmState], [1, 2048, 'CUBE', 'AMD_EPYC', 'RUNNING']);
    const [nvme] = (cube.entities.volumes as ResourceBody).items;
    assert.deepEqual([nvme?.properties.type, nvme?.properties.size], ['DAS', 60]);
    assert.equal((cube.properties.bootVolume as ResourceBody).id, nvme?.id);
    assertRefused(await region.call('PATCH', path, { cores: 4 }), 'The template of a Cube determines the value');
    assertRefused(await region.call('DELETE', `${path}/volumes/${nvme?.id}`), "can't be detached");
    assertRefused(await region.call('DELETE', `${datacenter}/volumes/${nvme?.id}`), "can't be deleted");
    await done(region, 'DELETE', path);
    assert.equal((await region.call('GET', `${datacenter}/volumes/${nvme?.id}`)).status, 404);
  });

  test('[CORE-11] 23 volumes can be attached to a Cube, and not one more', async () => {
    const path = await addCube(region, datacenter);
    for (let count = 0; count < 23; count++)
      await done(region, 'POST', `${path}/volumes`, { properties: { ...disk, name: `add-on ${count}` } });
    assertRefused(await region.call('POST', `${path}/volumes`, { properties: disk }), 'at most 24 volumes');
    const { items } = await read(region, `${path}/volumes`);
    assert.equal(items.length, 24);
    await done(region, 'DELETE', `${path}?deleteVolumes=true`);
  });

  test('[CORE-12] a Cube is suspended and resumed, and not stopped', async () => {
    const path = await addCube(region, datacenter);
    assertRefused(await region.call('POST', `${path}/stop`), "can't be stopped");
    await done(region, 'POST', `${path}/suspend`);
    assert.equal((await read(region, path)).properties.vmState, 'SUSPENDED');
    assertRefused(await region.call('POST', `${path}/reboot`), 'SUSPENDED');
    await done(region, 'POST', `${path}/resume`);
    assert.equal((await read(region, path)).properties.vmState, 'RUNNING');
    const server = await addServer(region, datacenter);
    assertRefused(await region.call('POST', `${server}/suspend`), "can't be suspended");
  });

  test('[CORE-19] [CORE-22] servers start, stop and reboot', async () => {
    const path = await addServer(region, datacenter);
    assert.equal((await read(region, path)).metadata.state, 'AVAILABLE');
    for (const [act, state] of [
      ['stop', 'SHUTOFF'],
      ['start', 'RUNNING'],
      ['reboot', 'RUNNING'],
      ['upgrade', 'RUNNING'],
    ] as const) {
      const answer = await done(region, 'POST', `${path}/${act}`);
      assert.equal(answer.status, 202);
      assert.equal((await read(region, path)).properties.vmState, state, act);
    }
  });

  test('[CORE-19] volumes are attached and detached; the first one is booted from', async () => {
    const path = await addServer(region, datacenter);
    const [first, second] = [await addVolume(region, datacenter), await addVolume(region, datacenter)];
    const answer = await done(region, 'POST', `${path}/volumes`, { id: first });
    assert.deepEqual([answer.status, answer.body.id, answer.body.type], [202, first, 'volume']);
    await done(region, 'POST', `${path}/volumes`, { id: second });
    const server = await read(region, `${path}?depth=1`);
    assert.equal((server.properties.bootVolume as ResourceBody).id, first);
    assert.deepEqual(
      server.entities.volumes?.items.map(({ id, href }) => [id, href]),
      [first, second].map((id) => [id, `${region.url}${datacenter}/volumes/${id}`]),
    );
    const volume = await read(region, `${datacenter}/volumes/${first}`);
    assert.deepEqual(
      [volume.properties.bootServer, volume.properties.deviceNumber, volume.properties.pciSlot],
      [server.id, 1, 5],
    );
    const attached = await read(region, `${datacenter}/volumes/${second}`);
    assert.equal(attached.properties.bootServer, server.id, 'also where it boots from another one');
    assertRefused(await region.call('POST', `${path}/volumes`, { id: first }), 'already attached to this server');
    assertRefused(await region.call('POST', `${path}/volumes`, { id: first, href: 'x' }), '105 [(root).href]');
    assertRefused(
      await region.call('POST', `${path}/volumes`, { id: first, properties: {} }),
      '107 [(root).properties]',
    );
    await done(region, 'PATCH', path, { bootVolume: { id: second } });
    assert.equal(((await read(region, path)).properties.bootVolume as ResourceBody).id, second);
    await done(region, 'PATCH', `${datacenter}/volumes/${second}`, { bootOrder: 'NONE' });
    assert.equal((await read(region, path)).properties.bootVolume, null);
    const gone = await done(region, 'DELETE', `${path}/volumes/${second}`);
    assert.equal(gone.status, 202);
    assert.equal((await region.call('GET', `${path}/volumes/${second}`)).status, 404);
    const free = await read(region, `${datacenter}/volumes/${second}`);
    assert.deepEqual([free.properties.deviceNumber, free.properties.bootServer], [null, null]);
    await done(region, 'DELETE', `${datacenter}/volumes/${first}`);
    assert.deepEqual((await read(region, `${path}/volumes`)).items, []);
  });

  test('a server can be created to boot from an existing volume', async () => {
    const id = await addVolume(region, datacenter);
    const path = await addServer(region, datacenter, { bootVolume: { id } });
    const server = await read(region, `${path}?depth=1`);
    assert.equal((server.properties.bootVolume as ResourceBody).id, id);
    assert.deepEqual(
      server.entities.volumes?.items.map((one) => one.id),
      [id],
    );
    assertRefused(await post({ ...small, bootVolume: { id } }), 'attached to another server');
  });

  test('[CORE-25] a server comes with its volumes and NICs in one request, and goes with what is its own', async () => {
    const answer = await post(
      { ...small, name: 'Web 01', cores: 2 },
      {
        volumes: { items: [{ properties: { ...disk, size: 20 } }, { properties: { ...disk, type: 'SSD' } }] },
        nics: { items: [{ properties: { lan: 77, dhcp: true } }, { properties: { lan: 77 } }] },
      },
    );
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    await waitRequest(region, answer.headers.location);
    const path = `${datacenter}/servers/${answer.body.id}`;
    const server = await read(region, `${path}?depth=3`);
    assert.equal(server.properties.hostname, 'web-01');
    const [volumes, nics] = [server.entities.volumes?.items ?? [], server.entities.nics?.items ?? []];
    assert.deepEqual(
      volumes.map(({ properties }) => properties.pciSlot),
      [5, 6],
    );
    assert.deepEqual(
      nics.map(({ properties }) => properties.pciSlot),
      [7, 8],
    );
    assert.equal((server.properties.bootVolume as ResourceBody).id, volumes[0]?.id);
    const lan = await read(region, `${datacenter}/lans/77?depth=1`);
    assert.deepEqual([lan.properties.public, lan.metadata.state], [false, 'AVAILABLE']);
    assert.deepEqual(
      lan.entities.nics?.items.map(({ id }) => id),
      nics.map(({ id }) => id),
    );
    await done(region, 'DELETE', path);
    assert.equal((await read(region, `${datacenter}/volumes/${volumes[0]?.id}`)).properties.deviceNumber, null);
    assert.deepEqual((await read(region, `${datacenter}/lans/77/nics`)).items, []);
  });

  test('all problems of a composite body are reported at once, each with its place', async () => {
    assertRefused(
      await post(
        { ...small, cores: 0 },
        {
          volumes: { items: [{ properties: { ...disk, size: 0, bus: '' } }] },
          nics: { items: [{ properties: { lan: 'one' } }] },
        },
      ),
      '[(root).properties.cores] Attribute value 0 is below the minimum of 1',
      '[(root).entities.volumes.items.[0].properties.size]',
      "109 [(root).entities.volumes.items.[0].properties.bus] Attribute value '' not allowed",
      '[(root).entities.nics.items.[0].properties.lan] Expected an integer',
    );
  });

  test('a server has a screen, which a ticket opens for a quarter of an hour', async () => {
    const properties = { ...disk, imageAlias: 'debian:latest', imagePassword: 'Secret12345', userData: 'foo' };
    const path = await addServer(region, datacenter, { name: 'Screened' }, { volumes: { items: [{ properties }] } });
    const { url } = await read(region, `${path}/remoteconsole`);
    const at = String(url).slice(region.url.length);
    await region.call('PUT', '/lab/clock', { advanceMs: 2000 }); // until it has booted
    const screen = await region.call<string>('GET', at, undefined, { token: null });
    assert.equal(screen.status, 200);
    assert.match(String(screen.headers['content-type']), /^text\/html/);
    assert.match(String(screen.body), /<title>Remote Console<\/title>[\s\S]*Debian[\s\S]*screened login:/);
    assert.match(String(screen.body), /cloud-init: .*unhandled user data/);
    const headers = { Accept: 'text/plain' };
    const { headers: types, body: text } = await region.call<string>('GET', at, undefined, { token: null, headers });
    assert.match(String(types['content-type']), /^text\/plain/);
    assert.match(String(text), /^[^<]*screened login: $/);
    const { token } = await read(region, `${path}/token`);
    assert.ok(String(token).length > 40);
    const [payload, signed = ''] = at.split('.');
    for (const wrong of [payload, `${payload}.`, `${payload}.${signed.slice(0, -2)}AA`, `${core}/remoteconsole/x`])
      assert.equal((await region.call('GET', `${wrong}`, undefined, { token: null })).status, 404);
    await done(region, 'POST', `${path}/stop`);
    assertRefused(await region.call('GET', `${path}/remoteconsole`), 'has no screen');
    await region.call('PUT', '/lab/clock', { advanceMs: 16 * 60_000 });
    assert.equal((await region.call('GET', at, undefined, { token: null })).status, 404);
  });

  test('CD-ROMs are inserted, at most two, and can be booted from', async () => {
    const path = await addServer(region, datacenter);
    const query = 'filter.imageType=CDROM&filter.location=de/txl';
    const { items } = await read(region, `${core}/images?depth=1&${query}`);
    const [first, second, third] = items as [ResourceBody, ResourceBody, ResourceBody];
    const answer = await done(region, 'POST', `${path}/cdroms`, { id: first.id });
    assert.deepEqual([answer.body.id, answer.body.type], [first.id, 'image']);
    await done(region, 'POST', `${path}/cdroms`, { id: second.id });
    assertRefused(await region.call('POST', `${path}/cdroms`, { id: third.id }), 'at most 2 CD-ROMs');
    await done(region, 'PATCH', path, { bootCdrom: { id: first.id } });
    assert.equal(((await read(region, path)).properties.bootCdrom as ResourceBody).id, first.id);
    await done(region, 'DELETE', `${path}/cdroms/${first.id}`);
    const server = await read(region, `${path}?depth=2`);
    assert.equal(server.properties.bootCdrom, null);
    assert.deepEqual(
      server.entities.cdroms?.items.map(({ id }) => id),
      [second.id],
    );
  });
});
