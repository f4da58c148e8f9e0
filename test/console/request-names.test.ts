// What the things of requests were called: also when they are gone, and to nobody who may not see the request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addContract, addPerson, core } from '../harness/people.ts';
import { createDone, startRegion, waitRequest } from '../harness/region.ts';

type Names = Record<string, Record<string, string>>;

test('requests tell the names of their things, to those who may see them', async () => {
  await using region = await startRegion();
  const made = await createDone(region, `${core}/datacenters`, { properties: { name: 'old', location: 'de/txl' } });
  const path = `${core}/datacenters/${made.id}`;
  const renamed = await region.call('PATCH', path, { name: 'new' });
  await waitRequest(region, renamed.headers.location);
  const lan = await createDone(region, `${path}/lans`, { properties: { name: 'front', public: false } });
  const removed = await region.call('DELETE', path);
  await waitRequest(region, removed.headers.location);
  const { body: list } = await region.call(`GET`, `${core}/requests?depth=1`);
  const ids = list.items.map(({ id }) => id);
  const namesFor = async (token: string | undefined): Promise<Names> => {
    const asked = `/console/request-names?ids=${[...ids, 'none'].join(',')}`;
    const { status, body } = await region.call<{ names: Names }>('GET', asked, undefined, token ? { token } : {});
    assert.equal(status, 200);
    return body.names;
  };
  const names = await namesFor(undefined);
  const own = ids.map((id) => names[id]?.[made.id]).filter((one) => one !== undefined);
  assert.deepEqual(own.toSorted(), ['new', 'new', 'old']);
  assert.ok(ids.some((id) => names[id]?.[lan.id] === 'front'));
  const others = [await addPerson(region), await addContract(region, 31_000_780)];
  for (const { token } of others) assert.ok(Object.values(await namesFor(token)).every((one) => isEmpty(one)));
  assert.equal((await region.call('GET', '/console/request-names?ids=x', undefined, { token: null })).status, 401);
});

const isEmpty = (names: object): boolean => Object.keys(names).length === 0;
