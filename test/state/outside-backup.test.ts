// The backup of a region whose objects are in an outside store (docs/running.md#a-region-with-outside-engines): copy
// the bucket, back up the state, and copy the bucket again. Clients write and delete all the time.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CopyObjectCommand,
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { freshUrl } from '../../src/testing/postgres.ts';
import { until } from '../../src/testing/waiting.ts';
import { startNodes } from '../harness/nodes.ts';
import { makeStorageKey, s3Client, storageUrl } from '../harness/objects.ts';
import { cumulet } from '../harness/process.ts';
import { type Region, startRegion } from '../harness/region.ts';

const Bucket = 'lane';

test('a region with its state in PostgreSQL and its objects outside is restored from its backups', async () => {
  await using behind = await startRegion();
  const key = await makeStorageKey(behind);
  const store = s3Client(behind, key, { maxAttempts: 3 }); // it may be idle for so long that its connection is closed
  for (const name of ['bytes', 'copy']) await store.send(new CreateBucketCommand({ Bucket: name }));
  const { host } = new URL(storageUrl(behind));
  const secret = encodeURIComponent(key.secretAccessKey);
  const objectsIn = (bucket: string): string[] => [
    '--objects',
    `s3+http://${key.accessKeyId}:${secret}@${host}/${bucket}?region=eu-central-3`,
  ];

  await using nodes = await startNodes(1, objectsIn('bytes'));
  const [node] = nodes.all as [Region];
  const clientKey = await makeStorageKey(node);
  const writer = await startWriter(s3Client(node, clientKey));
  await until('some objects', () => writer.kept.length > 5);
  await mirror(store);
  const between = [...writer.kept];
  await until('more objects', () => writer.kept.length > between.length + 5);
  const acknowledged = [...writer.kept];
  const file = join(nodes.root, 'monday.state');
  const backup = await cumulet(['state', 'backup', file, '--data', node.data]);
  assert.equal(backup.code, 0, backup.stderr);
  assert.match(backup.stdout, /Skipped the bytes of objects/);
  await mirror(store);
  await writer.stop();
  await node.kill();

  const url = await freshUrl();
  await using restored = await startNodes(0, objectsIn('copy'), url);
  copyFileSync(nodes.key, restored.key);
  const loaded = await cumulet(['state', 'restore', '--yes', file, '--state', url, '--key', restored.key]);
  assert.equal(loaded.code, 0, loaded.stderr);
  const next = restored.make();
  next.token = node.token;
  await next.start();
  const s3 = s3Client(next, clientKey);
  for (const Key of acknowledged) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket, Key }));
    assert.equal(await Body?.transformToString(), textOf(Key));
  }
  assert.equal((await next.call('GET', '/cloudapi/v6/datacenters')).status, 200, 'the old token is valid');
});

const textOf = (key: string): string => `${key} `.repeat(200);

interface Writer {
  kept: string[]; // acknowledged and never deleted
  stop(): Promise<void>;
}

// Writes objects one after the other, and deletes every third one.
async function startWriter(s3: S3Client): Promise<Writer> {
  await s3.send(new CreateBucketCommand({ Bucket }));
  const kept: string[] = [];
  let isOver = false;
  const work = (async () => {
    for (let number = 0; !isOver; number++) {
      const Key = `object-${number}`;
      await s3.send(new PutObjectCommand({ Bucket, Key, Body: textOf(Key) }));
      if (number % 3 === 0) await s3.send(new DeleteObjectCommand({ Bucket, Key }));
      else kept.push(Key);
    }
  })();
  const stop = (): Promise<void> => {
    isOver = true;
    return work;
  };
  return { kept, stop };
}

// Like `mc mirror`: adds what is new, and removes nothing.
async function mirror(store: S3Client): Promise<void> {
  const keysIn = async (bucket: string): Promise<string[]> =>
    ((await store.send(new ListObjectsV2Command({ Bucket: bucket }))).Contents ?? []).map(({ Key = '' }) => Key);
  const known = new Set(await keysIn('copy'));
  for (const Key of await keysIn('bytes')) {
    if (known.has(Key)) continue;
    const copy = new CopyObjectCommand({ Bucket: 'copy', Key, CopySource: `bytes/${encodeURIComponent(Key)}` });
    await store.send(copy).catch((error: Error) => {
      if (error.name !== 'NoSuchKey') throw error; // deleted since the list was read
    });
  }
}
