// A hundred tests with a contract each; two files of them run in separate workers.
import { expect, test } from 'vitest';

const { startRegion } = await import(process.env.CUMULET_KIT);
const region = await startRegion();

for (let count = 0; count < 100; count++) {
  test.concurrent(`test ${count} sees what it made alone`, async () => {
    const contract = await region.contract();
    const properties = { name: `mine ${count}`, location: 'de/txl' };
    await contract.call('POST', '/cloudapi/v6/datacenters', { properties });
    const { body } = await contract.call('GET', '/cloudapi/v6/datacenters?depth=1');
    expect(body.items.map((one) => one.properties.name)).toEqual([`mine ${count}`]);
  });
}
