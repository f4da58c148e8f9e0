// Tests with a contract each, in jest's mode for modules.
import { startRegion } from './kit.mjs';

const region = await startRegion();

test.concurrent.each(Array.from({ length: 50 }, (_, count) => count))(
  'test %i sees what it made alone',
  async (count) => {
    const contract = await region.contract();
    const properties = { name: `mine ${count}`, location: 'de/txl' };
    await contract.call('POST', '/cloudapi/v6/datacenters', { properties });
    const { body } = await contract.call('GET', '/cloudapi/v6/datacenters?depth=1');
    expect(body.items.map((one) => one.properties.name)).toEqual([`mine ${count}`]);
  },
  60_000,
);
