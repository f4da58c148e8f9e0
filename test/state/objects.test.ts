// Backups have the bytes of objects: what they hold comes back whole, here and in another region, and what is missing
// or damaged on disk is named by the check.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import * as aws from '@aws-sdk/client-s3';
import { limits } from '../../src/testing/limits.ts';
import { chanceOf, isFull } from '../../src/testing/seed.ts';
import { makeStorageKey, type StorageKey, s3Client } from '../harness/objects.ts';
import { cumulet, endsWithin, launch } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { urlOf } from '../harness/states.ts';

const Bucket = 'kept';
const root = mkdtempSync(join(tmpdir(), 'cumulet-objects-'));
const file = join(root, 'all.state');
const phrase = join(root, 'phrase');
const contents = new Map([
  ['empty', Buffer.alloc(0)],
  ['small', Buffer.from('a small one')],
  ['sixteen', Buffer.alloc(16 * 1024, 'sixteen ')],
  ['large', Buffer.alloc(3_000_000, 'large enough for a file ')],
]);
const rounds = isFull ? 30 : 4;
const parts = [Buffer.alloc(5 * 1024 ** 2, 'first part '), Buffer.from('second part')];

let region: Region;
let key: StorageKey;

const stateOf = ({ data }: Region): string[] => {
  const url = urlOf(data);
  return url === undefined ? [] : ['--state', url];
};
const good = async (...args: string[]): Promise<string> => {
  const { code, stdout, stderr } = await cumulet(args);
  assert.equal(code, 0, stdout + stderr);
  return stdout;
};
const restoreAll = (...more: string[]): Promise<string> =>
  good('state', 'restore', '--yes', file, '--data', region.data, ...more);

async function fill(s3: aws.S3Client): Promise<void> {
  await s3.send(new aws.CreateBucketCommand({ Bucket }));
  for (const [Key, Body] of contents) await s3.send(new aws.PutObjectCommand({ Bucket, Key, Body }));
  const { UploadId } = await s3.send(new aws.CreateMultipartUploadCommand({ Bucket, Key: 'parts' }));
  const Parts: aws.CompletedPart[] = [];
  for (const [at, Body] of parts.entries()) {
    const part = { Bucket, Key: 'parts', UploadId, PartNumber: at + 1, Body };
    const { ETag } = await s3.send(new aws.UploadPartCommand(part));
    Parts.push({ ETag, PartNumber: at + 1 });
  }
  const complete = { Bucket, Key: 'parts', UploadId, MultipartUpload: { Parts } };
  await s3.send(new aws.CompleteMultipartUploadCommand(complete));
  await s3.send(new aws.CopyObjectCommand({ Bucket, Key: 'copied', CopySource: `${Bucket}/parts` }));
  const pending = await s3.send(new aws.CreateMultipartUploadCommand({ Bucket, Key: 'unfinished' }));
  const first = { Bucket, Key: 'unfinished', UploadId: pending.UploadId, PartNumber: 1, Body: 'a part' };
  await s3.send(new aws.UploadPartCommand(first));
  contents.set('parts', Buffer.concat(parts)).set('copied', Buffer.concat(parts));
}

async function isWhole(where: Region): Promise<void> {
  const s3 = s3Client(where, key);
  for (const [Key, bytes] of contents) {
    const { Body } = await s3.send(new aws.GetObjectCommand({ Bucket, Key }));
    assert.ok(bytes.equals((await Body?.transformToByteArray()) ?? Buffer.from('none')), Key);
  }
  const { Contents } = await s3.send(new aws.ListObjectsV2Command({ Bucket }));
  assert.deepEqual(Contents?.map(({ Key }) => Key).sort(), [...contents.keys()].sort());
  s3.destroy();
}

const check = (...more: string[]) => cumulet(['state', 'check', '--data', region.data, ...more]);
const isClean = async (...more: string[]): Promise<void> => {
  const { code, stdout } = await check(...more);
  assert.match(stdout, /^Checked \d+ rows and the bytes of 7 objects: no damage found\./);
  assert.equal(code, 0);
};

before(async () => {
  writeFileSync(phrase, 'correct horse battery\n');
  region = await startRegion();
  key = await makeStorageKey(region);
  const s3 = s3Client(region, key);
  await fill(s3);
  s3.destroy();
  assert.match(await good('state', 'backup', file, '--data', region.data), /^Wrote \d+ rows and .*B of objects to /);
});
after(async () => {
  await region.stop();
  rmSync(root, { recursive: true, force: true });
});

suite('[OBJ-02] the bytes of objects in backups', () => {
  test('are restored, although they were deleted and replaced in between', async () => {
    const s3 = s3Client(region, key);
    await isClean();
    for (const Key of ['small', 'large', 'parts']) await s3.send(new aws.DeleteObjectCommand({ Bucket, Key }));
    await s3.send(new aws.PutObjectCommand({ Bucket, Key: 'copied', Body: 'replaced' }));
    await s3.send(new aws.PutObjectCommand({ Bucket, Key: 'new', Body: 'made after the backup' }));
    s3.destroy();
    const asks = await cumulet(['state', 'restore', file, '--data', region.data]);
    assert.equal(asks.code, 2);
    assert.match(
      asks.stderr,
      /The state of the region on .* will be replaced by the backup of .*; newer changes will be lost\. Pass --yes to confirm\./,
    );
    assert.match(await restoreAll(), /The bytes of objects were restored as well \(.*B\)\./);
    await isWhole(region);
    await isClean();
  });

  test('are damaged or missing on disk: the check names the objects, and a restore mends them', async () => {
    const { files, segments } = filesOf(region.data);
    const [changed = '', gone = ''] = files.filter((path) => path.endsWith('.3000000') || path.endsWith('.5242891'));
    const bytes = readFileSync(changed);
    bytes[1000] = (bytes[1000] ?? 0) ^ 1;
    writeFileSync(changed, bytes);
    rmSync(gone);
    const segment = segments[0] ?? '';
    const small = readFileSync(segment);
    small[small.indexOf('a small one') + 2] = 0;
    writeFileSync(segment, small);
    const expected = [
      /^object kept\/(?:copied|large): its bytes are damaged \(blob summed\..*\)$/,
      /^object kept\/small: .*damaged/,
    ];
    const judge = async (...more: string[]): Promise<void> => {
      const { code, stdout } = await check('--json', ...more);
      const { damage, objects } = JSON.parse(stdout) as { damage: string[]; objects: number };
      assert.deepEqual([code, objects], [1, 7]);
      assert.equal(damage.length, 3, damage.join('\n'));
      for (const one of [...expected, /^object kept\/(?:copied|large): its bytes are missing \(blob summed\..*\)$/])
        assert.ok(
          damage.some((line) => one.test(line)),
          `${one} in ${damage.join('\n')}`,
        );
    };
    await judge();
    assert.equal((await check('--no-objects')).code, 0);
    await region.halt('SIGTERM');
    await judge(...stateOf(region));
    await restoreAll(...stateOf(region));
    await isClean(...stateOf(region));
    await region.start();
    await isWhole(region);
  });

  test('are in a portable backup too, for a region with another key', async () => {
    const team = join(root, 'team.state');
    const sealed = ['--portable', '--passphrase-file', phrase];
    assert.match(await good('state', 'backup', team, ...sealed, '--data', region.data), /B of objects/);
    const data = join(root, 'other');
    const place = ['--data', data, '--state', `sqlite:${data}`];
    // Nothing can be lost, so the command does not ask.
    await good('state', 'restore', team, '--passphrase-file', phrase, ...place);
    await using other = await startRegion({ data, args: ['--state', `sqlite:${data}`] });
    await isWhole(other);
  });

  test('can be left out of a backup, and of a restore', async () => {
    const bare = join(root, 'bare.state');
    const output = await good('state', 'backup', bare, '--no-objects', '--data', region.data);
    assert.match(output, /Skipped the bytes of objects: as requested\./);
    const data = join(root, 'bare');
    const place = ['--data', data, '--state', `sqlite:${data}`, '--key', join(region.data, 'region.key')];
    assert.match(await good('state', 'restore', bare, ...place), /The backup has no bytes of objects/);
    assert.match(
      await good('state', 'restore', '--yes', file, '--no-objects', ...place),
      /Skipped the bytes of objects/,
    );
    const { code, stdout } = await cumulet(['state', 'check', '--data', data, '--state', `sqlite:${data}`]);
    assert.equal(code, 1);
    assert.match(stdout, /object kept\/large: its bytes are missing/);
    const otherObjects = ['--objects', 's3+http://k:s@127.0.0.1:1/bucket'];
    const { stderr } = await cumulet(['state', 'restore', '--yes', file, ...place, ...otherObjects]);
    assert.match(stderr, /contains the bytes of objects, but this region stores them elsewhere/);
  });

  test('are not restored from a file that is cut off or altered', async () => {
    const whole = readFileSync(file);
    const wrong = join(root, 'wrong.state');
    const altered = Buffer.from(whole);
    // Several bytes: single bits of compressed data may mean nothing.
    altered.fill(0x55, whole.length >> 1, (whole.length >> 1) + 16);
    for (const bytes of [whole.subarray(0, -50), whole.subarray(0, whole.length >> 1), altered]) {
      writeFileSync(wrong, bytes);
      const { code, stderr } = await cumulet(['state', 'restore', '--yes', wrong, '--data', region.data]);
      assert.equal(code, 2);
      assert.match(stderr, /is damaged/);
    }
    await isWhole(region);
    await isClean();
  });
});

test('[OBJ-02] a restore that is killed leaves the old state or the new one, with all bytes of it', async (t) => {
  const chance = chanceOf(t);
  await using target = await startRegion({
    args: ['--state', `sqlite:${join(root, 'killed')}`],
    data: join(root, 'killed'),
  });
  const s3 = s3Client(target, await makeStorageKey(target));
  await s3.send(new aws.CreateBucketCommand({ Bucket: 'before' }));
  for (const Body of ['old', Buffer.alloc(2_000_000, 'old ')])
    await s3.send(new aws.PutObjectCommand({ Bucket: 'before', Key: `old ${Body.length}`, Body }));
  s3.destroy();
  const old = join(root, 'old.state');
  await good('state', 'backup', old, '--data', target.data);
  await target.halt('SIGTERM');
  const place = ['--data', target.data, '--state', `sqlite:${target.data}`];
  const restore = (from: string, ...key: string[]) => ['state', 'restore', '--yes', from, ...place, ...key];
  const otherKey = ['--key', join(region.data, 'region.key')];
  const began = performance.now();
  await good(...restore(file, ...otherKey));
  const wholeMs = performance.now() - began;
  for (let round = 0; round < rounds; round++) {
    await good(...restore(old));
    const child = launch(restore(file, ...otherKey), {});
    const share = 0.3 + (0.7 * (round + chance.below(1000) / 1000)) / rounds;
    const limit = setTimeout(() => child.kill('SIGKILL'), wholeMs * share); // deadline
    assert.ok(await endsWithin(child, limits.command));
    clearTimeout(limit);
    const check = (...key: string[]) => cumulet(['state', 'check', ...place, ...key]);
    const ofOld = await check();
    const { code, stdout } = ofOld.code === 0 ? ofOld : await check(...otherKey);
    assert.equal(code, 0, stdout);
    assert.match(stdout, /the bytes of [27] objects/);
  }
});

function filesOf(data: string): { files: string[]; segments: string[] } {
  const below = (name: string): string[] =>
    readdirSync(join(data, 'objects', name), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile())
      .map((one) => join(one.parentPath, one.name));
  return { files: below('files'), segments: below('segments') };
}
