// Removals that meet what is being put below or beside the same thing at the same moment: whoever comes first, no row
// may be left without its parent and no link without its ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertWhole } from './crash-state.ts';
import { core } from './people.ts';
import { createDone, type Region, startRegion, waitRequest } from './region.ts';

const rounds = 40;

test('[CORE-05] [GEN-06] removals that race with additions leave nothing half made', async (t) => {
  await using region = await startRegion({ args: ['--rate-burst', '1000000'] });
  const datacenter = (): Promise<{ id: string }> => createDone(region, `${core}/datacenters`, { properties: { name: 'a', location: 'de/txl' } });
  const group = (): Promise<{ id: string }> => createDone(region, `${core}/um/groups`, { properties: { name: 'a' } });
  let count = 0;
  const person = { email: '', password: 'Racing-Password-1' };
  const user = (): Promise<{ id: string }> => {
    person.email = `racer${++count}@example.com`;
    return createDone(region, `${core}/um/users`, { properties: { firstname: 'A', lastname: 'B', ...person } });
  };

  await t.test('LANs and labels in a datacenter', () =>
    race(region, async () => {
      const place = `${core}/datacenters/${(await datacenter()).id}`;
      return [place, ['POST', `${place}/lans`, { properties: {} }], ['POST', `${place}/labels`, { properties: { key: 'k', value: 'v' } }]];
    }));

  await t.test('shares of a group', async () => {
    const { id } = await datacenter();
    await race(region, async () => {
      const place = `${core}/um/groups/${(await group()).id}`;
      return [place, ['POST', `${place}/shares/${id}`, { properties: {} }]];
    });
  });

  await t.test('members of a group that goes', async () => {
    const { id } = await user();
    await race(region, async () => {
      const place = `${core}/um/groups/${(await group()).id}`;
      return [place, ['POST', `${place}/users`, { id }]];
    });
  });

  await t.test('memberships, keys and tokens of a user who goes', async () => {
    const { id: joined } = await group();
    await race(region, async () => {
      const { id } = await user();
      const place = `${core}/um/users/${id}`;
      const { body } = await region.call('GET', '/auth/v1/tokens/generate', undefined, { basic: person });
      return [
        place,
        ['POST', `${core}/um/groups/${joined}/users`, { id }],
        ['POST', `${place}/s3keys`, { properties: {} }],
        ['GET', '/auth/v1/tokens/generate', undefined, String(body['token'])],
      ];
    }, 10);
  });
});

type Addition = [method: string, path: string, body?: object | undefined, token?: string];

// Sends one DELETE among several additions, at another place among them each time.
async function race(region: Region, prepare: () => Promise<[string, ...Addition[]]>, times = rounds): Promise<void> {
  for (let round = 0; round < times; round++) {
    const [place, ...additions] = await prepare();
    const calls: Addition[] = [...additions, ...additions];
    calls.splice(round % (calls.length + 1), 0, ['DELETE', place]);
    const answers = await Promise.all(
      calls.map(([method, path, body, token]) => region.call(method, path, body, token === undefined ? {} : { token })),
    );
    for (const { status, headers, body } of answers) {
      assert.ok(status < 500, JSON.stringify(body));
      if (headers.location !== undefined) await waitRequest(region, headers.location);
    }
    assert.equal((await region.call('GET', place)).status, 404);
  }
  assertWhole(region.data);
}
