// A test file that uses the region of its worker; two copies of it run one after the other.
import { appendFileSync } from 'node:fs';
import { sharedRegion } from './kit.mjs';

test('the region of the worker', async () => {
  const region = await sharedRegion({ seed: 'shop.yaml' });
  appendFileSync('pids', `${region.pid}\n`);
  const items = async () => (await region.call('GET', '/cloudapi/v6/datacenters')).body.items.length;
  expect(await items()).toBe(1);
  await region.call('POST', '/cloudapi/v6/datacenters', { properties: { name: 'mine', location: 'de/txl' } });
  await region.reset(); // each of them may
  expect(await items()).toBe(1);
  await expect(sharedRegion({ seed: 'other.yaml' })).rejects.toThrow('not with other.yaml');
}, 60_000);
