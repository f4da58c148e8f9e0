// Portable backups: another region, with another key, has everything of the first one: accounts and their passwords,
// tokens, secrets, resources and samples. CUMULET_STATE=postgres has the backups made of a state in PostgreSQL.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { freshUrl } from '../../src/testing/postgres.ts';
import { assertWhole } from '../harness/invariants.ts';
import { addPipeline, type MetricPipeline, plainText, type Sample } from '../harness/metrics.ts';
import { addPerson, core, type PersonOfTest } from '../harness/people.ts';
import { cumulet } from '../harness/process.ts';
import { createDone, type Region, startRegion } from '../harness/region.ts';
import { Secrets } from '../harness/secrets-search.ts';
import { shareState, urlOf } from '../harness/states.ts';
import { expect } from '../sweep/api.ts';

const root = mkdtempSync(join(tmpdir(), 'cumulet-portable-'));
const file = join(root, 'team.state');
const phrase = join(root, 'phrase');
const others = { env: { CUMULET_OWNER_PASSWORD: 'Another-Owner-Password-2' } };
const restore = ['state', 'restore', '--yes', file, '--passphrase-file', phrase];

let source: Region;
let person: PersonOfTest;
let keyPath: string;
let pipeline: MetricPipeline;
let samples: Sample[];
let pages: Map<string, string>;

before(async () => {
  writeFileSync(phrase, 'correct horse battery\nnot this line\n');
  source = await startRegion();
  const { id } = await createDone(source, `${core}/datacenters`, { properties: { name: 'shop', location: 'de/fra' } });
  await createDone(source, `${core}/datacenters/${id}/servers`, { properties: { name: 'web', cores: 2, ram: 2048 } });
  person = await addPerson(source, { administrator: true });
  const { body } = await source.call('POST', `${core}/um/users/${person.user.id}/s3keys`, {});
  keyPath = `${core}/um/users/${person.user.id}/s3keys/${body.id}`;
  pipeline = await addPipeline(source);
  const now = Date.now();
  const lines = Array.from({ length: 200 }, (_, at) => `orders{shop="${at % 5}"} ${at} ${now - at * 1000}\n`);
  assert.equal((await pipeline.push(lines.join(''), plainText)).status, 204);
  await source.restart(); // what was pushed before it is in another log than what follows
  assert.equal((await pipeline.push('orders{shop="last"} 7\n', plainText)).status, 204);
  samples = await querySamples(source);
  pages = await seen(source);
  const { code, stdout, stderr } = await backUp('--metrics');
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^Wrote \d+ rows and .*B of metrics to .*team\.state/);
});
after(async () => {
  await source.stop();
  rmSync(root, { recursive: true, force: true });
});

const backUp = (...more: string[]) =>
  cumulet(['state', 'backup', file, '--portable', '--passphrase-file', phrase, '--data', source.data, ...more]);

const seenPaths = ['datacenters?depth=4', 'um/users?depth=1', 'um/groups?depth=3', 'contracts?depth=1'];

// The content for the owner, independent of the region's address.
async function seen(region: Region): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of [...seenPaths.map((one) => `${core}/${one}`), keyPath, '/monitoring/pipelines?depth=1']) {
    const { body } = await expect(region.call('GET', path, undefined, { token: source.token }), 200);
    found.set(
      path,
      JSON.stringify(body)
        .replaceAll(region.url, '')
        .replaceAll(/"lastLogin":"[^"]*",?/g, ''),
    );
  }
  return found;
}

async function querySamples(region: Region): Promise<Sample[]> {
  const query = new URLSearchParams({ query: 'orders[1h]', time: String(Date.now() / 1000 + 1) });
  const headers = { apikey: pipeline.key };
  const path = `${pipeline.path}/api/v1/query?${query}`;
  const answer = await region.call<{ data: { result: Sample[] } }>('GET', path, undefined, { token: null, headers });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body.data.result;
}

async function isTheSame(region: Region): Promise<void> {
  for (const basic of [source.owner, person.basic])
    await expect(region.call('GET', `${core}/datacenters`, undefined, { basic }), 200);
  await expect(region.call('GET', `${core}/datacenters`, undefined, { token: person.token }), 200);
  assert.deepEqual(await seen(region), pages);
  assert.equal(samples.length, 6);
  assert.deepEqual(await querySamples(region), samples);
}

suite('[GEN-06] a portable backup', () => {
  test('has its secrets sealed with the passphrase, and nothing of the region key', async () => {
    const secrets = new Secrets();
    secrets.know('the passphrase', 'correct horse battery');
    secrets.know('the region key', readFileSync(join(source.data, 'region.key'), 'utf8').trim());
    const { body } = await expect(source.call('GET', keyPath), 200);
    secrets.know('a secret of S3', String(body.properties.secretKey));
    secrets.know('the password of the owner', source.owner.password);
    assert.deepEqual(secrets.foundIn(gunzipSync(readFileSync(file))), []);
    assert.ok(!source.log().includes('correct horse'));
  });

  test('becomes a region in an empty folder, with its own key', async () => {
    const data = join(root, 'fresh');
    const state = ['--state', `sqlite:${data}`];
    const { code, stdout, stderr } = await cumulet([...restore, '--data', data, ...state]);
    assert.equal(code, 0, stderr);
    assert.match(stdout, /^Restored \d+ rows of .*\nThe metrics were restored as well\.\n$/);
    const keyOf = (folder: string): string => readFileSync(join(folder, 'region.key'), 'utf8');
    assert.notEqual(keyOf(data), keyOf(source.data));
    await using region = await startRegion({ data, args: state, ...others });
    await isTheSame(region);
    await region.restart();
    await isTheSame(region);
    await region.halt('SIGTERM');
    await assertWhole(data);
  });

  test('takes the place of a region that runs on PostgreSQL', async () => {
    const data = join(root, 'postgres');
    const url = await freshUrl();
    shareState(data, url);
    await using region = await startRegion({ data, args: ['--state', url], ...others });
    await createDone(region, `${core}/datacenters`, { properties: { name: 'other', location: 'de/txl' } });
    assert.equal((await (await addPipeline(region)).push('orders 1\n', plainText)).status, 204);
    const key = readFileSync(join(data, 'region.key'), 'utf8');
    const { code, stderr } = await cumulet([...restore, '--data', data]);
    assert.equal(code, 0, stderr);
    await isTheSame(region);
    assert.equal(readFileSync(join(data, 'region.key'), 'utf8'), key);
    assert.ok(!existsSync(join(data, 'owner.json')), 'it would contain the password of a deleted account');
    await region.restart();
    await isTheSame(region);
  });

  test('of a stopped region is the same', async () => {
    await source.halt('SIGTERM');
    const { code, stdout, stderr } = await backUp('--metrics', '--force', ...stateOf(source));
    await source.start();
    assert.equal(code, 0, stderr);
    assert.match(stdout, /of metrics/);
    const data = join(root, 'second');
    assert.equal((await cumulet([...restore, '--data', data, '--state', `sqlite:${data}`])).code, 0);
    await using region = await startRegion({ data, args: ['--state', `sqlite:${data}`], ...others });
    await isTheSame(region);
  });
});

const stateOf = ({ data }: Region): string[] => {
  const url = urlOf(data);
  return url === undefined ? [] : ['--state', url];
};

suite('a portable backup is refused, and nothing changes,', () => {
  const wrong = join(root, 'wrong');
  const data = join(root, 'untouched');

  async function refused(from: string, message: RegExp, env: Record<string, string> = {}): Promise<void> {
    for (const into of [data, source.data]) {
      const { code, stderr } = await cumulet(['state', 'restore', '--yes', from, '--data', into], { env });
      assert.match(stderr, message);
      assert.match(stderr, /^(?:\w+: [\d,]+.* rows\n)*cumulet: [^\n]+\n$/); // progress comes before it
      assert.equal(code, 2);
    }
    assert.ok(!existsSync(data));
    assert.ok(!source.log().includes('"offline"'), 'the region went on serving');
  }

  const passphrase = { CUMULET_PASSPHRASE: 'correct horse battery' };
  const linesOf = (): string[] => gunzipSync(readFileSync(file)).toString().split('\n');

  test('without its passphrase, or with another', async () => {
    await refused(file, /Pass it with --passphrase-file FILE or in CUMULET_PASSPHRASE/);
    await refused(file, /Wrong passphrase for .*team\.state/, { CUMULET_PASSPHRASE: 'wrong horse battery' });
  });

  test('when it is damaged: cut off, or altered in its rows, its metrics or its lock', async () => {
    const whole = readFileSync(file);
    writeFileSync(wrong, whole.subarray(0, whole.length - 100));
    await refused(wrong, /is damaged/, passphrase);
    for (const [at, from, to] of [
      [1, /"/, "'"],
      [-3, /.{4}"\}$/, 'AAAA"}'],
      [0, /"cost":131072/, '"cost":4294967296'],
      [0, /"program":"/, '"program":"x'],
    ] as const) {
      const lines = linesOf();
      const index = at < 0 ? lines.length + at : at;
      lines[index] = (lines[index] ?? '').replace(from, to);
      writeFileSync(wrong, gzipSync(lines.join('\n')));
      await refused(wrong, /is damaged/, passphrase);
    }
  });

  test('when a newer version wrote it', async () => {
    const [head = '', ...rest] = linesOf();
    writeFileSync(wrong, gzipSync([head.replace('"format":2', '"format":99'), ...rest].join('\n')));
    await refused(wrong, /was written by a newer version of Cumulet/, passphrase);
  });

  test('and one with a passphrase that is too short is not made', async () => {
    const args = ['state', 'backup', join(root, 'none'), '--portable', '--data', source.data];
    const { code, stderr } = await cumulet(args, { env: { CUMULET_PASSPHRASE: 'short' } });
    assert.equal(code, 2);
    assert.match(stderr, /needs 8 characters at least/);
    assert.deepEqual(
      readdirSync(root).filter((name) => name.startsWith('none')),
      [],
    );
  });
});
