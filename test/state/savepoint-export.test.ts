// Save points as portable files, and without data.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { assertWhole } from '../harness/invariants.ts';
import { core } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { createDone, startRegion } from '../harness/region.ts';
import { Secrets } from '../harness/secrets-search.ts';
import { expect } from '../sweep/api.ts';
import { worldOf } from '../sweep/world.ts';
import { allAnswers, Data, savePoint } from './region-data.ts';
import { fill, mounted } from './small-disk.ts';

const skip = process.env.CUMULET_STATE === undefined ? false : 'save points are for a state in the data folder';
const root = mkdtempSync(join(tmpdir(), 'cumulet-export-'));
const phrase = join(root, 'phrase');
const withPhrase = ['--passphrase-file', phrase];
before(() => writeFileSync(phrase, 'correct horse battery\n'));
after(() => rmSync(root, { recursive: true, force: true }));

test('a region with everything is the same in another one, by an exported file', { skip }, async (t) => {
  const file = join(root, 'all.savepoint');
  await using source = await startRegion();
  const world = await worldOf(source);
  const data = new Data(source);
  t.after(() => data.close());
  await data.prepare();
  await data.write('first');
  await savePoint(source, 'create', 'filled');
  const [answers, held] = [await allAnswers(source, world), await data.read()];
  await data.write('second'); // not in it
  const made = await savePoint(source, 'export', 'filled', file, ...withPhrase);
  assert.equal(made.name, 'filled');
  const secrets = new Secrets();
  secrets.know('the passphrase', 'correct horse battery');
  secrets.know('the region key', readFileSync(join(source.data, 'region.key'), 'utf8').trim());
  secrets.know('the password of the owner', source.owner.password);
  assert.deepEqual(secrets.foundIn(gunzipSync(readFileSync(file))), []);
  const { token } = source;
  await source.stop(); // its brokers have addresses that the other one needs

  await using target = await startRegion({ env: { CUMULET_OWNER_PASSWORD: 'Another-Owner-Password-2' } });
  await savePoint(target, 'create', 'own');
  const imported = await savePoint(target, 'import', file, ...withPhrase);
  assert.deepEqual([imported.name, imported.imported], ['filled', true]);
  await expect(target.call('GET', `${core}/datacenters`), 200); // nothing has changed yet
  const ownToken = target.token;
  await savePoint(target, 'restore', 'filled');
  target.token = token;
  const again = await allAnswers(target, world);
  for (const [name, answer] of answers) assert.equal(placeless(again.get(name)), placeless(answer), name);
  data.moveTo(target);
  assert.deepEqual(await data.read(), held);
  const showsOwner = (): boolean => existsSync(join(target.data, 'owner.json'));
  assert.ok(!showsOwner(), 'it has the password of another owner');
  assert.equal((await savePoint(target, 'create', 'theirs')).imported, true);
  for (const [name, isOwn] of [
    ['own', true],
    ['theirs', false],
    ['own', true],
  ] as const) {
    await savePoint(target, 'restore', name);
    assert.equal(showsOwner(), isOwn, name);
  }
  await expect(target.call('GET', `${core}/datacenters`, undefined, { token: ownToken }), 200);
  await target.halt('SIGTERM');
  await assertWhole(target.data);
});

// The other region is on other ports.
const placeless = (answer = ''): string => answer.replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '');

test('without data: resources stay; samples, lines, records and objects are gone', { skip }, async (t) => {
  const file = join(root, 'infrastructure.savepoint');
  await using region = await startRegion();
  const data = new Data(region);
  t.after(() => data.close());
  await createDone(region, `${core}/datacenters`, { properties: { name: 'kept', location: 'de/txl' } });
  await data.prepare();
  const { id } = (await expect(region.call('POST', '/inference/collections', { properties: { name: 'books' } }), 201))
    .body;
  const documents = `/inference/collections/${id}/documents`;
  const nothing = await data.read();
  const seen = await resources(region);
  await data.write('first');
  const book = { properties: { name: 'book', content: Buffer.from('A word.').toString('base64') } };
  const put = () => expect(region.call('PUT', documents, { items: [book] }), 200);
  await put();
  await savePoint(region, 'export', file, '--infrastructure', ...withPhrase);
  const made = await savePoint(region, 'create', 'empty', '--infrastructure');
  assert.equal(made.infrastructure, true);
  await data.write('second');
  await savePoint(region, 'restore', 'empty');
  assert.deepEqual(await data.read(), nothing);
  assert.deepEqual(await resources(region), seen);
  await data.write('third');
  await savePoint(region, 'import', file, 'again', ...withPhrase);
  await savePoint(region, 'restore', 'again');
  assert.deepEqual(await data.read(), nothing);
  assert.deepEqual(await resources(region), seen);
  assert.deepEqual((await expect(region.call('GET', documents), 200)).body.items, []);
  await put(); // under the same name
  await data.write('fourth'); // it continues
  assert.notDeepEqual(await data.read(), nothing);
  const { code, stdout } = await cumulet(['state', 'check', '--data', region.data]);
  assert.equal(code, 0, stdout);
});

const collections = [
  `${core}/datacenters`,
  '/inference/collections',
  '/monitoring/pipelines',
  '/logging/pipelines',
  '/de-txl/streaming/clusters',
];

async function resources(region: Awaited<ReturnType<typeof startRegion>>): Promise<string[]> {
  const found: string[] = [];
  for (const path of collections)
    for (const { id } of (await expect(region.call('GET', path), 200)).body.items) found.push(id);
  const [cluster] = (await region.call('GET', '/de-txl/streaming/clusters')).body.items;
  const topics = await expect(region.call('GET', `/de-txl/streaming/clusters/${cluster?.id}/topics`), 200);
  return [...found, ...topics.body.items.map(({ properties }) => String(properties.name))];
}

suite('what can not be exported or imported is refused, and nothing is lost', { skip }, () => {
  test('damaged, truncated and foreign files, a wrong passphrase, a name that is taken', async () => {
    await using region = await startRegion();
    const file = join(root, 'bad.savepoint');
    await createDone(region, `${core}/datacenters`, { properties: { name: 'kept', location: 'de/txl' } });
    const refused = async (pattern: RegExp, ...args: string[]): Promise<void> => {
      const { code, stderr } = await cumulet(['savepoint', ...args, '--data', region.data]);
      assert.equal(code, 2, stderr);
      assert.match(stderr, pattern);
      const left = readdirSync(join(region.data, 'savepoints'), { withFileTypes: true }).map(({ name }) => name);
      assert.deepEqual(left, ['one']);
    };
    await savePoint(region, 'create', 'one');
    await refused(/Save point two does not exist/, 'export', 'two', file, ...withPhrase);
    await refused(/An export needs a passphrase/, 'export', 'one', file);
    await refused(/no such folder/, 'export', 'one', join(root, 'none/x'), ...withPhrase);
    await savePoint(region, 'export', 'one', file, ...withPhrase);
    await refused(/is there already: name another file, or overwrite it with --force/, 'export', file, ...withPhrase);
    await refused(/Save point one already exists/, 'import', file, ...withPhrase);
    writeFileSync(`${phrase}.wrong`, 'another passphrase\n');
    await refused(/Wrong passphrase/, 'import', file, 'two', '--passphrase-file', `${phrase}.wrong`);
    const whole = readFileSync(file);
    const text = gunzipSync(whole).toString();
    const changed = (next: string | Buffer): void =>
      writeFileSync(file, typeof next === 'string' ? gzipSync(next) : next);
    changed(text.replace('"kept"', '"lost"').replaceAll('\\"kept\\"', '\\"lost\\"'));
    await refused(/is damaged: it was altered/, 'import', file, 'two', ...withPhrase);
    changed(text.replace(/\n/, `\n${JSON.stringify({ file: '../../x', bytes: '' })}\n`));
    await refused(/is damaged: a piece of an attached file is not valid/, 'import', file, 'two', ...withPhrase);
    for (const part of [0.3, 0.9]) {
      writeFileSync(file, whole);
      truncateSync(file, Math.floor(whole.length * part));
      await refused(/is damaged: its end is missing/, 'import', file, 'two', ...withPhrase);
    }
    changed('hello\n');
    await refused(/is neither a backup of Cumulet/, 'import', file, 'two', ...withPhrase);
    await refused(/There is no file/, 'import', join(root, 'missing'), ...withPhrase);
    writeFileSync(file, whole);
    const { code, stderr } = await cumulet(['state', 'restore', '--yes', file, '--data', region.data]);
    assert.equal(code, 2);
    assert.match(stderr, /is an export of a save point: use savepoint import/);
    const { body } = await expect(region.call('GET', `${core}/datacenters?depth=1`), 200);
    assert.equal(body.items[0]?.properties.name, 'kept');
    await region.halt('SIGTERM');
    await savePoint(region, 'import', file, 'stopped', ...withPhrase); // a stopped region has them too
    await savePoint(region, 'restore', 'stopped');
    await savePoint(region, 'export', `${file}.stopped`, ...withPhrase);
    const empty = await cumulet(['savepoint', 'import', file, ...withPhrase, '--data', join(root, 'none')]);
    assert.match(empty.stderr, /The data folder .*none has no region yet\. Start one with: up/);
  });

  test('without disk space', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'cumulet-small-'));
    const why = mounted(folder, '32m');
    if (why !== undefined) {
      rmSync(folder, { recursive: true });
      return t.skip(`no small disk can be mounted here: ${why}`);
    }
    const filler = join(folder, 'filler');
    const region = await startRegion({ data: join(folder, 'data') });
    try {
      const file = join(root, 'small.savepoint');
      const small = join(folder, 'small.savepoint');
      await savePoint(region, 'create', 'one');
      await savePoint(region, 'export', 'one', file, ...withPhrase);
      const backup = join(root, 'small.backup');
      assert.equal((await cumulet(['state', 'backup', backup, '--data', region.data])).code, 0);
      // Counters are written when the region stops.
      const chat = { model: 'meta-llama/Llama-3.3-70B-Instruct', messages: [{ role: 'user', content: 'Hello' }] };
      await expect(region.call('POST', '/v1/chat/completions', chat), 200);
      fill(filler);
      const one = { properties: { name: 'one', location: 'de/txl' } };
      for (let status = 202; status === 202; ) ({ status } = await region.call('POST', `${core}/datacenters`, one));
      for (const args of [
        ['savepoint', 'create', 'two'],
        ['savepoint', 'restore', 'one'],
        ['savepoint', 'export', 'one', small, ...withPhrase],
        ['savepoint', 'export', small, ...withPhrase],
        ['savepoint', 'import', file, 'three', ...withPhrase],
        ['state', 'restore', '--yes', backup],
      ]) {
        const { code, stderr } = await cumulet([...args, '--data', region.data]);
        assert.equal(code, 2, `${args}: ${stderr}`);
        assert.match(stderr, /disk is full|no room/i, `${args}`);
        assert.deepEqual(readdirSync(join(region.data, 'savepoints')), ['one'], `${args}`);
        assert.ok(!existsSync(small) && !existsSync(`${small}.part`));
        await expect(region.call('GET', `${core}/datacenters`), 200);
      }
      rmSync(filler);
      await savePoint(region, 'import', file, 'three', ...withPhrase);
      assert.ok(statSync(join(region.data, 'savepoints/three/data/state.db')).size > 0);
    } finally {
      await region.stop().finally(() => {
        execFileSync('umount', [folder]);
        rmSync(folder, { recursive: true });
      });
    }
  });
});
