// A resource is removed while another one is created in it or linked with it: in either order no row may be left
// without its parent and no link without its ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertWhole } from '../harness/invariants.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region, startRegion, waitRequest } from '../harness/region.ts';

const rounds = 20;

test('[CORE-05] [GEN-06] removals that race with additions leave nothing incomplete', async (t) => {
  await using region = await startRegion({ args: ['--rate-burst', '1000000'] });
  const datacenter = (): Promise<{ id: string }> =>
    createDone(region, `${core}/datacenters`, { properties: { name: 'a', location: 'de/txl' } });
  const group = (): Promise<{ id: string }> => createDone(region, `${core}/um/groups`, { properties: { name: 'a' } });
  let count = 0;
  const person = { email: '', password: 'Racing-Password-1' };
  const user = (): Promise<{ id: string }> => {
    person.email = `racer${++count}@example.com`;
    const properties = { firstname: 'A', lastname: 'B', administrator: true, ...person }; // may have S3 keys
    return createDone(region, `${core}/um/users`, { properties });
  };

  await t.test('LANs and labels in a datacenter', () =>
    race(region, async () => {
      const place = `${core}/datacenters/${(await datacenter()).id}`;
      const label = { properties: { key: 'k', value: 'v' } };
      return [
        place,
        ['POST', `${place}/lans`, { properties: {} }],
        ['POST', `${place}/labels`, label],
        ['DELETE', `${place}/labels/k`],
      ];
    }),
  );

  await t.test('shares of a group', async () => {
    const { id } = await datacenter();
    await race(region, async () => {
      const place = `${core}/um/groups/${(await group()).id}`;
      const share = `${place}/shares/${id}`;
      return [place, ['POST', share, { properties: {} }], ['DELETE', share]];
    });
  });

  await t.test('members of a group that goes', async () => {
    const { id } = await user();
    await race(region, async () => {
      const place = `${core}/um/groups/${(await group()).id}`;
      return [place, ['POST', `${place}/users`, { id }], ['DELETE', `${place}/users/${id}`]];
    });
  });

  await t.test('memberships, keys and tokens of a deleted user', async () => {
    const { id: joined } = await group();
    await race(
      region,
      async () => {
        const { id } = await user();
        const place = `${core}/um/users/${id}`;
        const { body } = await region.call('GET', '/auth/v1/tokens/generate', undefined, { basic: person });
        return [
          place,
          ['POST', `${core}/um/groups/${joined}/users`, { id }],
          ['DELETE', `${core}/um/groups/${joined}/users/${id}`],
          ['POST', `${place}/s3keys`, { properties: {} }],
          ['GET', '/auth/v1/tokens/generate', undefined, String(body.token)],
        ];
      },
      10,
    );
  });
});

type Addition = [method: string, path: string, body?: object | undefined, token?: string];

// Each addition is asked for again and again, by three callers; the DELETE comes into the midst of it.
async function race(region: Region, prepare: () => Promise<[string, ...Addition[]]>, times = rounds): Promise<void> {
  for (let round = 0; round < times; round++) {
    const [place, ...additions] = await prepare();
    let removed = false;
    const add = async ([method, path, body, token]: Addition): Promise<void> => {
      for (let tries = 0; tries < 30; tries++) {
        const answer = await region.call(method, path, body, token === undefined ? {} : { token });
        assert.ok(answer.status < 500, JSON.stringify(answer.body));
        if (removed && answer.status >= 400) return;
      }
    };
    const adding = Promise.all([...additions, ...additions, ...additions].map(add));
    for (let reads = 0; reads < round % 5; reads++) await region.call('GET', place); // another moment each time
    const { status, headers, body } = await region.call('DELETE', place);
    assert.equal(status, 202, JSON.stringify(body));
    removed = true;
    await waitRequest(region, headers.location);
    await adding;
    assert.equal((await region.call('GET', place)).status, 404);
  }
  await settled(region);
  await assertWhole(region.data);
}

async function settled(region: Region): Promise<void> {
  const { body } = await region.call('GET', `${core}/requests?filter.status=BUSY&limit=10000`);
  for (const { id } of body.items) await waitRequest(region, `${core}/requests/${id}/status`);
}
