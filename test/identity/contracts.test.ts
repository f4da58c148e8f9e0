// Several contracts in one region: each sees its own resources, and a user of two chooses with X-Contract-Number.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, suite, test } from 'node:test';
import { addPerson, core, joinContract, tokenOf } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';

const second = 31_000_222;
const both = { email: 'both@example.com', password: 'Person-Of-Two-1' };

suite('contracts', () => {
  let region: Region;
  let token: string;
  before(async () => {
    region = await startRegion();
    const on = ['--data', region.data, '--password', both.password];
    const other = ['--number', String(second), '--owner', 'other@example.com'];
    for (const args of [
      ['contract', 'add', ...other, ...on],
      ['user', 'add', '--email', both.email, '--admin', ...on],
      ['user', 'add', '--email', both.email, '--admin', '--contract', String(second), '--data', region.data],
    ]) {
      const ended = await cumulet(args);
      assert.equal(ended.code, 0, ended.stderr);
    }
    token = await tokenOf(region, both);
  });
  after(() => region.stop());

  const as = (contract?: number) => ({ token, headers: contract ? { 'X-Contract-Number': String(contract) } : {} });

  test('[GEN-07] resources of one contract are 404 for the other; a foreign number is 403', async () => {
    const dc = await createDone(region, `${core}/datacenters`, { properties: { name: 'first', location: 'de/txl' } });
    const path = `${core}/datacenters/${dc.id}`;
    assert.equal((await region.call('GET', path, undefined, as())).status, 200);
    assert.equal((await region.call('GET', path, undefined, as(second))).status, 404);
    assert.deepEqual((await region.call('GET', `${core}/datacenters`, undefined, as(second))).body.items, []);
    assert.equal((await region.call('GET', path, undefined, as(12_345))).status, 403);
    assert.equal(
      (await region.call('GET', path, undefined, { headers: { 'X-Contract-Number': String(second) } })).status,
      403,
    );
  });

  test('[GEN-07] a token is created for the requested contract', async () => {
    const made = await region.call('GET', '/auth/v1/tokens/generate', undefined, {
      basic: both,
      ...as(second),
      token: null,
    });
    assert.equal(made.status, 200);
    const other = String(made.body.token);
    const contracts = await region.call('GET', `${core}/contracts`, undefined, { token: other });
    assert.equal(contracts.body.items[0]?.properties.contractNumber, second);
  });

  test('[ACT-06] the logs of all one’s contracts can be read, and no other', async () => {
    const listed = await region.call<{ id: number }[]>('GET', '/activitylog/v1/contracts', undefined, as());
    assert.deepEqual(
      listed.body.map(({ id }) => id),
      [region.contract, second],
    );
    for (const { id } of listed.body)
      assert.equal((await region.call('GET', `/activitylog/v1/contracts/${id}`, undefined, as())).status, 200);
    assert.equal((await region.call('GET', `/activitylog/v1/contracts/${second}`)).status, 403);
  });

  test('[ACT-06] an administrator of one contract needs the privilege to read the log of another', async () => {
    const person = await addPerson(region, { administrator: true });
    await joinContract(region, person, { contract: second });
    const read = (path: string) =>
      region.call<{ id: number }[]>('GET', `/activitylog/v1${path}`, undefined, { token: person.token });
    assert.deepEqual(
      (await read('/contracts')).body.map(({ id }) => id),
      [region.contract],
    );
    assert.equal((await read(`/contracts/${region.contract}`)).status, 200);
    assert.equal((await read(`/contracts/${second}`)).status, 403);
  });

  test('[ACT-06] a user who is inactive in one contract reads the logs of the others', async () => {
    const { body: users } = await region.call('GET', `${core}/um/users?depth=1`, undefined, as(second));
    const user = users.items.find(({ properties }) => properties.email === both.email);
    const path = `${core}/um/users/${user?.id}`;
    const put = (active: boolean, who: object) =>
      region.call('PUT', path, { properties: { ...user?.properties, active } }, who);
    const owner = { token: await tokenOf(region, { email: 'other@example.com', password: both.password }) };
    assert.equal((await put(false, owner)).status, 202);
    const listed = await region.call<{ id: number }[]>('GET', '/activitylog/v1/contracts', undefined, as());
    assert.deepEqual([listed.status, listed.body.map(({ id }) => id)], [200, [region.contract]]);
    assert.equal((await region.call('GET', `/activitylog/v1/contracts/${second}`, undefined, as())).status, 403);
    assert.equal((await put(true, owner)).status, 202);
  });
});

test('a first start whose port is taken shows the account at the next one', async (t) => {
  const taken = createServer();
  const port = await new Promise<number>((resolve) => {
    taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port));
  });
  t.after(() => taken.close());
  await using region = await startRegion();
  const data = `${region.data}/second`;
  const failed = await cumulet(['up', '--port', String(port), '--data', data]);
  assert.equal(failed.code, 2);
  assert.match(failed.stderr, /is in use/);
  const child = await cumulet(['up', '--detach', '--json', '--port', '0', '--data', data]);
  const down = await cumulet(['down', '--data', data]); // before its folder is deleted
  assert.deepEqual([child.code, down.code], [0, 0], child.stderr + down.stderr);
  const ready = JSON.parse(child.stdout.split('\n')[0] ?? '') as { owner?: { password: string } };
  assert.ok(ready.owner?.password);
});
