// The account of a person who is a user of two contracts: what the administrator of one can't do to it.
import assert from 'node:assert/strict';
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
} from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { assertPayload } from '../sweep/api.ts';
import { setUp } from './authenticator.ts';
import { ownPage, signIn, type Visitor } from './calls.ts';

suite('the account of two contracts', () => {
  let region: Region;
  let second: OwnerOfTest;
  before(async () => {
    region = await startRegion();
    second = await addContract(region, 31_000_077);
  });
  after(() => region.stop());

  const join = (person: PersonOfTest, ...more: string[]) => joinContract(region, person, second, ...more);
  const inSecond = (): Record<string, string> => ({ 'x-contract-number': String(second.contract) });

  test('its 2FA is reset by those alone who administer both, or by the operator; both contracts are told', async () => {
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

  test('is not locked by the administrator of one: neither as inactive nor as one that has 2FA', async () => {
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

  test('[AUTH-06] that one contract forces to use 2FA gets no token by its password in the other', async () => {
    const person = await addPerson(region);
    await join(person);
    const call = (at: string) => region.call('GET', at, undefined, { basic: person.basic, headers: inSecond() });
    const generate = '/auth/v1/tokens/generate';
    assert.equal((await call(generate)).status, 200);
    await changePerson(region, person, { forceSecAuth: true });
    for (const at of [generate, `${core}/datacenters`]) assertPayload(await call(at), 401, at);
  });
});
