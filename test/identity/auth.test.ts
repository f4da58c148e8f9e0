// Tokens and rights, tested from outside.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addPerson, core, tokenOf } from '../harness/people.ts';
import { type Region, type ResourceBody, startRegion } from '../harness/region.ts';

const generate = '/auth/v1/tokens/generate';
const tokensPath = '/auth/v1/tokens';
const lifetimes = [3600, 14_400, 86_400, 604_800, 2_592_000, 5_184_000, 7_776_000, 15_552_000, 31_536_000];

const parts = (token: string) => {
  const [header = '', payload = ''] = token.split('.');
  return {
    header,
    head: JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, string>,
    claims: JSON.parse(Buffer.from(payload, 'base64url').toString()) as {
      exp: number;
      iat: number;
      identity: { uuid: string; contractNumber: number; role: string; privileges: string[] };
    },
  };
};

suite('tokens', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  test('[AUTH-01] Basic credentials get a token', async () => {
    const { status, headers, body } = await region.call('GET', generate, undefined, { basic: region.owner });
    assert.equal(status, 200);
    assert.equal(typeof body.token, 'string');
    assert.match(String(headers['content-type']), /^application\/json/);
    const wrong = await region.call('GET', generate, undefined, { basic: { ...region.owner, password: 'no' } });
    assert.equal(wrong.status, 401);
    assert.equal((await region.call('GET', generate, undefined, { token: null })).status, 401);
  });

  test('[AUTH-01] a token gets further tokens', async () => {
    assert.equal((await region.call('GET', generate)).status, 200);
  });

  test('[AUTH-02] the token is a JWT whose header plain base64 can decode, with the claims clients parse', async () => {
    for (let round = 0; round < 20; round++) {
      const token = await tokenOf(region, region.owner, '?ttl=3600');
      const { header, head, claims } = parts(token);
      assert.match(header, /^[A-Za-z0-9+/]+$/);
      assert.equal(header.length % 4, 0, 'no padding is missing');
      assert.equal(head.alg, 'ES256');
      assert.match(head.kid ?? '', /^[0-9a-f-]{36}$/);
      assert.equal(claims.exp - claims.iat, 3600);
      assert.equal(claims.identity.contractNumber, region.contract);
      assert.equal(claims.identity.role, 'owner');
      assert.ok(claims.identity.privileges.includes('ACCESS_ACTIVITY_LOG'));
      await region.call('DELETE', `${tokensPath}/${head.kid}`);
    }
  });

  test('[AUTH-03] the nine lifetimes are possible, any other is refused with all nine named', async () => {
    for (const ttl of lifetimes) {
      const { claims, head } = parts(await tokenOf(region, region.owner, `?ttl=${ttl}`));
      assert.equal(claims.exp - claims.iat, ttl);
      await region.call('DELETE', `${tokensPath}/${head.kid}`);
    }
    const absent = parts(await tokenOf(region, region.owner));
    assert.equal(absent.claims.exp - absent.claims.iat, 31_536_000);
    for (const ttl of ['0', '-1', '60', '3601', '31536001', 'abc', '1e3', '3600.5']) {
      const { status, body } = await region.call('GET', `${generate}?ttl=${ttl}`);
      assert.equal(status, 422, ttl);
      for (const one of lifetimes) assert.ok(body.messages[0]?.message.includes(String(one)), `${one} is not named`);
    }
  });

  test('[AUTH-07] tokens can be listed, read and deleted; a deleted one stops at once on every service', async () => {
    const token = await tokenOf(region, region.owner);
    const id = parts(token).head.kid ?? '';
    const list = await region.call<{ tokens: ResourceBody[] }>('GET', tokensPath);
    const found = list.body.tokens.find((one) => one.id === id);
    assert.deepEqual(Object.keys(found ?? {}).sort(), ['createdDate', 'expirationDate', 'href', 'id']);
    const single = await region.call('GET', `${tokensPath}/${id}`);
    assert.deepEqual(single.body, found);
    const used = [`${core}/datacenters`, tokensPath, '/activitylog/v1', '/lab/clock'];
    for (const path of used) assert.equal((await region.call('GET', path, undefined, { token })).status, 200, path);
    const deleted = await region.call('DELETE', `${tokensPath}/${id}`);
    assert.deepEqual([deleted.status, deleted.body], [200, { success: true }]);
    for (const path of used) assert.equal((await region.call('GET', path, undefined, { token })).status, 401, path);
    assert.equal((await region.call('GET', `${tokensPath}/${id}`)).status, 404);
    assert.equal((await region.call('DELETE', `${tokensPath}/${id}`)).status, 404);
    assert.equal((await region.call('GET', `${tokensPath}/nonsense`)).status, 404);
  });

  test('[AUTH-07] criteria CURRENT, ALL and anything else', async () => {
    const { basic, token } = await addPerson(region);
    const other = await tokenOf(region, basic);
    assert.equal((await region.call('DELETE', `${tokensPath}?criteria=CURRENT`, undefined, { basic })).status, 422);
    assert.equal((await region.call('DELETE', tokensPath, undefined, { token })).status, 422);
    const current = await region.call('DELETE', `${tokensPath}?criteria=CURRENT`, undefined, { token });
    assert.deepEqual(current.body, { success: true });
    assert.equal((await region.call('GET', tokensPath, undefined, { token })).status, 401);
    assert.equal((await region.call('GET', tokensPath, undefined, { token: other })).status, 200);
    await region.call('DELETE', `${tokensPath}?criteria=ALL`, undefined, { token: other });
    assert.equal((await region.call('GET', tokensPath, undefined, { token: other })).status, 401);
    const left = await region.call<{ tokens: ResourceBody[] }>('GET', tokensPath, undefined, { basic });
    assert.deepEqual(left.body.tokens, []);
  });

  test('[AUTH-04] the hundred-and-first token is refused, and works again after one is deleted', async () => {
    const { basic, token } = await addPerson(region);
    const made = await Promise.all(
      Array.from({ length: 110 }, () => region.call('GET', generate, undefined, { token })),
    );
    assert.equal(made.filter((answer) => answer.status === 200).length, 99);
    const refused = made.filter((answer) => answer.status === 422);
    assert.equal(refused.length, 11);
    assert.match(refused[0]?.body.messages[0]?.message ?? '', /100/);
    const one = made.find((answer) => answer.status === 200);
    await region.call('DELETE', `${tokensPath}/${parts(String(one?.body.token)).head.kid}`, undefined, { basic });
    assert.equal((await region.call('GET', generate, undefined, { token })).status, 200);
    assert.equal((await region.call('GET', generate, undefined, { token })).status, 422);
  });

  test('[AUTH-05] a token survives a restart, and only its hash does', async () => {
    const token = await tokenOf(region, region.owner);
    await region.restart();
    assert.equal((await region.call('GET', `${core}/datacenters`, undefined, { token })).status, 200);
    const listed = JSON.stringify((await region.call('GET', tokensPath)).body);
    assert.ok(!listed.includes(token.split('.')[2] ?? ''));
  });

  test('[AUTH-02] a forged, altered or foreign token is refused', async () => {
    const [header, payload, signature] = region.token.split('.');
    const claims = parts(region.token).claims;
    const raised = Buffer.from(JSON.stringify({ ...claims, exp: claims.exp + 1000 })).toString('base64url');
    const none = Buffer.from('{"typ":"JWT","alg":"none"}').toString('base64url');
    const forged = [
      `${header}.${raised}.${signature}`,
      `${none}.${payload}.`,
      `${header}.${payload}.`,
      'a.b.c',
      '',
      'x',
    ];
    for (const token of forged) {
      const { status, body } = await region.call('GET', `${core}/datacenters`, undefined, {
        headers: { authorization: `Bearer ${token}` },
      });
      assert.equal(status, 401, token);
      assert.equal(body.messages[0]?.errorCode, '315');
    }
  });
});

test('[AUTH-02, AUTH-07] an expired token is 401 on every service, and criteria EXPIRED removes it', async () => {
  await using region = await startRegion();
  const token = await tokenOf(region, region.owner, '?ttl=3600');
  const services = [`${core}/datacenters`, tokensPath, '/activitylog/v1', '/lab/clock'];
  for (const path of services) assert.equal((await region.call('GET', path, undefined, { token })).status, 200, path);
  await region.call('PUT', '/lab/clock', { advanceMs: 3_601_000 });
  for (const path of services) assert.equal((await region.call('GET', path, undefined, { token })).status, 401, path);
  const listed = await region.call<{ tokens: ResourceBody[] }>('GET', tokensPath);
  assert.equal(listed.body.tokens.length, 2);
  await region.call('DELETE', `${tokensPath}?criteria=EXPIRED`);
  const left = await region.call<{ tokens: ResourceBody[] }>('GET', tokensPath);
  assert.equal(left.body.tokens.length, 1);
});

suite('credentials', () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  test('[AUTH-06] Basic works on core, tokens and the activity log', async () => {
    const basic = region.owner;
    for (const path of [`${core}/`, `${core}/datacenters`, tokensPath, '/activitylog/v1', '/activitylog/v1/contracts'])
      assert.equal((await region.call('GET', path, undefined, { basic })).status, 200, path);
  });

  test('[AUTH-06] with 2FA enabled or enforced only tokens work', async () => {
    for (const mark of ['secAuthActive', 'forceSecAuth']) {
      const { user, basic, token } = await addPerson(region);
      const properties = { ...user.properties, password: undefined, [mark]: true };
      assert.equal((await region.call('PUT', `${core}/um/users/${user.id}`, { properties })).status, 202);
      assert.equal((await region.call('GET', `${core}/datacenters`, undefined, { basic })).status, 401, mark);
      assert.equal((await region.call('GET', generate, undefined, { basic })).status, 401, mark);
      assert.equal((await region.call('GET', `${core}/datacenters`, undefined, { token })).status, 200, mark);
    }
  });

  test('[AUTH-06] a changed password counts at once', async () => {
    const { user, basic } = await addPerson(region);
    assert.equal((await region.call('GET', `${core}/`, undefined, { basic })).status, 200);
    const password = 'Another-Password-1';
    await region.call('PUT', `${core}/um/users/${user.id}`, { properties: { ...user.properties, password } });
    assert.equal((await region.call('GET', `${core}/`, undefined, { basic })).status, 401);
    assert.equal((await region.call('GET', `${core}/`, undefined, { basic: { ...basic, password } })).status, 200);
  });

  test('[AUTH-06] an inactive user is out, with token and password', async () => {
    const { user, basic, token } = await addPerson(region);
    await region.call('PUT', `${core}/um/users/${user.id}`, {
      properties: { ...user.properties, password: undefined, active: false },
    });
    assert.equal((await region.call('GET', `${core}/`, undefined, { basic })).status, 401);
    assert.equal((await region.call('GET', `${core}/`, undefined, { token })).status, 401);
  });

  test('[AUTH-09] guessing is slowed down with 429, and stays away from others', async () => {
    const { basic } = await addPerson(region);
    const { basic: other } = await addPerson(region);
    const answers: number[] = [];
    for (let guess = 0; guess < 14; guess++) {
      const answer = await region.call('GET', `${core}/`, undefined, {
        basic: { ...basic, password: `guess-${guess}` },
      });
      answers.push(answer.status);
      if (answer.status === 429) assert.match(String(answer.headers['retry-after']), /^\d+$/);
    }
    assert.equal(answers[0], 401);
    assert.equal(answers.at(-1), 429);
    assert.equal((await region.call('GET', `${core}/`, undefined, { basic: other })).status, 200);
  });
});
