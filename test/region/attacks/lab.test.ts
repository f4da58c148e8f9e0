// The lab of one contract does not reach another: its clock, its crashes and its faults.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { until } from '../../../src/testing/waiting.ts';
import { addPerson, core } from '../../harness/people.ts';
import { type Region, type ResourceBody, startRegion, waitRequest } from '../../harness/region.ts';
import { assertPayload, secondContract, type World } from '../../sweep/api.ts';

suite('the lab', () => {
  let region: Region;
  let other: World['other'];
  before(async () => {
    region = await startRegion();
    other = await secondContract(region);
  });
  after(() => region.stop());

  const asOther = <T = ResourceBody>(method: string, path: string, body?: unknown) =>
    region.call<T>(method, path, body, { token: other.token });
  const fault = (mode: string, more: object = {}) => ({ kind: 'datacenter', step: 'create.provision', mode, ...more });
  const properties = { name: 'n', location: 'de/txl' };
  const made = async (token: string): Promise<unknown> => {
    const { headers } = await region.call('POST', `${core}/datacenters`, { properties }, { token });
    const path = new URL(String(headers.location)).pathname;
    return until(
      'the request ends',
      async () => (await region.call('GET', path, undefined, { token })).body.metadata.status,
      (status) => status === 'DONE' || status === 'FAILED',
    );
  };

  test('the clock is moved by the owner of the first contract alone, and read by all', async () => {
    const answer = await asOther('PUT', '/lab/clock', { advanceMs: 1000 });
    assertPayload(answer, 403, 'another contract');
    assert.match(JSON.stringify(answer.body), /first contract/);
    const { token } = await addPerson(region, { administrator: true });
    assertPayload(await region.call('PUT', '/lab/clock', { advanceMs: 1000 }, { token }), 403, 'an administrator');
    assert.equal((await asOther<{ offsetMs: number }>('GET', '/lab/clock')).body.offsetMs, 0);
    assert.equal((await region.call('PUT', '/lab/clock', { advanceMs: 0 })).status, 200);
  });

  test('crashes, and faults for another contract: 403', async () => {
    for (const bad of [fault('crash'), fault('fail', { contract: region.contract })])
      assertPayload(await asOther('PUT', '/lab/faults', { faults: [bad] }), 403, JSON.stringify(bad));
    assert.equal(await made(region.token), 'DONE');
  });

  test('faults of a contract strike its own operations, and are replaced by it without those of others', async () => {
    const all = await region.call('PUT', '/lab/faults', {
      faults: [{ ...fault('fail'), kind: 'ipblock', step: 'create.reserve' }],
    });
    assert.equal(all.status, 200);
    const own = await asOther<{ faults: object[] }>('PUT', '/lab/faults', { faults: [fault('fail', { times: 5 })] });
    assert.deepEqual([own.status, own.body.faults.length], [200, 1]);
    assert.deepEqual([await made(other.token), await made(region.token)], ['FAILED', 'DONE']);
    const shown = await region.call<{ faults: { contract?: number }[] }>('GET', '/lab/faults');
    assert.deepEqual(
      shown.body.faults.map(({ contract }) => contract),
      [undefined, other.contract],
    );
    assert.deepEqual((await asOther('PUT', '/lab/faults', { faults: [] })).body.faults, []);
    assert.equal(await made(other.token), 'DONE');
    assert.equal((await region.call<{ faults: object[] }>('GET', '/lab/faults')).body.faults.length, 1);
  });

  test('planting for one contract does not release the stalled operations of another', async () => {
    await region.call('PUT', '/lab/faults', { faults: [fault('stall', { contract: region.contract })] });
    const { headers, body } = await region.call('POST', `${core}/datacenters`, { properties });
    const stalled = async (): Promise<boolean> => {
      const { body } = await region.call<{ faults: object[] }>('GET', '/lab/faults');
      return body.faults.length === 0;
    };
    await until('the operation stalls', stalled);
    assert.equal((await asOther('PUT', '/lab/faults', { faults: [fault('fail')] })).status, 200);
    assert.equal(await made(other.token), 'FAILED');
    const { metadata } = (await region.call('GET', `${core}/datacenters/${body.id}`)).body;
    assert.equal(metadata.state, 'BUSY');
    assert.equal((await region.call('PUT', '/lab/faults', { faults: [] })).status, 200);
    assert.equal((await waitRequest(region, headers.location)).metadata.status, 'DONE');
  });
});
