// Users, groups, members, shares, S3 keys and shareable resources, tested from outside.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { privileges } from '../../src/testing/black-box/privileges.ts';
import { addGroup, addPerson, core, type PersonOfTest, tokenOf } from '../harness/people.ts';
import { createDone, type Region, startRegion, waitRequest } from '../harness/region.ts';

suite('users and groups', () => {
  let region: Region;
  let plain: PersonOfTest;
  before(async () => {
    region = await startRegion();
    plain = await addPerson(region);
  });
  after(() => region.stop());

  const as = (person: PersonOfTest) => ({ token: person.token });
  const users = `${core}/um/users`;
  const groups = `${core}/um/groups`;

  test('[AUTH-09] a user is created with a request, read without a password, changed and deleted', async () => {
    const properties = {
      firstname: 'Ada',
      lastname: 'L',
      email: 'ada@example.com',
      password: 'Secret-12345',
      administrator: false,
    };
    const made = await region.call('POST', users, { properties });
    assert.equal(made.status, 202);
    assert.equal(made.body.type, 'user');
    assert.equal((await waitRequest(region, made.headers.location)).metadata.status, 'DONE');
    const { id } = made.body;
    const read = await region.call('GET', `${users}/${id}?depth=1`);
    assert.equal(read.body.properties.password, null);
    assert.equal(read.body.properties.firstname, 'Ada');
    assert.deepEqual(read.body.entities.groups?.items, []);
    assert.ok(!('state' in read.body.metadata));
    const put = await region.call('PUT', `${users}/${id}`, {
      properties: { ...read.body.properties, lastname: 'Lovelace' },
    });
    assert.equal(put.status, 202);
    assert.equal(put.body.properties.lastname, 'Lovelace');
    const gone = await region.call('DELETE', `${users}/${id}`);
    assert.equal(gone.status, 202);
    assert.equal((await waitRequest(region, gone.headers.location)).metadata.status, 'DONE');
    assert.equal((await region.call('GET', `${users}/${id}`)).status, 404);
    assert.equal((await region.call('PATCH', `${users}/${id}`, {})).status, 405);
  });

  test('[AUTH-09] the metadata of a user shows their last log-in, by Basic credentials or by creating a token', async () => {
    const basic = { email: 'late@example.com', password: 'Late-Password-1' };
    const made = await createDone(region, users, { properties: { firstname: 'A', lastname: 'B', ...basic } });
    assert.equal(made.metadata.lastLogin, null);
    const path = `${users}/${made.id}`;
    // Moving the clock flushes the recorded log-ins; each log-in a minute after the previous one is recorded.
    const afterwards = async (advanceMs: number) => {
      const { body } = await region.call<{ now: string }>('PUT', '/lab/clock', { advanceMs });
      return { now: Date.parse(body.now), shown: (await region.call('GET', path)).body };
    };
    const token = await tokenOf(region, basic);
    const steps = [
      () => region.call('GET', '/auth/v1/tokens/generate', undefined, { token }),
      () => region.call('GET', `${core}/`, undefined, { basic }),
      () => region.call('GET', `${core}/`, undefined, { basic }), // these credentials are cached already
    ];
    await afterwards(61_000);
    let before = 0;
    for (const step of steps) {
      assert.equal((await step()).status, 200);
      const { now, shown } = await afterwards(61_000);
      const { lastLogin, ...rest } = shown.metadata;
      assert.match(String(lastLogin), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      const at = Date.parse(String(lastLogin));
      assert.ok(at > before && at > now - 120_000 && at <= now, `${lastLogin} after ${before}`);
      assert.deepEqual({ ...rest, lastLogin: null }, made.metadata, 'a log-in changes nothing else');
      before = at;
    }
    await region.call('GET', `${core}/`, undefined, { basic: { ...basic, password: 'wrong' } });
    await region.call('GET', `${core}/`, undefined, { token });
    assert.equal((await afterwards(61_000)).shown.metadata.lastLogin, new Date(before).toISOString());
    await region.restart();
    assert.equal((await region.call('GET', path)).body.metadata.lastLogin, new Date(before).toISOString());
    const list = await region.call('GET', `${users}?depth=1`);
    assert.equal(list.body.items.find(({ id }) => id === made.id)?.metadata.lastLogin, new Date(before).toISOString());
  });

  test('[AUTH-09] an e-mail address belongs to one person, in any case and under concurrency', async () => {
    const body = (email: string) => ({
      properties: { firstname: 'A', lastname: 'B', email, password: 'Secret-12345' },
    });
    const answers = await Promise.all(
      ['x@example.com', 'X@example.com', 'x@EXAMPLE.com'].map((email) => region.call('POST', users, body(email))),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 422, 422]);
  });

  test('[AUTH-09] a deleted user loses access at once, and the address is free again', async () => {
    const person = await addPerson(region);
    const gone = await region.call('DELETE', `${users}/${person.user.id}`);
    assert.equal((await region.call('GET', `${core}/`, undefined, as(person))).status, 401);
    await waitRequest(region, gone.headers.location);
    const properties = { firstname: 'A', lastname: 'B', email: person.basic.email, password: 'Secret-12345' };
    assert.equal((await region.call('POST', users, { properties })).status, 202);
  });

  test('[AUTH-09] the owner can be neither deleted nor disabled, not even by an administrator', async () => {
    const admin = await addPerson(region, { administrator: true });
    const list = await region.call('GET', `${users}?depth=1`);
    const owner = list.body.items.find((one) => one.properties.email === region.owner.email);
    assert.equal((await region.call('DELETE', `${users}/${owner?.id}`)).status, 422);
    const properties = { ...owner?.properties, active: false };
    assert.equal((await region.call('PUT', `${users}/${owner?.id}`, { properties })).status, 422);
    assert.equal(
      (await region.call('PUT', `${users}/${owner?.id}`, { properties: owner?.properties }, as(admin))).status,
      403,
    );
  });

  test("[AUTH-08] users who are not administrators see only themselves and can't change users", async () => {
    const list = await region.call('GET', `${users}?depth=1`, undefined, as(plain));
    assert.deepEqual(
      list.body.items.map(({ id }) => id),
      [plain.user.id],
    );
    assert.equal((await region.call('GET', `${users}/${plain.user.id}`, undefined, as(plain))).status, 200);
    const properties = { firstname: 'M', lastname: 'N', email: 'm@example.com', password: 'Secret-12345' };
    assert.equal((await region.call('POST', users, { properties }, as(plain))).status, 403);
    assert.equal(
      (
        await region.call(
          'PUT',
          `${users}/${plain.user.id}`,
          { properties: { ...properties, administrator: true } },
          as(plain),
        )
      ).status,
      403,
    );
    assert.equal((await region.call('POST', groups, { properties: { name: 'g' } }, as(plain))).status, 403);
    assert.equal((await region.call('GET', `${core}/um/resources`, undefined, as(plain))).status, 403);
  });

  test('[AUTH-09] a group has all privilege flags; members come and go', async () => {
    const group = await addGroup(region, ['createDataCenter'], [plain.user]);
    for (const name of privileges) assert.equal(typeof group.properties[name], 'boolean', name);
    assert.equal(group.properties.createDataCenter, true);
    const members = await region.call('GET', `${groups}/${group.id}/users`);
    assert.equal(members.body.items[0]?.id, plain.user.id);
    const user = await region.call('GET', `${users}/${plain.user.id}?depth=1`);
    assert.equal(user.body.entities.groups?.items[0]?.id, group.id);
    const out = await region.call('DELETE', `${groups}/${group.id}/users/${plain.user.id}`);
    assert.equal(out.status, 202);
    assert.ok(out.headers.location);
    assert.deepEqual((await region.call('GET', `${groups}/${group.id}/users`)).body.items, []);
    assert.equal((await region.call('DELETE', `${groups}/${group.id}/users/${plain.user.id}`)).status, 404);
    assert.equal((await region.call('POST', `${groups}/${group.id}/users`, { id: 'nobody' })).status, 422);
    assert.equal((await region.call('POST', `${groups}/${group.id}/users`, {})).status, 422);
  });

  test('[AUTH-08] a privilege is granted and removed with a group, at once', async () => {
    const person = await addPerson(region);
    const body = { properties: { name: 'dc', location: 'de/txl' } };
    const refused = await region.call('POST', `${core}/datacenters`, body, as(person));
    assert.equal(refused.status, 403);
    assert.match(refused.body.messages[0]?.message ?? '', /createDataCenter/);
    const group = await addGroup(region, ['createDataCenter', 'reserveIp'], [person.user]);
    assert.equal((await region.call('POST', `${core}/datacenters`, body, as(person))).status, 202);
    const block = { properties: { location: 'de/txl', size: 1 } };
    assert.equal((await region.call('POST', `${core}/ipblocks`, block, as(person))).status, 202);
    await region.call('PUT', `${groups}/${group.id}`, { properties: { name: 'same' } });
    assert.equal(
      (await region.call('POST', `${core}/ipblocks`, block, as(person))).status,
      202,
      'an omitted privilege is kept',
    );
    await region.call('PUT', `${groups}/${group.id}`, { properties: { name: 'less', createDataCenter: false } });
    assert.equal((await region.call('POST', `${core}/datacenters`, body, as(person))).status, 403);
    await region.call('PUT', `${groups}/${group.id}`, { properties: { name: 'more', createDataCenter: true } });
    assert.equal((await region.call('POST', `${core}/datacenters`, body, as(person))).status, 202);
    const gone = await region.call('DELETE', `${groups}/${group.id}`);
    await waitRequest(region, gone.headers.location);
    assert.equal((await region.call('POST', `${core}/datacenters`, body, as(person))).status, 403);
  });

  test('[AUTH-08] the activity log needs its privilege', async () => {
    const person = await addPerson(region);
    const log = `/activitylog/v1/contracts/${region.contract}`;
    assert.equal((await region.call('GET', log, undefined, as(person))).status, 403);
    await addGroup(region, ['accessActivityLog'], [person.user]);
    assert.equal((await region.call('GET', log, undefined, as(person))).status, 200);
  });

  test('[AUTH-09] a share shows a resource to a group, to see or to edit', async () => {
    const person = await addPerson(region);
    const group = await addGroup(region, [], [person.user]);
    const dc = await createDone(region, `${core}/datacenters`, { properties: { name: 'shared', location: 'de/txl' } });
    const path = `${core}/datacenters/${dc.id}`;
    const share = `${groups}/${group.id}/shares/${dc.id}`;
    assert.equal((await region.call('GET', path, undefined, as(person))).status, 404);
    const made = await region.call('POST', share, { properties: { editPrivilege: false, sharePrivilege: false } });
    assert.equal(made.status, 202);
    assert.equal(made.body.type, 'resource');
    assert.equal((await region.call('POST', share, {})).status, 422);
    assert.equal((await region.call('GET', path, undefined, as(person))).status, 200);
    assert.equal((await region.call('GET', `${core}/datacenters`, undefined, as(person))).body.items.length, 1);
    assert.equal((await region.call('PATCH', path, { name: 'x' }, as(person))).status, 403);
    assert.equal((await region.call('POST', `${path}/lans`, { properties: {} }, as(person))).status, 403);
    const put = await region.call('PUT', share, { properties: { editPrivilege: true } });
    assert.equal(put.body.properties.editPrivilege, true);
    assert.equal((await region.call('POST', `${path}/lans`, { properties: {} }, as(person))).status, 202);
    const resources = await region.call('GET', `${groups}/${group.id}/resources?depth=1`);
    assert.equal(resources.body.items[0]?.properties.name, 'shared');
    assert.equal((await region.call('GET', `${groups}/${group.id}/shares?depth=1`)).body.items.length, 1);
    assert.equal((await region.call('DELETE', share)).status, 202);
    assert.equal((await region.call('GET', path, undefined, as(person))).status, 404);
    assert.equal((await region.call('GET', share)).status, 404);
    assert.equal((await region.call('POST', `${groups}/${group.id}/shares/${group.id}`, {})).status, 404);
    await region.call('POST', share, {});
    const gone = await region.call('DELETE', path);
    await waitRequest(region, gone.headers.location);
    assert.equal((await region.call('GET', share)).status, 404, 'a share is deleted with its resource');
    assert.deepEqual((await region.call('GET', `${groups}/${group.id}/shares`)).body.items, []);
  });

  test('[AUTH-09] S3 keys: five a user, the secret readable, never in the request', async () => {
    const person = await addPerson(region);
    const keys = `${users}/${person.user.id}/s3keys`;
    for (const options of [as(person), {}]) {
      const refused = await region.call('POST', keys, undefined, options);
      assert.equal(refused.status, 422, 'the privilege of the user counts, not that of the caller');
      assert.match(refused.body.messages[0]?.message ?? '', /part of a group that has ACCESS_S3_OBJECT_STORAGE/);
    }
    await addGroup(region, ['s3Privilege'], [person.user]);
    const made = await Promise.all(Array.from({ length: 7 }, () => region.call('POST', keys, undefined, as(person))));
    assert.deepEqual(made.map(({ status }) => status).sort(), [202, 202, 202, 202, 202, 422, 422]);
    const first = made.find(({ status }) => status === 202);
    const secret = String(first?.body.properties.secretKey);
    assert.ok(secret.length >= 40);
    const key = `${keys}/${first?.body.id}`;
    assert.equal((await region.call('GET', key)).body.properties.secretKey, secret);
    const off = await region.call('PUT', key, { properties: { active: false } });
    assert.equal(off.body.properties.active, false);
    assert.equal(off.body.properties.secretKey, secret);
    const requests = JSON.stringify((await region.call('GET', `${core}/requests?depth=2&limit=100`)).body);
    assert.ok(!requests.includes(secret));
    assert.equal((await region.call('DELETE', key)).status, 202);
    assert.equal((await region.call('GET', key)).status, 404);
    assert.equal((await region.call('POST', keys, undefined, as(person))).status, 202);
    assert.equal((await region.call('GET', keys, undefined, as(plain))).status, 404);
    const admin = await addPerson(region, { administrator: true });
    assert.equal((await region.call('POST', `${users}/${admin.user.id}/s3keys`)).status, 202);
  });

  test('[AUTH-09] resources can be listed by type; owned ones by their user', async () => {
    const block = await createDone(region, `${core}/ipblocks`, {
      properties: { location: 'de/fra', size: 1, name: 'mine' },
    });
    const byType = await region.call('GET', `${core}/um/resources/ipblock?depth=1`);
    assert.ok(byType.body.items.some((one) => one.id === block.id && one.properties.name === 'mine'));
    const { body } = await region.call('GET', `${core}/um/resources/ipblock/${block.id}`);
    assert.deepEqual([body.id, body.type], [block.id, 'ipblock']);
    const all = await region.call('GET', `${core}/um/resources`);
    for (const { items } of [byType.body, all.body])
      assert.equal(items.find(({ id }) => id === block.id)?.type, 'ipblock');
    assert.equal((await region.call('GET', `${core}/um/resources/nonsense`)).status, 404);
    const list = await region.call('GET', `${users}?depth=1`);
    const owner = list.body.items.find((one) => one.properties.email === region.owner.email);
    const owns = await region.call('GET', `${users}/${owner?.id}/owns`);
    assert.equal(owns.body.items.find(({ id }) => id === block.id)?.type, 'ipblock');
    assert.equal(typeof (await region.call('GET', `${users}/${owner?.id}/s3ssourl`)).body.ssoUrl, 'string');
  });

  test('[CORE-21] the contract shows its limits and usage, all as integers', async () => {
    const { body } = await region.call('GET', `${core}/contracts`);
    const properties = body.items[0]?.properties ?? {};
    assert.equal(properties.contractNumber, region.contract);
    const limits = properties.resourceLimits as Record<string, number>;
    assert.equal(Object.keys(limits).length, 25);
    for (const [name, value] of Object.entries(limits)) assert.ok(Number.isInteger(value), name);
  });
});
