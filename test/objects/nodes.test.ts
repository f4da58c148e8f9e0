// Several nodes: the one with the bytes serves calls for content, the others forward them with their signature.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { CreateBucketCommand, GetObjectCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3';
import { consoleS3, signIn } from '../console/harness/calls.ts';
import { startNodes } from '../harness/nodes.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { cumulet } from '../harness/process.ts';
import type { Region } from '../harness/region.ts';

test('[OBJ-01] an object that is put at one node is readable at the other, whichever has the bytes', async () => {
  await using nodes = await startNodes(2);
  const [first, second] = nodes.all as [Region, Region];
  const key = await makeStorageKey(first);
  const [one, other] = [s3Client(first, key), s3Client(second, key)];
  await one.send(new CreateBucketCommand({ Bucket: 'shared-bucket' }));
  const contents = { small: Buffer.alloc(900, 'small'), large: Buffer.alloc(3_000_000, 'large') };
  for (const [Key, Body] of Object.entries(contents))
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      await from.send(new PutObjectCommand({ Bucket: 'shared-bucket', Key, Body, Metadata: { of: Key } }));
      const got = await to.send(new GetObjectCommand({ Bucket: 'shared-bucket', Key }));
      assert.equal(got.Metadata?.of, Key);
      assert.ok(Body.equals((await got.Body?.transformToByteArray()) ?? Buffer.alloc(0)), Key);
    }
  const listed = await other.send(new ListObjectsV2Command({ Bucket: 'shared-bucket' }));
  assert.deepEqual(
    listed.Contents?.map(({ Key }) => Key),
    ['large', 'small'],
  );
  await assert.rejects(other.send(new GetObjectCommand({ Bucket: 'shared-bucket', Key: 'none' })), {
    name: 'NoSuchKey',
  });

  // The session of the console is forwarded, like signatures.
  const owner = await signIn(second, first.owner);
  const shown = await owner.call<string>('GET', consoleS3('shared-bucket', 'small'));
  assert.equal(shown.body.length, contents.small.length);
  assert.equal(shown.headers['x-content-type-options'], 'nosniff');
  assert.equal((await owner.call('PUT', consoleS3('shared-bucket', 'small'), String(contents.small))).status, 200);

  const folder = mkdtempSync(join(tmpdir(), 'cumulet-backups-'));
  const backUp = async ({ data }: Region): Promise<string> =>
    (await cumulet(['state', 'backup', '--force', join(folder, 'backup'), '--data', data])).stdout;
  assert.match(await backUp(first), /^Wrote \d+ rows and .*B of objects/);
  assert.match(await backUp(second), /Skipped the bytes of objects: another node, on /);
  rmSync(folder, { recursive: true });
  const check = async ({ data }: Region): Promise<string> => (await cumulet(['state', 'check', '--data', data])).stdout;
  assert.match(await check(first), /and the bytes of 2 objects: no damage found/);
  assert.match(await check(second), /Another node stores the bytes of objects. Check them there\./);
});
