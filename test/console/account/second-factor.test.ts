// 2FA by HTTP: setup, the second step of a sign-in, recovery codes, switching off, resets, and the traces in stored
// data.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { addPerson, changePerson, changesOf, core } from '../../harness/people.ts';
import { cumulet } from '../../harness/process.ts';
import { type Answer, type Region, startRegion } from '../../harness/region.ts';
import { leaksBelow, Secrets } from '../../harness/secrets-search.ts';
import { assertPayload } from '../../sweep/api.ts';
import { Authenticator, setUp } from '../harness/authenticator.ts';
import { cookieOf, ownPage, post, signIn, Visitor } from '../harness/calls.ts';

const path = '/console/second-factor';

interface Next {
  signedIn: boolean;
  next: { kind: string; challenge: string; secret?: string; uri?: string };
  recoveryCodes?: string[];
}

const passwordStep = async (region: Region, credentials: object): Promise<Next['next']> => {
  const answer = (await post(region, credentials)) as unknown as Answer<Next>;
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  assert.equal(answer.body.signedIn, false);
  assert.equal(answer.headers['set-cookie'], undefined, 'a session before the code');
  return answer.body.next;
};

async function signInByCode(region: Region, credentials: object, code: string): Promise<Visitor> {
  const { challenge } = await passwordStep(region, credentials);
  const answer = await post(region, { challenge, code });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return new Visitor(region, cookieOf(answer));
}

let region: Region;
before(async () => {
  region = await startRegion();
});
after(() => region.stop());

suite('2FA', () => {
  test('is set up with a code and required after the password; sessions without it end', async () => {
    const person = await addPerson(region);
    const [visitor, other] = [await signIn(region, person.basic), await signIn(region, person.basic)];
    assert.deepEqual((await visitor.call('GET', path)).body, {
      isSetUp: false,
      isForced: false,
      since: null,
      recoveryCodesLeft: 0,
    } as unknown);
    const begun = await visitor.call<Next['next']>('POST', path, { password: person.basic.password });
    assert.equal(begun.headers['cache-control'], 'no-store');
    assert.match(begun.body.uri ?? '', /^otpauth:\/\/totp\/Cumulet:person\d+%40example.com\?/);
    const { app, recoveryCodes } = await setUp(visitor, person.basic);
    assert.equal(recoveryCodes.length, 10);
    assert.equal(await visitor.statusOf(), 200, 'the session that set it up continues');
    assert.equal(await other.statusOf(), 401, 'another one has proven a password alone');
    const { body } = await region.call('GET', `${core}/um/users/${person.user.id}`);
    assert.equal(body.properties.secAuthActive, true);
    assertPayload(await visitor.call('POST', path, { password: person.basic.password }), 409, 'a second one');
    const later = await signInByCode(region, person.basic, app.next());
    assert.equal(await later.statusOf(), 200);
    assert.equal((await later.who()).user.email, person.basic.email);
  });

  test('[AUTH-06] refuses Basic credentials and accepts tokens', async () => {
    const person = await addPerson(region);
    await setUp(await signIn(region, person.basic), person.basic);
    assert.equal((await region.call('GET', `${core}/datacenters`, undefined, { basic: person.basic })).status, 401);
    assert.equal((await region.call('GET', `${core}/datacenters`, undefined, { token: person.token })).status, 200);
    assert.equal(await (await signIn(region, { token: person.token })).statusOf(), 200);
  });

  test('accepts a code once, and neither a wrong code nor the challenge of another user', async () => {
    const person = await addPerson(region);
    const { app } = await setUp(await signIn(region, person.basic), person.basic);
    const { challenge } = await passwordStep(region, person.basic);
    const code = app.next();
    assertPayload(await post(region, { challenge, code: app.wrong() }), 401, 'a wrong code');
    assert.equal((await post(region, { challenge, code: ` ${code.slice(0, 3)} ${code.slice(3)}` })).status, 200);
    assertPayload(await post(region, { challenge, code }), 401, 'the same code again');
    const stranger = await addPerson(region);
    await setUp(await signIn(region, stranger.basic), stranger.basic);
    const { challenge: foreign } = await passwordStep(region, stranger.basic);
    assertPayload(await post(region, { challenge: foreign, code }), 401, 'a code of another account');
    assertPayload(await post(region, { challenge: 'x', code }), 401, 'no challenge');
    assertPayload(await post(region, { ...person.basic, password: 'wrong' }), 401, 'a wrong password');
    for (const body of [{ challenge }, { code }, { challenge, code: 1 }, { challenge, code, token: 'x' }])
      assertPayload(await post(region, body), 422, JSON.stringify(body));
  });

  test('accepts each recovery code once, and new codes replace the old ones', async () => {
    const person = await addPerson(region);
    const visitor = await signIn(region, person.basic);
    const { app, recoveryCodes } = await setUp(visitor, person.basic);
    const [first = '', second = ''] = recoveryCodes;
    const later = await signInByCode(region, person.basic, first.toUpperCase());
    const left = async (): Promise<unknown> =>
      (await later.call<{ recoveryCodesLeft: number }>('GET', path)).body.recoveryCodesLeft;
    assert.equal(await left(), 9);
    const { challenge } = await passwordStep(region, person.basic);
    assertPayload(await post(region, { challenge, code: first }), 401, 'the same one again');
    const renewed = await later.call<{ recoveryCodes: string[] }>('POST', `${path}/recovery-codes`, {
      code: app.next(),
    });
    assert.equal(renewed.status, 200);
    assert.equal(await left(), 10);
    assertPayload(await post(region, { challenge, code: second }), 401, 'one that was replaced');
    const [fresh = ''] = renewed.body.recoveryCodes;
    assert.equal(await (await signInByCode(region, person.basic, fresh)).statusOf(), 200);
  });

  test('is switched off only with a code, and not while it is required', async () => {
    const person = await addPerson(region);
    const visitor = await signIn(region, person.basic);
    const { app, recoveryCodes } = await setUp(visitor, person.basic);
    assertPayload(await visitor.call('DELETE', path, { code: app.wrong() }), 422, 'a wrong code');
    assertPayload(await visitor.call('DELETE', path, {}), 422, 'no code');
    assert.equal((await changePerson(region, person, { forceSecAuth: true })).properties.secAuthActive, true);
    assertPayload(await visitor.call('DELETE', path, { code: recoveryCodes[0] }), 422, 'it is forced');
    await changePerson(region, person, { forceSecAuth: false });
    assert.equal((await visitor.call('DELETE', path, { code: app.next() })).status, 200);
    const { body } = await region.call('GET', `${core}/um/users/${person.user.id}`);
    assert.equal(body.properties.secAuthActive, false);
    assert.equal(await visitor.statusOf(), 200);
    assert.equal(await (await signIn(region, person.basic)).statusOf(), 200);
    assert.equal((await region.call('GET', `${core}/datacenters`, undefined, { basic: person.basic })).status, 200);
  });

  test('if required, is set up at the next sign-in; the challenge is useless without a code', async () => {
    const person = await addPerson(region);
    const byToken = await signIn(region, { token: person.token });
    await changePerson(region, person, { forceSecAuth: true });
    const { kind, challenge, secret = '' } = await passwordStep(region, person.basic);
    assert.equal(kind, 'enrolment');
    const app = new Authenticator(secret);
    assertPayload(await post(region, { challenge, code: app.wrong() }), 401, 'a wrong code');
    const answer = (await post(region, { challenge, code: app.next() })) as unknown as Answer<Next>;
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    assert.equal(answer.body.recoveryCodes?.length, 10);
    assert.equal(await new Visitor(region, cookieOf(answer)).statusOf(), 200);
    assert.equal(await byToken.statusOf(), 401, 'a session from before');
    assert.equal((await changesOf(region, person, region))[0], person.basic.email);
    assertPayload(await post(region, { challenge, code: app.next() }), 409, 'a second time');
    assert.equal((await passwordStep(region, person.basic)).kind, 'code');
  });

  test('is reset by administrators for users of their contract only; a PUT does not switch it off', async () => {
    const person = await addPerson(region);
    const admin = await addPerson(region, { administrator: true });
    const visitor = await signIn(region, person.basic);
    await setUp(visitor, person.basic);
    assert.equal((await changePerson(region, person, { secAuthActive: false })).properties.secAuthActive, true);
    const reset = `/console/users/${person.user.id}/second-factor`;
    const desk = await signIn(region, admin.basic);
    assertPayload(await visitor.call('DELETE', reset), 403, 'the user');
    assertPayload(await desk.call('DELETE', reset, undefined, {}), 401, 'another page');
    const { user: owner } = await (await signIn(region, region.owner)).who();
    for (const [id, status] of [
      [admin.user.id, 422],
      ['00000000-0000-7000-8000-000000000000', 404],
      [owner.id, 403],
    ] as const)
      assertPayload(await desk.call('DELETE', `/console/users/${id}/second-factor`), status, id);
    assert.equal((await desk.call('DELETE', reset)).status, 200);
    assert.equal(await visitor.statusOf(), 401, 'their sessions end');
    assert.equal(await (await signIn(region, person.basic)).statusOf(), 200);
    assertPayload(await desk.call('DELETE', reset), 404, 'there is none any more');
  });

  test('the routes of 2FA, sessions and passwords accept neither tokens nor calls of other pages', async () => {
    const visitor = await signIn(region, region.owner);
    const routes: [string, string][] = [
      ['GET', '/console/sessions'],
      ['DELETE', '/console/sessions'],
      ['DELETE', `/console/sessions/${'0'.repeat(32)}`],
      ['PUT', '/console/password'],
      ['GET', path],
      ['POST', path],
      ['PUT', path],
      ['DELETE', path],
      ['POST', `${path}/recovery-codes`],
    ];
    for (const [method, route] of routes) {
      const body = method === 'GET' ? undefined : {};
      const operation = `${method} ${route}`;
      assertPayload(await visitor.call(method, route, body, { 'sec-fetch-site': 'same-origin' }), 401, operation);
      const crossSite = { 'x-console': '1', 'sec-fetch-site': 'cross-site' };
      assertPayload(await visitor.call(method, route, body, crossSite), 403, operation);
      assertPayload(await region.call(method, route, body), 403, operation);
      const both = { ...ownPage, cookie: visitor.cookie };
      assertPayload(await region.call(method, route, body, { headers: both }), 403, operation);
    }
    assert.equal(await visitor.statusOf(), 200);
  });
});

test('after a few wrong codes from any address, the right code has to wait, too, and the password reveals nothing', async () => {
  await using region = await startRegion();
  const person = await addPerson(region);
  const { app } = await setUp(await signIn(region, person.basic), person.basic);
  const { challenge } = await passwordStep(region, person.basic);
  const guesses = Array.from({ length: 30 }, () => post(region, { challenge, code: app.wrong() }));
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  assert.ok(statuses.filter((status) => status === 401).length <= 10, statuses.join());
  const late = await post(region, { challenge, code: app.next() });
  assertPayload(late, 429, 'the right one');
  assert.ok(Number(late.headers['retry-after']) >= 10);
});

test('2FA and its sessions survive a crash and any time of the lab’s clock, and no secret is stored readably', async () => {
  await using region = await startRegion();
  const secrets = new Secrets();
  const person = await addPerson(region);
  const visitor = await signIn(region, person.basic);
  const { app, secret, recoveryCodes } = await setUp(visitor, person.basic);
  secrets.know('the secret', secret);
  for (const code of recoveryCodes) secrets.know('a recovery code', code);
  await region.kill();
  await region.start();
  assert.equal(await visitor.at(region).statusOf(), 200);
  assert.equal((await region.call('PUT', '/lab/clock', { advanceMs: 40 * 86_400_000 })).status, 200);
  const later = await signInByCode(region, person.basic, app.next());
  assert.equal(await later.statusOf(), 200);
  const [code = ''] = recoveryCodes;
  assertPayload(await later.call('DELETE', path, { code: secrets.plant('a wrong code') }), 422, 'a wrong code');
  assert.equal((await later.call('POST', `${path}/recovery-codes`, { code })).status, 200);
  const { body } = await region.call<object>('GET', `/activitylog/v1/contracts/${region.contract}?limit=100`);
  assert.deepEqual(secrets.foundIn(JSON.stringify(body)), []);
  assert.match(JSON.stringify(body), /The code of the second factor was wrong/);
  await region.halt('SIGTERM');
  assert.deepEqual(leaksBelow(region.data, secrets), []);
  assert.deepEqual(secrets.foundIn(region.log()), []);
});

test('the operator resets the 2FA of a user who lost the authenticator and the recovery codes', async () => {
  const { basic } = await addPerson(region);
  await setUp(await signIn(region, basic), basic);
  const ended = await cumulet(['user', 'reset-2fa', '--user', basic.email, '--data', region.data]);
  assert.equal(ended.code, 0, ended.stderr);
  assert.equal(await (await signIn(region, basic)).statusOf(), 200);
  const again = await cumulet(['user', 'reset-2fa', '--user', basic.email, '--data', region.data]);
  assert.notEqual(again.code, 0);
  assert.match(again.stderr, /no authenticator/);
});
