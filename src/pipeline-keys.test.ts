// The keys of pipelines as the data plane checks them, over the state of a platform in this process.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { silent } from './base/log.ts';
import { configOf } from './config/config.ts';
import { addContract } from './identity/accounts/accounts.ts';
import { enabledCentrals } from './monitoring/central.ts';
import { metricPipelines } from './monitoring/pipeline.ts';
import { type Region, startPlatform } from './platform.ts';
import { products } from './products.ts';
import { everyPipeline, keysOf } from './surface/pipelines/key-check.ts';

const password = 'Password-of-tests-1';
const other = { email: 'other@example.com', contract: 31_000_009 };

interface Made {
  id: string;
  number: string;
  key: string;
}

suite('the keys of pipelines', () => {
  let platform: Region;
  let token: string;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'cumulet-keys-'));
    const config = configOf(new Map(Object.entries({ data: folder, port: '0', pace: '0' })), products);
    platform = await startPlatform(config, { version: '0', ownerPassword: password, log: silent });
    const owner = { email: other.email, password, role: 'owner' as const };
    await addContract(platform.store, other.contract, owner, {}, 0);
    token = await tokenOf(platform.config.identity.ownerEmail);
  });
  after(async () => {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const call = async (method: string, path: string, body?: object, authorization = `Bearer ${token}`) => {
    const url = `http://127.0.0.1:${platform.gateway.port}${path}`;
    const headers = { authorization, 'content-type': 'application/json' };
    const answer = await fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    assert.ok(answer.status < 300, `${method} ${path}: ${text}`);
    return JSON.parse(text || '{}') as { id: string; metadata: Record<string, string>; key: string; token: string };
  };
  const tokenOf = async (email: string): Promise<string> => {
    const basic = `Basic ${Buffer.from(`${email}:${password}`).toString('base64')}`;
    return (await call('GET', '/auth/v1/tokens/generate', undefined, basic)).token;
  };
  const make = async (properties: object = {}, authorization = `Bearer ${token}`): Promise<Made> => {
    const path = '/de-fra/monitoring/pipelines';
    const { id, metadata } = await call('POST', path, { properties: { name: 'x', ...properties } }, authorization);
    const [, number = ''] = /\/(\d+)$/.exec(metadata.httpEndpoint ?? '') ?? [];
    return { id, number, key: metadata.key ?? '' };
  };
  const factsOf = ({ id }: Made, retentionInDays = 30) => ({
    id,
    contract: platform.config.identity.contract,
    region: 'de-fra',
    retentionInDays,
  });

  test('[METRIC-03] a key opens its own pipeline; the key of another pipeline of the contract is distinguished from an unknown key', async () => {
    const keys = keysOf(platform.store, metricPipelines);
    const [one, two] = [await make({ retentionInDays: 7 }), await make()];
    const foreign = await make({}, `Bearer ${await tokenOf(other.email)}`);
    assert.deepEqual(await keys.check(one.number, one.key), { pipeline: factsOf(one, 7) });
    assert.deepEqual(await keys.check(two.number, two.key), { pipeline: factsOf(two) });
    assert.equal(await keys.check(one.number, two.key), 'other');
    assert.equal(await keys.check(one.number, foreign.key), 'wrong', 'of another contract');
    assert.equal(await keys.check(foreign.number, one.key), 'wrong');
    for (const key of ['', 'x', one.key.toLowerCase(), `${one.key} `])
      assert.equal(await keys.check(one.number, key), 'wrong');
    for (const number of ['', '0', '999999', `0${one.number}`, '-1', '1e3', '1'.repeat(40), one.id])
      assert.equal(await keys.check(number, one.key), 'wrong', number);
    assert.deepEqual(await keysOf(platform.store, metricPipelines).pipeline(one.number), factsOf(one, 7));
  });

  test('[METRIC-02] a new key is good and the old one dead at once, and so is that of what goes', async () => {
    const keys = keysOf(platform.store, metricPipelines);
    const made = await make();
    assert.notEqual(await keys.check(made.number, made.key), 'wrong');
    const { key } = await call('POST', `/monitoring/pipelines/${made.id}/key`, {});
    assert.equal(await keys.check(made.number, made.key), 'wrong');
    assert.deepEqual(await keys.check(made.number, key), { pipeline: factsOf(made) });
    await call('PUT', `/monitoring/pipelines/${made.id}`, { properties: { name: 'x', retentionInDays: 3 } });
    assert.deepEqual(await keys.check(made.number, key), { pipeline: factsOf(made, 3) }, 'a change keeps the key');
    await call('DELETE', `/monitoring/pipelines/${made.id}`);
    assert.equal(await keys.check(made.number, key), 'wrong');
  });

  test('what was checked once is checked again without a look at the state', async (t) => {
    const keys = keysOf(platform.store, metricPipelines);
    const made = await make();
    await keys.check(made.number, made.key);
    const { engine } = platform.store;
    const reads = [t.mock.method(engine, 'get'), t.mock.method(engine, 'range')];
    for (let count = 0; count < 100; count++)
      assert.deepEqual(await keys.check(made.number, made.key), { pipeline: factsOf(made) });
    assert.deepEqual(
      reads.map(({ mock }) => mock.callCount()),
      [0, 0],
    );
  });

  test('all pipelines and all that have central monitoring on can be gone through', async () => {
    const made = await make({ retentionInDays: 11 });
    const all = await Array.fromAsync(everyPipeline(platform.store, metricPipelines));
    assert.deepEqual(
      all.find(({ id }) => id === made.id),
      factsOf(made, 11),
    );
    const on = () => Array.fromAsync(enabledCentrals(platform.store));
    assert.deepEqual(await on(), []);
    const { id } = await call('PUT', '/es-vit/monitoring/central/', { properties: { enabled: true } });
    await call('PUT', '/es-vit/monitoring/central/', { properties: { enabled: true } });
    assert.deepEqual(await on(), [{ id, contract: platform.config.identity.contract, region: 'es-vit' }]);
    await call('PUT', '/es-vit/monitoring/central/', { properties: { enabled: false } });
    assert.deepEqual(await on(), []);
  });
});
