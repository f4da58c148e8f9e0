// Object storage by Terraform, where it is installed with the platform's provider: buckets with all their
// configurations, objects and access keys.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { GetObjectCommand, ListBucketsCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { makeStorageKey, type StorageKey, s3Client, storageUrl } from '../../harness/objects.ts';
import { type Region, startRegion } from '../../harness/region.ts';
import { type Way, wayTo, workFolder } from '../run.ts';
import { skip, workspace } from './terraform.ts';

interface Seen {
  bucketRegion: string;
  body: string;
  keys: string[];
  accessKey: string;
  secretKey: string;
  description: string;
  endpoint: string;
}

test('Terraform and the object storage', { skip }, async (t) => {
  await using region = await startRegion();
  const key = await makeStorageKey(region);
  const folder = workFolder(t);
  const keys = { IONOS_S3_ACCESS_KEY: key.accessKeyId, IONOS_S3_SECRET_KEY: key.secretAccessKey };
  const direct = await wayTo(region, 'direct', folder);
  const proxy = await wayTo(region, 'proxy', folder);
  const ways: [way: Way, region: string][] = [
    [direct, 'local-1'],
    [proxy, 'eu-central-3'],
  ];
  for (const [way, place] of ways) {
    const whole = { ...way, env: { ...way.env, ...keys } };
    await t.test(`${way.name}, ${place}`, (inner) => journey(inner, region, key, whole, join(folder, way.name), place));
  }
});

async function journey(
  t: TestContext,
  region: Region,
  key: StorageKey,
  way: Way,
  folder: string,
  place: string,
): Promise<void> {
  const tag = `tf-${way.name}`;
  const bucket = `${tag}-main`;
  const first = workspace(way, folder, 'storage', { tag, region: place });
  const second = first.with({ content: 'second' });
  const s3 = s3Client(region, key);
  const text = async (Key: string): Promise<string | undefined> =>
    (await s3.send(new GetObjectCommand({ Bucket: bucket, Key }))).Body?.transformToString();

  await t.test('[OBJ-01] apply creates buckets, their configurations, objects and keys', async () => {
    assert.match(await first.apply(), /17 added, 0 changed, 0 destroyed/);
    const seen = await first.output<Seen>('seen');
    assert.deepEqual(seen.keys.toSorted(), ['copied', 'main.tf', 'texts/a text.txt']);
    assert.deepEqual([seen.bucketRegion, seen.body, seen.description], [place, 'first', `${tag} first`]);
    assert.equal(seen.endpoint, storageUrl(region));
    assert.equal(await text('texts/a text.txt'), 'first');
    assert.equal(await text('copied'), await text('main.tf'));
    const made = s3Client(region, { accessKeyId: seen.accessKey, secretAccessKey: seen.secretKey });
    const { Buckets } = await made.send(new ListBucketsCommand({}));
    assert.ok(Buckets?.some(({ Name }) => Name === bucket));
    made.destroy();
  });
  await t.test('[OBJ-01] a plan right after it finds nothing to change', () => first.isSettled());
  await t.test('[OBJ-01] changes are made in place', async () => {
    assert.match(await second.apply(), /0 added, 4 changed, 0 destroyed/);
    await second.isSettled();
    assert.equal(await text('texts/a text.txt'), 'second');
  });
  await t.test('[OBJ-01] destroy empties the buckets, locked objects too, and leaves nothing', async () => {
    assert.match(await second.destroy(), /17 destroyed/);
    await assert.rejects(s3.send(new ListObjectsV2Command({ Bucket: bucket })), { name: 'NoSuchBucket' });
  });
  s3.destroy();
}
