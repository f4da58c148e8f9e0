// GPU servers: their size, storage and cards come from a template that only some locations offer.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addDatacenter, assertRefused, cubeXs, das, done, read, templateId } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, startRegion, waitRequest } from '../harness/region.ts';

suite('GPU servers', () => {
  let region: Region;
  let datacenter: string;
  let small: string; // a template

  before(async () => {
    region = await startRegion();
    datacenter = await addDatacenter(region, 'de/fra/2');
    small = await templateId(region, 'GPU S');
  });
  after(() => region.stop());

  // As Terraform and ionosctl send it: neither the type nor the size of the volume.
  const system = {
    items: [{ properties: { name: 'system', imageAlias: 'ubuntu:latest', imagePassword: 'Secret12345' } }],
  };
  const post = (more: object = {}, volumes: object = system, at = datacenter) =>
    region.call('POST', `${at}/servers`, {
      properties: { name: 'trainer', type: 'GPU', templateUuid: small, ...more },
      entities: { volumes, nics: { items: [{ properties: { lan: 1 } }] } },
    });
  const add = async (more: object = {}): Promise<string> => {
    const answer = await post(more);
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    assert.equal((await waitRequest(region, answer.headers.location)).metadata.status, 'DONE');
    return `${datacenter}/servers/${answer.body.id}`;
  };

  test('[CORE-10] it has the size and cards of its template', async () => {
    const template = await read(region, `${core}/templates/${small}`);
    assert.deepEqual(template.properties.gpus, [{ vendor: 'NVIDIA', model: 'H200', type: 'passthrough', count: 1 }]);
    const path = await add({ type: 'gpu', templateUuid: await templateId(region, 'GPU M') });
    const { properties, entities } = await read(region, `${path}?depth=3`);
    const { type, cores, ram, cpuFamily } = properties;
    assert.deepEqual([type, cores, ram, cpuFamily], ['GPU', 30, 547_840, 'AMD_TURIN']);
    const [volume] = entities.volumes?.items ?? [];
    assert.deepEqual([volume?.properties.type, volume?.properties.size], ['SSD Premium', 1024]);
    const { items } = await read(region, `${path}/gpus?depth=1`);
    assert.deepEqual(
      items.map((one) => one.properties),
      ['H200 1', 'H200 2'].map((name) => ({ name, vendor: 'NVIDIA', model: 'H200', type: 'passthrough' })),
    );
    assert.deepEqual(
      entities.gpus?.items.map(({ id }) => id),
      items.map(({ id }) => id),
    );
    const one = await read(region, `${path}/gpus/${items[1]?.id}`);
    assert.deepEqual([one.type, one.properties.name, one.metadata.state], ['gpu', 'H200 2', 'AVAILABLE']);
    assert.equal((await region.call('GET', `${path}/gpus/${datacenter.split('/').at(-1)}`)).status, 404);
    await done(region, 'DELETE', `${path}?deleteVolumes=true`);
  });

  test('[CORE-10] it is suspended and resumed, renamed, and never resized', async () => {
    const path = await add();
    assertRefused(await region.call('POST', `${path}/stop`), "A server of type GPU can't be stopped. Use suspend");
    await done(region, 'POST', `${path}/suspend`);
    assert.equal((await read(region, path)).properties.vmState, 'SUSPENDED');
    await done(region, 'POST', `${path}/resume`);
    await done(region, 'PATCH', path, { name: 'renamed', hostname: 'renamed' });
    for (const change of [{ cores: 16 }, { ram: 1024 }, { cpuFamily: 'INTEL_ICELAKE' }])
      assertRefused(await region.call('PATCH', path, change), 'The template of a GPU server determines the value');
    assert.equal((await read(region, path)).properties.name, 'renamed');
    const other = { name: 'data', type: 'HDD', size: 10, licenceType: 'OTHER' };
    await createDone(region, `${path}/volumes`, { properties: other });
  });

  test('[CORE-10] the template must fit the type and the location', async () => {
    assertRefused(await post({ templateUuid: undefined }), 'Attribute is required for a server of type GPU');
    const cube = await templateId(region, cubeXs);
    assertRefused(await post({ templateUuid: cube }), 'Template Basic Cube XS is not for a server of type GPU');
    assertRefused(await post({ type: 'CUBE' }, das), 'Template GPU S is not for a server of type CUBE');
    assertRefused(
      await post({ cores: 4, ram: 1024 }),
      'properties.cores] The template of',
      'properties.ram] The template of',
    );
    assertRefused(
      await post({}, { items: [] }),
      'exactly one volume without a size, which comes from the template, not 0',
    );
    const otherDatacenter = await addDatacenter(region, 'de/txl');
    assertRefused(await post({}, system, otherDatacenter), 'Location de/txl has no GPU NVIDIA H200');
    const shown = async (location: string) => (await read(region, `${core}/locations/${location}`)).properties;
    assert.deepEqual((await shown('de/fra/2')).gpuArchitecture, [{ vendor: 'NVIDIA', model: 'H200' }]);
    assert.deepEqual((await shown('de/txl')).gpuArchitecture, []);
  });
});
