// What the palette finds of the things of a contract.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addContract } from '../harness/people.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';
import { consoleS3, signIn } from './calls.ts';

suite('the search for things', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const found = async (text: string): Promise<string[]> => {
    const path = `/console/search?${new URLSearchParams({ text })}`;
    const { body } = await region.call<{ things: { name: string; kind: string }[] }>('GET', path);
    return body.things.map(({ name, kind }) => `${kind} ${name}`);
  };

  const addDatacenter = (name: string) =>
    createDone(region, '/cloudapi/v6/datacenters', { properties: { name, location: 'de/txl' } });

  test('has exact names first, then those that begin so, however many others there are', async () => {
    for (let at = 0; at < 25; at++) await addDatacenter(`my shop ${at}`);
    for (const name of ['shopping', 'Shop']) await addDatacenter(name);
    assert.deepEqual((await found('shop')).slice(0, 2), ['Datacenter Shop', 'Datacenter shopping']);
    assert.equal((await found('shop')).length, 20);
  });

  test('finds records by name, and blocks by address', async () => {
    const block = await createDone(region, '/cloudapi/v6/ipblocks', {
      properties: { name: 'front', location: 'de/txl', size: 1 },
    });
    const [address = ''] = block.properties.ips as string[];
    assert.deepEqual(await found(address), [`IP block front, ${address}`]);
    const zone = await region.call('POST', '/dns/zones', { properties: { zoneName: 'shop.example' } });
    await region.call('POST', `/dns/zones/${zone.body.id}/records`, {
      properties: { name: 'www', type: 'A', content: '192.0.2.1' },
    });
    assert.deepEqual(await found('www'), ['Record www']);
  });

  test('tells things of the same name apart by what they are in', async () => {
    for (const name of ['north', 'south']) {
      const datacenter = await addDatacenter(name);
      await createDone(region, `/cloudapi/v6/datacenters/${datacenter.id}/volumes`, {
        properties: { name: 'boot disk', size: 1, type: 'HDD', licenceType: 'OTHER' },
      });
    }
    const { body } = await region.call<{ things: { within?: string }[] }>('GET', '/console/search?text=boot+disk');
    assert.deepEqual(body.things.map(({ within }) => within).toSorted(), ['north', 'south']);
  });

  test('finds buckets, not those of another contract', async () => {
    const owner = await signIn(region, region.owner);
    for (const name of ['zebra', 'my-zebra'])
      assert.equal((await owner.call<string>('PUT', consoleS3(name))).status, 200);
    assert.deepEqual(await found('ZEBRA'), ['Bucket zebra', 'Bucket my-zebra']);
    const { token } = await addContract(region, 31_000_779);
    const { body } = await region.call<{ things: unknown[] }>('GET', '/console/search?text=zebra', undefined, {
      token,
    });
    assert.deepEqual(body.things, []);
  });
});
