// The API on the tiny model.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startRegion } from '../harness/region.ts';
import { apiContract } from './contract.ts';

apiContract('the tiny model', async () => {
  const region = await startRegion({ args: ['--inference-rate', '10000'] });
  return { region, close: async () => void (await region.stop()) };
});

test('the API is at /inference/v1, at /v1 and on its public host; the native one is on its own', async () => {
  await using region = await startRegion({ args: ['--inference-rate', '1000', '--domain', 'region.test'] });
  const typeAt = async (host: string | undefined, path: string): Promise<unknown> => {
    const { body } = await region.call('GET', path, undefined, host === undefined ? {} : { headers: { host } });
    return body.object ?? body.type;
  };
  for (const path of ['/inference/v1/models', '/v1/models']) assert.equal(await typeAt(undefined, path), 'list');
  for (const domain of ['ionos.com', 'region.test']) {
    assert.equal(await typeAt(`openai.inference.de-txl.${domain}`, '/v1/models'), 'list');
    for (const path of ['/models', '/collections'])
      assert.equal(await typeAt(`inference.de-txl.${domain}`, path), 'collection');
  }
});
