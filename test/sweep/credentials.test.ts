// Every operation of every service with wrong credentials of every kind: the status that the rules say, in the
// platform's payload, and nothing is changed by it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownPage, signIn } from '../console/harness/calls.ts';
import { tokenOf } from '../harness/people.ts';
import { type Answer, type CallOptions, type Region, startRegion } from '../harness/region.ts';
import { assertPayload, expect, fill, inventory, namesIn, type Operation, operationsOf } from './api.ts';
import { sharedNames, type World, worldOf } from './world.ts';

test('every operation of the OpenAPI documents, with credentials that do not do', async (t) => {
  await using region = await startRegion({ args: ['--inference-rate', '1000000'] });
  const operations = await operationsOf(region);
  const guarded = operations.filter(({ isOpen }) => !isOpen);
  const world = await worldOf(region);
  const before = await inventory(region);
  const each = async (
    options: CallOptions,
    statuses: number | number[] | ((one: Operation) => number | number[]),
    some: Operation[] = guarded,
    ids: Record<string, string> = world.ids,
  ): Promise<void> => {
    for (const one of some) {
      const answer = await region.call(one.method, fill(one, ids), bodyOf(one), options);
      assertPayload(
        answer,
        typeof statuses === 'function' ? statuses(one) : statuses,
        `${one.id} ${one.method} ${one.path}`,
      );
    }
  };

  await t.test('those that are open answer without a token', async () => {
    const open = operations.filter(({ isOpen }) => isOpen);
    const others = open.filter(({ service }) => service !== 'region').map(({ id }) => id);
    // The path of the screen is itself the secret; the other operation returns no data.
    assert.deepEqual(others, ['console_show', 'billing_ping'], 'another service is open');
    for (const one of open)
      await expect(region.call(one.method, fill(one, world.ids), undefined, { token: null }), 200);
  });

  await t.test('[GEN-05] [AUTH-02] without a token, with garbage and with another scheme: 401', async () => {
    await each({ token: null }, 401);
    const [head, claims] = region.token.split('.');
    const unsigned = `${Buffer.from('{"typ":"JWT","alg":"none"}').toString('base64url')}.${claims}.`;
    const wrong = [
      'garbage',
      `${head}.${claims}.AAAA`,
      `${region.token}x`,
      region.token.slice(0, -6),
      unsigned,
      'a.b.c',
    ];
    for (const [at, token] of wrong.entries()) await each({ token }, 401, at === 0 ? guarded : someOf(guarded));
    for (const authorization of [
      'Bearer',
      'Bearer ',
      'Digest x',
      'Basic',
      'Basic !',
      region.token,
      `Token ${region.token}`,
    ]) {
      await each({ token: null, headers: { authorization } }, 401, someOf(guarded));
    }
  });

  // Browsers send the cookie with what another port of the same host asks for, and a form needs no leave to post.
  await t.test('with the cookie of the console, sent by a page of another origin: 403', async () => {
    const { cookie } = await signIn(region, region.owner);
    const form = { cookie, origin: 'https://evil.example', 'content-type': 'text/plain' };
    const otherPort = { cookie, ...ownPage, origin: 'http://127.0.0.1:3000', 'sec-fetch-site': 'same-site' };
    for (const headers of [form, otherPort]) await each({ token: null, headers }, 403);
    await each({ token: null, headers: { cookie } }, 401, someOf(guarded)); // a link that was typed or clicked
    for (const one of await operationsOf(region, true)) {
      const { status } = await region.call(one.method, fill(one, world.ids), bodyOf(one), {
        token: null,
        headers: { cookie, ...ownPage },
      });
      assert.equal(status, 401, `${one.id} takes the cookie in place of a key`);
    }
  });

  await t.test('[METRIC-03] operations with their own key: 401 without it, with garbage and with a token', async () => {
    for (const one of await operationsOf(region, true))
      for (const options of [{ token: null }, {}, { token: null, headers: { apikey: 'garbage' } }]) {
        const { status } = await region.call(one.method, fill(one, world.ids), bodyOf(one), options);
        assert.equal(status, 401, `${one.id} ${one.method} ${one.path}`);
      }
  });

  await t.test('[AUTH-06] a wrong password: 401, or 429 when guessing is slowed down', async () => {
    const basic = { email: world.other.basic.email, password: 'wrong' };
    await each({ basic }, [401, 429], someOf(guarded.filter(({ takesBasic }) => takesBasic)));
  });

  await t.test('[AUTH-07] with a revoked token: 401', async () => {
    const { id, token } = await freshToken(region);
    await expect(region.call('DELETE', `/auth/v1/tokens/${id}`), 200);
    await each({ token }, 401);
  });

  await t.test("[GEN-07] another contract's token: our ids are missing, 404", async () => {
    // Images are everybody's, and what a contract's number is part of is refused by that: see below.
    const ours = guarded.filter(({ path }) => !/\/images\/|\/billing\/\{contractNumber\}/.test(path));
    const named = ours.filter((one) => namesIn(one).some((name) => !sharedNames.has(name)));
    assert.ok(named.length > 200);
    await each({ token: world.other.token }, 404, named);
    const lists = guarded.filter(
      (one) =>
        one.method === 'GET' &&
        namesIn(one).length === 0 &&
        ['cloudapi', 'monitoring', 'logging'].includes(one.service),
    );
    for (const one of lists) {
      const { body } = await region.call('GET', `${one.path}?depth=5`, undefined, { token: world.other.token });
      const text = JSON.stringify(body);
      for (const [name, id] of Object.entries(world.ids))
        if (id.length >= 20 && !sharedNames.has(name) && !/cdrom/i.test(name))
          // which are images
          assert.ok(!text.includes(id), `${one.id} shows the ${name} of another contract`);
    }
  });

  await t.test("[GEN-07] another contract's number in the path or in X-Contract-Number: 403", async () => {
    const foreign = { ...world.ids, contractNumber: String(world.other.contract) };
    const numbered = guarded.filter((one) => namesIn(one).includes('contractNumber'));
    assert.ok(numbered.length > 0);
    await each({}, 403, numbered, foreign);
    await each({ headers: { 'x-contract-number': String(world.other.contract) } }, 403);
    const large = ['2305843009213693951', '9'.repeat(400)];
    for (const number of ['0', '-1', '999', 'x', '31000001, 31000002', '3.1000001e7x', '__proto__', ...large])
      await each({ headers: { 'x-contract-number': number } }, 403, someOf(guarded));
  });

  await t.test('[GEN-05] [AUTH-08] a user without privileges: 403 or 404, and sees nothing of others', async () => {
    await assertPowerless(region, guarded, world);
  });

  await t.test(
    '[AUTH-08] who may only see a datacenter reads all that is in it, and changes nothing: 403',
    async () => {
      const inside = guarded.filter(
        ({ path }) => path.includes('/datacenters/{datacenterId}') && !path.includes('gpuId'),
      );
      for (const one of inside) {
        const answer = await region.call(one.method, fill(one, world.ids), bodyOf(one), { token: world.reader.token });
        // A WebSocket into a server is for callers who may change it.
        if (one.method === 'GET' && !one.opensSocket)
          assert.equal(answer.status, 200, `${one.id} ${JSON.stringify(answer.body)}`);
        else assertPayload(answer, 403, `${one.id} ${one.method} ${one.path}`);
      }
    },
  );

  await t.test('[AUTH-02] with an expired token: 401', async () => {
    const { token } = await freshToken(region);
    await expect(region.call('GET', '/cloudapi/v6/', undefined, { token }), 200);
    await expect(region.call('PUT', '/lab/clock', { advanceMs: 3_600_000 }), 200);
    await each({ token }, 401);
  });

  await t.test('no call created, changed or removed anything', async () => {
    assert.deepEqual(await inventory(region), before);
    await expect(region.call('GET', '/health'), 200);
  });
});

// A tenth of them, from all over.
const someOf = (all: Operation[]): Operation[] => all.filter((_, at) => at % 10 === 0);

// Acceptable as far as the schema goes, so that it is the credentials that are refused.
const bodyOf = ({ method, id }: Operation): object | undefined => {
  if (method === 'GET' || method === 'DELETE') return undefined;
  return id === 'lab_clock_advance'
    ? { advanceMs: 0 }
    : id === 'lab_faults_plant'
      ? { faults: [] }
      : { properties: {} };
};

async function freshToken(region: Region): Promise<{ id: string; token: string }> {
  const token = await tokenOf(region, region.owner, '?ttl=3600');
  const { kid } = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()) as { kid: string };
  return { id: kid, token };
}

// What everybody may call who has signed in; all else is refused or missing.
const forAll = new Set(
  (
    'info_get contract_list datacenter_list ipblock_list label_listAll location_list location_listByRegion ' +
    'location_get location_getSite image_list image_get image_labels_list template_list template_get request_list user_list group_list ' +
    'snapshot_list pcc_list targetgroup_list backupunit_list token_list activity_info autoscalinggroup_list lab_clock_get'
  ).split(' '),
);

async function assertPowerless(region: Region, guarded: Operation[], { ids, user }: World): Promise<void> {
  const seen: string[] = [];
  for (const one of guarded) {
    if (one.id === 'token_generate' || one.id === 'token_deleteByCriteria') continue; // their own tokens are theirs
    const answer: Answer = await region.call(one.method, fill(one, ids), bodyOf(one), { token: user.token });
    if (forAll.has(one.id)) {
      assert.equal(answer.status, 200, `${one.id}: ${JSON.stringify(answer.body)}`);
      if (Array.isArray(answer.body.items) && one.service === 'cloudapi' && !/^(location|image|template)_/.test(one.id))
        seen.push(...answer.body.items.map(({ id }) => id).filter((id) => id !== undefined));
      // Without the ends of the way it asks for nothing.
    } else assertPayload(answer, one.id === 'reachability_get' ? 422 : [403, 404], `${one.id} ${one.path}`);
  }
  assert.deepEqual(seen, [user.user.id], 'a user sees resources of others');
}
