// The account of a user in the console: sessions, password change, and the limits of an administrator of one of two
// contracts.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, suite, test } from 'node:test';
import {
  addContract,
  addPerson,
  changePerson,
  changesOf,
  core,
  joinContract,
  type OwnerOfTest,
  type PersonOfTest,
} from '../../harness/people.ts';
import { cumulet } from '../../harness/process.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { assertPayload } from '../../sweep/api.ts';
import { Authenticator, setUp } from '../harness/authenticator.ts';
import { cookieOf, ownPage, post, signIn, Visitor } from '../harness/calls.ts';

let region: Region;
before(async () => {
  region = await startRegion();
});
after(() => region.stop());

interface Listed {
  id: string;
  startedDate: string;
  usedDate: string;
  expiresDate: string;
  address: string;
  agent: string;
  by: string;
  hasSecondFactor: boolean;
  isCurrent: boolean;
}

const listed = async (visitor: Visitor): Promise<Listed[]> => {
  const { status, headers, body } = await visitor.call<{ sessions: Listed[] }>('GET', '/console/sessions');
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(headers['cache-control'], 'no-store');
  return body.sessions;
};

suite('the account of a user', () => {
  test('lists sessions with start, address and browser, without secrets', async () => {
    const { basic, token } = await addPerson(region);
    const agent = `<b>"&'${'x'.repeat(4000)}`;
    const visitor = new Visitor(region, cookieOf(await post(region, basic, { ...ownPage, 'user-agent': agent })));
    const byToken = await signIn(region, { token });
    const stranger = await signIn(region, (await addPerson(region)).basic);
    const [own, other, ...rest] = await listed(visitor);
    assert.deepEqual(rest, []);
    assert.deepEqual([own?.isCurrent, own?.by, own?.hasSecondFactor], [true, 'password', false]);
    assert.deepEqual([other?.isCurrent, other?.by], [false, 'token']);
    assert.equal(own?.agent, agent.slice(0, 300));
    assert.match(own?.address ?? '', /127\.0\.0\.1$|^::1$/);
    for (const date of [own?.startedDate, own?.usedDate, own?.expiresDate])
      assert.ok(Number.isFinite(Date.parse(date ?? '')));
    const answers = JSON.stringify([own, other]);
    for (const { cookie } of [visitor, byToken]) {
      const value = cookie.split('=')[1] ?? '';
      assert.ok(!answers.includes(createHash('sha256').update(`${value} ${ownPage['x-console']}`).digest('hex')));
      assert.ok(!answers.includes(value.split('.')[1] ?? '-'));
    }
    assertPayload(await stranger.call('DELETE', `/console/sessions/${other?.id}`), 404, 'of another user');
    assertPayload(await visitor.call('DELETE', '/console/sessions/x'), 404, 'none');
    assert.equal((await visitor.call('DELETE', `/console/sessions/${other?.id}`)).status, 200);
    assert.equal(await byToken.statusOf(), 401);
    assert.equal(await visitor.statusOf(), 200);
  });

  test('ends all other sessions of the user, and none of other users', async () => {
    const { basic } = await addPerson(region);
    const [visitor, ...others] = await Promise.all(Array.from({ length: 4 }, () => signIn(region, basic)));
    const stranger = await signIn(region, region.owner);
    assert.equal((await visitor?.call('DELETE', '/console/sessions'))?.status, 200);
    assert.deepEqual(await Promise.all(others.map((one) => one.statusOf())), [401, 401, 401]);
    assert.deepEqual([await visitor?.statusOf(), await stranger.statusOf()], [200, 200]);
  });

  test('changes the password if the old one is given; other sessions end, this one continues', async () => {
    const { basic } = await addPerson(region);
    const [visitor, other] = [await signIn(region, basic), await signIn(region, basic)];
    const change = (password: unknown, newPassword: unknown) =>
      visitor.call('PUT', '/console/password', { password, newPassword });
    assertPayload(await change('wrong', 'Another-Password-1'), 422, 'a wrong password');
    for (const bad of ['', 'four', 'x'.repeat(256), 7, null])
      assertPayload(await change(basic.password, bad), 422, `${bad}`);
    const password = 'Another-Pässwort-1';
    assert.equal((await change(basic.password, password)).status, 200);
    assert.deepEqual([await visitor.statusOf(), await other.statusOf()], [200, 401]);
    assertPayload(await post(region, basic), 401, 'the old one');
    await signIn(region, { ...basic, password });
    assert.equal((await region.call('GET', `${core}/`, undefined, { basic: { ...basic, password } })).status, 200);
  });

  test('a session by token can change the password and 2FA, too', async () => {
    const { basic, token } = await addPerson(region);
    const visitor = await signIn(region, { token });
    const begin = (password?: string) =>
      visitor.call<{ challenge: string; secret: string }>('POST', '/console/second-factor', { password });
    for (const password of [undefined, '', 'wrong', token])
      assertPayload(await begin(password), 422, 'a token alone sets no 2FA up');
    const { body } = await begin(basic.password);
    const code = new Authenticator(body.secret).next();
    const sent = { challenge: body.challenge, code };
    assert.equal((await visitor.call('PUT', '/console/second-factor', sent)).status, 200);
    assert.equal(await visitor.statusOf(), 200);
    const next = { password: basic.password, newPassword: 'Another-Password-2' };
    assert.equal((await visitor.call('PUT', '/console/password', next)).status, 200);
    assert.equal(await visitor.statusOf(), 200);
    const stranger = await signIn(region, (await addPerson(region)).basic);
    assertPayload(await stranger.call('PUT', '/console/second-factor', sent), 403, 'the challenge of another user');
  });
});

suite('the account of two contracts', () => {
  let second: OwnerOfTest;
  before(async () => {
    second = await addContract(region, 31_000_077);
  });

  const join = (person: PersonOfTest, ...more: string[]) => joinContract(region, person, second, ...more);
  const inSecond = (): Record<string, string> => ({ 'x-contract-number': String(second.contract) });

  test('only administrators of both contracts or the operator reset its 2FA; both activity logs record it', async () => {
    const person = await addPerson(region);
    const [one, member, both] = [
      await addPerson(region, { administrator: true }),
      await addPerson(region, { administrator: true }),
      await addPerson(region, { administrator: true }),
    ];
    await join(person);
    await join(member);
    await join(both, '--admin');
    const reset = `/console/users/${person.user.id}/second-factor`;
    const enrol = async (): Promise<Visitor> => {
      const visitor = await signIn(region, person.basic);
      await setUp(visitor, person.basic);
      return visitor;
    };
    const isActive = async (who: { token: string }): Promise<unknown> =>
      (await region.call('GET', `${core}/um/users/${person.user.id}`, undefined, who)).body.properties.secAuthActive;
    const visitor = await enrol();
    for (const { basic } of [one, member, second, { basic: region.owner }]) {
      const desk = await signIn(region, basic);
      const refused = await desk.call('DELETE', reset);
      assertPayload(refused, 403, basic.email);
      assert.match(JSON.stringify(refused.body), /recovery code, or the operator.*cumulet user reset-2fa/);
      const { body } = await desk.call<{ isSetUp: boolean; refusal: string }>('GET', reset);
      assert.equal(body.isSetUp, true);
      assert.match(body.refusal, /contract that you do not administer/);
    }
    assert.deepEqual([await visitor.statusOf(), await isActive(region), await isActive(second)], [200, true, true]);
    const desk = await signIn(region, both.basic);
    assert.deepEqual((await desk.call('GET', reset)).body, { isSetUp: true, refusal: null } as unknown);
    assert.equal((await desk.call('DELETE', reset)).status, 200);
    assert.deepEqual([await visitor.statusOf(), await isActive(region), await isActive(second)], [401, false, false]);
    for (const contract of [region, second])
      assert.equal((await changesOf(region, person, contract))[0], both.basic.email);

    await enrol();
    const ended = await cumulet(['user', 'reset-2fa', '--user', person.basic.email, '--data', region.data]);
    assert.equal(ended.code, 0, ended.stderr);
    for (const contract of [region, second]) assert.equal((await changesOf(region, person, contract))[0], 'operator');
    await signIn(region, person.basic);
  });

  test('the administrator of one contract can lock it neither by making it inactive nor by 2FA', async () => {
    const person = await addPerson(region);
    await join(person);
    const properties = { firstname: 'A', lastname: 'Person', email: person.basic.email };
    const change = (more: object) =>
      region.call('PUT', `${core}/um/users/${person.user.id}`, { properties: { ...properties, ...more } });
    assertPayload(await change({ secAuthActive: true }), 403, 'secAuthActive');
    await changePerson(region, person, { active: false });
    const visitor = await signIn(region, person.basic);
    assert.deepEqual([(await visitor.who()).contract, await visitor.statusOf()], [second.contract, 200]);
    const first = { ...ownPage, 'x-contract-number': String(region.contract) };
    assert.equal(await visitor.statusOf(undefined, first), 401);
  });

  test('[AUTH-06] if one contract requires 2FA, the password gets no token in the other contract either', async () => {
    const person = await addPerson(region);
    await join(person);
    const call = (at: string) => region.call('GET', at, undefined, { basic: person.basic, headers: inSecond() });
    const generate = '/auth/v1/tokens/generate';
    assert.equal((await call(generate)).status, 200);
    await changePerson(region, person, { forceSecAuth: true });
    for (const at of [generate, `${core}/datacenters`]) assertPayload(await call(at), 401, at);
  });
});
