// The current version on what an earlier one has written, with data in all products: a data folder whose process was
// killed, a save point in it, the same save point as a portable file, and a backup.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { cumulet } from '../harness/process.ts';
import { Region } from '../harness/region.ts';
import { addTopic } from '../streaming/clusters.ts';
import type { World } from '../sweep/world.ts';
import { turnBackClock } from './earlier-folders.ts';
import { allAnswers, Data, type DataPlaces, queries } from './region-data.ts';

// The answers of the earlier version.
interface Known {
  answers: Record<string, string>;
  content: { lines: string[]; samples: string[]; objects: unknown[] };
  records: string[];
  versions: unknown[];
  queries: { dns: unknown[]; documents: object[]; changes: string[] };
}

interface Fixture {
  madeAt: number;
  offsetMs: number; // of the lab's clock
  token: string;
  ids: World['ids'];
  places: DataPlaces;
  saved: Known; // by the save point
  atEnd: Known;
}

const facts = /^(location|storageregion|template|nativemodel)_/; // of the version, not of the folder
const ofTopics = /^(topic_|cluster_metrics|lab_brokers_)/;
const fixture = join(import.meta.dirname, 'fixtures/all-products');
const made = JSON.parse(gunzipSync(readFileSync(join(fixture, 'answers.json.gz'))).toString()) as Fixture;
const root = mkdtempSync(join(tmpdir(), 'cumulet-test-'));
const phrase = join(root, 'phrase');
writeFileSync(phrase, 'correct horse battery\n');
after(() => rmSync(root, { recursive: true, force: true }));

const regionOn = (folder: string): Region => new Region({ data: folder, args: ['--state', `sqlite:${folder}`] });

function earlierFolder(name: string): string {
  const folder = mkdtempSync(join(root, name));
  execFileSync('tar', ['-xzf', join(fixture, 'data.tar.gz'), '-C', folder]);
  return folder;
}

async function command(...args: string[]): Promise<void> {
  const { code, stderr } = await cumulet(args);
  assert.equal(code, 0, stderr);
}

async function isWhole(folder: string): Promise<void> {
  const { code, stdout } = await cumulet(['state', 'check', '--data', folder]);
  assert.equal(code, 0, stdout);
}

// Starts the region and compares what it answers.
async function isAsBefore(folder: string, known: Known, { token = made.token, hasTopics = true } = {}): Promise<void> {
  await isWhole(folder);
  const clock = turnBackClock(join(folder, 'state.db'), made.madeAt, made.offsetMs);
  await using region = regionOn(folder);
  region.token = token;
  await region.start();
  await hasAnswers(region, known.answers, hasTopics);
  const answered = (await queries(region, made)) as Known['queries'];
  assert.deepEqual([answered.dns, answered.documents], [known.queries.dns, known.queries.documents]);
  const changes = new Set(answered.changes);
  for (const one of known.queries.changes) assert.ok(changes.has(one), one);
  if (!hasTopics)
    await addTopic(region, made.places.clusterId, { name: 'orders', numberOfPartitions: 1, replicationFactor: 1 });
  await hasData(new Data(region), known, hasTopics);
  await region.halt('SIGTERM');
  clock.undo();
  await isWhole(folder);
}

async function hasData(data: Data, known: Known, hasTopics: boolean): Promise<void> {
  await data.open(made.places);
  try {
    assert.deepEqual(await data.versions(), known.versions);
    if (hasTopics) assert.deepEqual(await data.records(known.records.length), known.records);
    const content = await data.read();
    assert.deepEqual(content, hasTopics ? known.content : { ...known.content, offsets: ['0'], committed: ['-1'] });
    await data.write('fourth');
    assert.notDeepEqual(await data.read(), content);
  } finally {
    data.close();
  }
}

// Answers may have more fields, and errors other texts.
async function hasAnswers(region: Region, known: Known['answers'], hasTopics: boolean): Promise<void> {
  const answers = await allAnswers(region, { ids: { ...made.ids, port: '80' } }); // a parameter that is newer
  for (const [name, before] of Object.entries(known)) {
    if (facts.test(name) || (!hasTopics && ofTopics.test(name))) continue;
    const now = answers.get(name);
    assert.ok(now, `${name} is not served`);
    assert.equal(now.slice(0, 3), before.slice(0, 3), name);
    if (before.startsWith('200')) assert.partialDeepStrictEqual(bodyIn(now), bodyIn(before), name);
  }
}

// Ports differ between two starts, tags of resources with more fields, and descriptions of metrics between versions.
const bodyIn = (answer: string): unknown =>
  JSON.parse(
    answer
      .slice(4)
      .replaceAll(/(127\.0\.0\.1|localhost):\d+/g, '$1')
      .replaceAll(/"etag":"[^"]*"/g, '"etag":""')
      .replaceAll(/# HELP .*?\\n/g, ''),
  );

suite('an earlier version, with all products filled', () => {
  test('its data folder, after kill -9, is whole and answers as before', () =>
    isAsBefore(earlierFolder('folder'), made.atEnd, { token: '' })); // by the owner's password

  test('its save point is restored', async () => {
    const folder = earlierFolder('saved');
    await command('savepoint', 'restore', 'kept', '--data', folder);
    await isAsBefore(folder, made.saved);
  });

  test('its exported save point is imported and restored in another region', async () => {
    const folder = mkdtempSync(join(root, 'imported'));
    await using other = regionOn(folder);
    await other.start();
    await other.halt('SIGTERM');
    const file = join(fixture, 'exported.savepoint');
    await command('savepoint', 'import', file, '--passphrase-file', phrase, '--data', folder);
    await command('savepoint', 'restore', 'kept', '--data', folder);
    await isAsBefore(folder, made.saved);
  });

  test('its backup is restored; topics are not in it', async () => {
    const folder = mkdtempSync(join(root, 'restored'));
    execFileSync('tar', ['-xzf', join(fixture, 'data.tar.gz'), '-C', folder, './region.key']);
    const state = ['--state', `sqlite:${folder}`];
    await command('state', 'restore', join(fixture, 'state.backup'), '--yes', '--data', folder, ...state);
    await isAsBefore(folder, made.atEnd, { hasTopics: false });
  });
});
