// Backup and restore while a region runs, and moving a state between SQLite and PostgreSQL. CUMULET_STATE=postgres
// has the backups made of a state in PostgreSQL.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { askRegion } from '../../src/testing/black-box/commands.ts';
import { freshUrl } from '../../src/testing/postgres.ts';
import { until } from '../../src/testing/waiting.ts';
import { assertWhole } from '../harness/invariants.ts';
import { addGroup, addPerson, core, tokenOf } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { createDone, type Region, type ResourceBody, startRegion, waitRequest } from '../harness/region.ts';
import { Secrets } from '../harness/secrets-search.ts';
import { shareState, urlOf } from '../harness/states.ts';
import { expect } from '../sweep/api.ts';

const datacenters = `${core}/datacenters`;
const busy = ['--pace', '5', '--rate-burst', '1000000'];

function folderFor(t: TestContext, name = 'moving'): string {
  const folder = mkdtempSync(join(tmpdir(), `cumulet-${name}-`));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function good(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cumulet(args);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function refused(args: string[], message: RegExp): Promise<void> {
  const { code, stdout, stderr } = await cumulet(args);
  assert.match(stderr, message);
  assert.match(stderr, /^(?:\w+: \d+ rows\n)*cumulet: [^\n]+\n$/); // a slow machine shows progress before
  assert.equal(stdout, '');
  assert.equal(code, 2);
}

const create = (region: Region, name: string): Promise<ResourceBody> =>
  createDone(region, datacenters, { properties: { name, location: 'de/txl' } });

// The content for a user, on any port; the time of the last login is written a little later.
async function seen(region: Region): Promise<Record<string, unknown>> {
  const paths = ['datacenters?depth=4', 'ipblocks?depth=2', 'um/users?depth=1', 'um/groups?depth=3', 'labels?depth=1'];
  const found: Record<string, unknown> = {};
  for (const path of paths) {
    const { body } = await expect(region.call('GET', `${core}/${path}&limit=1000`), 200);
    const text = JSON.stringify(body.items).replaceAll(region.url, '');
    found[path] = JSON.parse(text, (name, value: unknown) => (name === 'lastLogin' ? undefined : value));
  }
  const { body } = await expect(region.call('GET', `${core}/contracts?depth=1`), 200);
  found.limits = body.items[0]?.properties;
  return found;
}

async function settled(region: Region): Promise<void> {
  const { body } = await expect(region.call('GET', `${core}/requests?filter.status=BUSY&limit=1000`), 200);
  for (const { id } of body.items) await waitRequest(region, `${core}/requests/${id}/status`);
}

async function numbersOf(region: Region): Promise<number[]> {
  const path = `/activitylog/v1/contracts/${region.contract}?limit=10000`;
  const { body } = await region.call<{ hits: { hits: { _id: string }[] } }>('GET', path);
  return body.hits.hits.map(({ _id }) => Number.parseInt(_id.slice(-12), 16)).reverse();
}

const dense = (numbers: number[]): void =>
  assert.deepEqual(
    numbers,
    Array.from(numbers, (_, at) => at + 1),
  );

interface World {
  datacenter: ResourceBody;
  token: string; // of a person who is not the owner
  keyPath: string;
}

async function makeWorld(region: Region): Promise<World> {
  const datacenter = await create(region, 'kept');
  const lans = `${datacenters}/${datacenter.id}/lans`;
  for (const name of ['one', 'two', 'three'])
    await createDone(region, lans, { properties: { name, public: true, ipv6CidrBlock: 'AUTO' } });
  await createDone(region, `${core}/ipblocks`, { properties: { name: 'kept', location: 'de/txl', size: 4 } });
  const person = await addPerson(region, { administrator: true });
  await addGroup(region, ['createDataCenter'], [person.user]);
  const labels = `${datacenters}/${datacenter.id}/labels`;
  await expect(region.call('POST', labels, { properties: { key: 'stage', value: 'test' } }), 201);
  const { body: key } = await region.call('POST', `${core}/um/users/${person.user.id}/s3keys`, {});
  return { datacenter, token: person.token, keyPath: `${core}/um/users/${person.user.id}/s3keys/${key.id}` };
}

async function wreck(region: Region): Promise<void> {
  for (const place of ['datacenters', 'ipblocks', 'um/groups', 'um/users']) {
    const { body } = await expect(region.call('GET', `${core}/${place}?depth=1&limit=1000`), 200);
    for (const { id, properties } of body.items)
      if (properties.email !== region.owner.email) await region.call('DELETE', `${core}/${place}/${id}`);
  }
  await settled(region);
  await create(region, 'made after the backup');
}

suite('a region that runs', () => {
  test('[GEN-06] is backed up under load, wrecked, and restored in place', async (t) => {
    await using region = await startRegion({ args: busy });
    const file = join(folderFor(t), 'backup');
    const { datacenter, token, keyPath } = await makeWorld(region);
    const secret = (await expect(region.call('GET', keyPath), 200)).body.properties.secretKey;
    const before = await seen(region);

    const acknowledged: string[] = [];
    let isWriting = true;
    const write = async (writer: number): Promise<void> => {
      for (let at = 0; isWriting; at++) {
        const body = { properties: { name: `load ${writer} ${at}`, location: 'de/fra' } };
        const { body: made } = await expect(region.call('POST', datacenters, body), 202);
        if (at % 3 > 0) acknowledged.push(made.id);
        else await region.call('DELETE', `${datacenters}/${made.id}`);
      }
    };
    const writers = Array.from({ length: 8 }, (_, writer) => write(writer));
    await until(
      '50 are acknowledged',
      () => acknowledged.length,
      (count) => count >= 50,
    );
    const known = [...acknowledged];
    assert.match(await good('state', 'backup', file, '--data', region.data), /^Wrote \d+ rows to .*backup/);
    const during = acknowledged.length;
    isWriting = false;
    await Promise.all(writers);
    assert.ok(during > known.length, 'it went on serving');
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(region.data).filter((name) => name.includes('copy')),
      [],
    );

    await settled(region);
    await wreck(region);
    const { gateway, https, pid } = region.ready;
    const later = await tokenOf(region, region.owner);
    const report = JSON.parse(await good('state', 'restore', '--yes', file, '--json', '--data', region.data)) as {
      total: number;
    };
    assert.ok(report.total > 100);

    const status = JSON.parse(await good('status', '--json', '--data', region.data)) as Record<string, unknown>;
    assert.deepEqual([status.gateway, status.https, status.pid], [gateway, https, pid]);
    await expect(region.call('GET', datacenters, undefined, { token }), 200);
    await expect(region.call('GET', datacenters, undefined, { token: later }), 401); // made after the backup
    await settled(region);
    const after = await seen(region);
    const names = (items: unknown): unknown[] =>
      (items as ResourceBody[])
        .map(({ properties }) => String(properties.name))
        .filter((name) => !name.startsWith('load'));
    for (const path of Object.keys(before).filter((one) => !/^datacenters|limits/.test(one)))
      assert.deepEqual(after[path], before[path], path);
    assert.deepEqual(names(after['datacenters?depth=4']), names(before['datacenters?depth=4']));
    const there = new Set((after['datacenters?depth=4'] as ResourceBody[]).map(({ id }) => id));
    for (const id of known) assert.ok(there.has(id), 'what was acknowledged before the backup is in it');
    assert.equal((await expect(region.call('GET', keyPath), 200)).body.properties.secretKey, secret);

    dense(await numbersOf(region));
    const lan = await createDone(region, `${datacenters}/${datacenter.id}/lans`, { properties: { name: 'four' } });
    assert.equal(lan.id, '4');
    await createDone(region, `${core}/ipblocks`, { properties: { location: 'de/txl', size: 2 } });
    dense(await numbersOf(region));
    await assertWhole(region.data);

    await region.restart();
    await expect(region.call('GET', datacenters, undefined, { token }), 200);
    await assertWhole(region.data);
  });

  test("continues unchanged if a backup can't be restored", async (t) => {
    await using region = await startRegion();
    await using other = await startRegion();
    const folder = folderFor(t);
    await create(region, 'own');
    const before = await seen(region);
    const foreign = join(folder, 'foreign');
    await good('state', 'backup', foreign, '--data', other.data);
    const restore = (file: string): string[] => ['state', 'restore', '--yes', file, '--data', region.data];
    await refused(restore(foreign), /region\.key is not the key of that state/);
    await refused(restore(join(folder, 'none')), /There is no file/);
    await refused(restore(folder), /is a folder, not a file: name a backup\.\n/);
    await refused(restore(join(region.data, 'region.key')), /is neither a backup of Cumulet/);
    await refused([...restore(foreign), '--key', join(other.data, 'region.key')], /has its own key/);
    await refused(['state', 'backup', foreign, '--data', region.data], /is there already/);
    await refused(['state', 'backup', join(folder, 'no', 'where'), '--data', region.data], /there is no such folder/);
    await refused(['state', 'backup', '--data', region.data], /Name a file/);
    // Past the command, which finds out by itself.
    await assert.rejects(askRegion(region.data, 'state/backup', { file: foreign, force: false }), /is there already/);
    await region.logged('not backed up');
    assert.deepEqual(await seen(region), before);
    assert.ok(!region.log().includes('"offline"'), 'it never stopped serving');
    await good('state', 'backup', foreign, '--force', '--data', region.data);
    await good(...restore(foreign));
    assert.deepEqual(await seen(region), before);
  });

  test('[AUTH-05] a backup holds no plain secret, and not the key', async (t) => {
    await using region = await startRegion();
    const file = join(folderFor(t), 'backup');
    const secrets = new Secrets();
    secrets.know('the password of the owner', region.owner.password);
    secrets.know('the token of the owner', region.token);
    const person = await addPerson(region, { administrator: true });
    secrets.know('the password of a user', person.basic.password);
    secrets.know('the token of a user', person.token);
    const { body: key } = await region.call('POST', `${core}/um/users/${person.user.id}/s3keys`, {});
    secrets.know('a secret of S3', String(key.properties.secretKey));
    secrets.know('the region key', readFileSync(join(region.data, 'region.key'), 'utf8').trim());
    await good('state', 'backup', file, '--data', region.data);
    const bytes = gunzipSync(readFileSync(file));
    assert.deepEqual(secrets.foundIn(bytes), []);
    assert.ok(bytes.includes(region.owner.email));
  });
});

test('[GEN-06] a backup and the key recreate the region in an empty folder', async (t) => {
  const [first, second] = [folderFor(t), folderFor(t)];
  const file = join(folderFor(t), 'backup');
  const region = await startRegion({ data: first, args: ['--state', `sqlite:${first}`] });
  t.after(() => region.stop());
  await create(region, 'kept');
  const { token } = region;
  await region.halt('SIGTERM');
  await good('state', 'backup', file, '--data', first);
  const restore = ['state', 'restore', '--yes', file, '--data', second];
  await refused(restore, /region\.key is missing, and this state can't be read without it/);
  assert.deepEqual(readdirSync(second), [], 'nothing was made');
  copyFileSync(join(first, 'region.key'), join(second, 'region.key'));
  assert.match(await good(...restore), /^Restored \d+ rows of \d{4}-.*Z from/);
  await using anew = await startRegion({ data: second, args: ['--state', `sqlite:${second}`] });
  await expect(anew.call('GET', datacenters, undefined, { token }), 200);
  await settled(Object.assign(anew, { token }));
  await assertWhole(second);
});

test('[GEN-06] a state goes from SQLite to PostgreSQL and back, and a region runs on each', async (t) => {
  const [first, second, third] = [folderFor(t), folderFor(t), folderFor(t)];
  const [lite, url, back] = [`sqlite:${first}`, await freshUrl(), `sqlite:${third}`];
  const regionOn = (data: string, state: string) =>
    startRegion({ data, args: ['--state', state, '--key', join(first, 'region.key')] });
  const copy = (from: string, to: string): string[] => ['state', 'copy', '--from', from, '--to', to];

  const one = await regionOn(first, lite);
  t.after(() => one.stop());
  const { token } = await makeWorld(one);
  const before = await seen(one);
  await refused(copy(lite, url), /A region runs on .* \(pid \d+\): stop it first/);
  await one.halt('SIGTERM');

  const output = await good(...copy(lite, url));
  assert.match(output, /^Copied \d+ rows from sqlite:.* to postgres:.*\?schema=t\w+.*, and compared them row by row/);
  assert.match(output, /^resource +\d+$/m);
  assert.match(output, /--key .*region\.key/);
  assert.ok(!output.includes('unused'), 'no password of an address');
  assert.match(await good(...copy(lite, url)), /are already equal, row by row/);

  shareState(second, url);
  const two = await regionOn(second, url);
  t.after(() => two.stop());
  await refused(
    copy(url, back),
    new RegExp(`1 node runs on postgres:.* \\(\\S+:${RegExp.escape(second)} \\(pid \\d+\\)\\): stop it first`),
  );
  await refused(copy(lite, url), /1 node runs on/);
  await expect(two.call('GET', datacenters, undefined, { token }), 200);
  two.token = token;
  assert.deepEqual(await seen(two), before);
  await create(two, 'made in PostgreSQL');
  await settled(two);
  await assertWhole(second);
  await two.halt('SIGTERM');

  await refused(copy(lite, url), /contains another state, which first differs at \w+ .*--replace/);
  assert.match(await good(...copy(url, back)), /Put the region\.key of the region's nodes into/);
  await refused(copy(url, url), /are the same state/);
  await refused(copy(`sqlite:${join(third, 'none')}`, url), /contains no state/);
  const three = await regionOn(third, back);
  t.after(() => three.stop());
  three.token = token;
  const { body } = await expect(three.call('GET', `${datacenters}?depth=1`), 200);
  assert.deepEqual(body.items.map(({ properties }) => properties.name).sort(), ['kept', 'made in PostgreSQL']);
  dense(await numbersOf(three));
  await three.halt('SIGTERM');
  await assertWhole(third);

  assert.match(await good(...copy(back, lite), '--replace'), /^Copied/);
  assert.ok(!existsSync(join(first, 'region.key.old')), 'the folder had no key to keep');
  await one.start();
  assert.equal((await one.call('GET', `${datacenters}?depth=1`)).body.items.length, 2);
});

test('[GEN-06] nodes on PostgreSQL: a single one restores in place, and refuses next to another', async (t) => {
  const [first, second] = [folderFor(t), folderFor(t)];
  const url = await freshUrl();
  const key = join(first, 'region.key');
  const file = join(folderFor(t), 'backup');
  const args = ['--state', url, '--key', key];
  shareState(first, url);
  assert.equal(urlOf(first), url);
  await using one = await startRegion({ data: first, args });
  await create(one, 'kept');
  await good('state', 'backup', file, '--data', first);
  await create(one, 'later');
  const two = await startRegion({ data: second, args });
  t.after(() => two.stop());
  await refused(
    ['state', 'restore', '--yes', file, '--data', first],
    new RegExp(`1 node runs on .*together with this node.*:${RegExp.escape(second)} \\(pid`),
  );
  await refused(['state', 'restore', '--yes', file, '--state', url, '--key', key], /2 nodes run on postgres:/);
  await good('state', 'backup', `${file}2`, '--state', url, '--data', join(second, 'unused'));
  await two.halt('SIGTERM');
  await good('state', 'restore', '--yes', file, '--data', first);
  const { body } = await expect(one.call('GET', `${datacenters}?depth=1`), 200);
  assert.deepEqual(
    body.items.map(({ properties }) => properties.name),
    ['kept'],
  );
  await create(one, 'continues');
  await settled(one);
  await assertWhole(first);
});
