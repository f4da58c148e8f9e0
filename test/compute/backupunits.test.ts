// Backup units, black box.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { assertRefused, done, read } from '../harness/landscape.ts';
import { addPerson, core } from '../harness/people.ts';
import { createDone, type Region, startRegion, waitRequest } from '../harness/region.ts';

const units = `${core}/backupunits`;
const password = 'Planted-Backup-Password-1';

suite('backup units', { concurrency: true }, () => {
  let region: Region;
  before(async () => {
    region = await startRegion();
  });
  after(() => region.stop());

  const post = (properties: object) => region.call('POST', units, { properties });
  const add = (name: string) => createDone(region, units, { properties: { name, password, email: 'a@example.com' } });

  test('[CORE-20] a backup unit is created, read, changed and deleted; its password is never shown', async () => {
    const made = await post({ name: 'Unit1', password, email: 'a@example.com' });
    assert.equal(made.status, 202);
    await waitRequest(region, made.headers.location);
    assert.ok(made.body.metadata.state);
    const path = `${units}/${made.body.id}`;
    const shown = { name: 'Unit1', password: null, email: 'a@example.com' };
    assert.deepEqual(made.body.properties, shown);
    const { body } = await region.call('GET', new URL(String(made.headers.location)).pathname.replace('/status', ''));
    assert.ok(!JSON.stringify(body).includes(password));
    await done(region, 'PATCH', path, { email: 'b@example.com' });
    assert.deepEqual((await read(region, path)).properties, { ...shown, email: 'b@example.com' });
    await done(region, 'PUT', path, { properties: { email: 'c@example.com', password: 'Another-1' } });
    const again = await read(region, path);
    assert.equal(again.type, 'backupunit');
    assert.equal(again.metadata.state, 'AVAILABLE');
    assert.deepEqual(again.properties, { ...shown, email: 'c@example.com' });
    const list = await read(region, `${units}?depth=2`);
    assert.ok(list.items.some(({ id, properties }) => id === made.body.id && properties.name === 'Unit1'));
    assert.equal('offset' in list, false);
    const { ssoUrl } = await read(region, `${path}/ssourl`);
    assert.equal(typeof ssoUrl, 'string');
    assert.match(String(ssoUrl), /^https?:\/\//);
    await done(region, 'DELETE', path);
    assert.equal((await region.call('GET', path)).status, 404);
    assert.equal((await region.call('GET', `${path}/ssourl`)).status, 404);
  });

  test('[CORE-20] its name has letters and digits, is unique and immutable', async () => {
    assertRefused(
      await post({ name: 'no-hyphen', password: '', email: 'nobody' }),
      "properties.name] Attribute value 'no-hyphen' not allowed. Expected letters and digits only",
      'properties.password] Expected at least 1 character',
      "properties.email] Attribute value 'nobody' not allowed",
    );
    const none = await post({});
    for (const name of ['name', 'password', 'email']) assertRefused(none, `properties.${name}] Attribute is required`);
    const { id } = await add('Once');
    assertRefused(
      await post({ name: 'oNCE', password, email: 'a@example.com' }),
      '200 [(root).properties.name] Backup unit oNCE already exists',
    );
    assertRefused(
      await region.call('PATCH', `${units}/${id}`, { name: 'Twice' }),
      '[(root).name] Attribute can not be',
    );
    await done(region, 'DELETE', `${units}/${id}`);
    await add('once');
    const raced = await Promise.all([1, 2, 3].map(() => post({ name: 'raced', password, email: 'a@example.com' })));
    assert.deepEqual(raced.map(({ status }) => status).sort(), [202, 422, 422]);
  });

  test('[AUTH-08] it needs the privilege createBackupUnit, and is not seen by others', async () => {
    const { token } = await addPerson(region);
    const body = { properties: { name: 'forbidden', password, email: 'a@example.com' } };
    const refused = await region.call('POST', units, body, { token });
    assert.equal(refused.status, 403);
    assert.match(JSON.stringify(refused.body), /createBackupUnit/);
    const { id } = await add('hidden');
    assert.equal((await region.call('GET', `${units}/${id}/ssourl`, undefined, { token })).status, 404);
    assert.deepEqual((await region.call('GET', units, undefined, { token })).body.items, []);
  });
});
