// kill -9 while objects are put, replaced, completed from parts and removed: every answered object is whole, nothing
// half written can be seen, and after the sweep no byte is kept that nothing refers to. Three rounds, fifty with
// --full.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { blobsPlace, openBlobs, sweepBlobs } from '../../src/testing/black-box/objects.ts';
import { openState, Store } from '../../src/testing/black-box/state.ts';
import { type Chance, chanceOf, isFull } from '../../src/testing/seed.ts';
import { makeStorageKey, s3Client } from '../harness/objects.ts';
import { type Region, startRegion } from '../harness/region.ts';
import { stateFor } from '../harness/states.ts';

const rounds = isFull ? 50 : 3;
const writers = 8;
const keysPerWriter = 5;
const partBytes = 5 * 1024 * 1024;
const Bucket = 'crash-test';

// The allowed contents of a key: the acknowledged one, or one that was sent and not acknowledged. '': no object.
type Ledger = Map<string, Set<string>>;

test(`[GEN-06] [OBJ-02] no answered object is lost or torn in ${rounds} rounds of kill -9`, async (t) => {
  const chance = chanceOf(t);
  await using region = await startRegion({ args: ['--rate-burst', '1000000'] });
  const key = await makeStorageKey(region);
  await s3Client(region, key).send(new CreateBucketCommand({ Bucket }));
  const ledger: Ledger = new Map();
  let answered = 0;
  for (let round = 0; round < rounds; round++) {
    answered += await untilKilled(region, s3Client(region, key), ledger, chance, round);
    await region.start();
    await assertWhole(s3Client(region, key), ledger);
  }
  t.diagnostic(`${answered} answered changes of ${ledger.size} keys`);
  assert.ok(answered > rounds * 10, 'too little was written to prove anything');
  await region.halt('SIGTERM');
  await assertNothingLeaks(region);
});

async function untilKilled(
  region: Region,
  s3: S3Client,
  ledger: Ledger,
  chance: Chance,
  round: number,
): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const enough = 30 + chance.below(120);
  let count = 0;
  let isOver = false;
  const write = async (writer: number): Promise<void> => {
    for (let turn = 0; !isOver; turn++) {
      // not a wait: it writes
      const key = `writer ${writer}/key ${turn % keysPerWriter}`;
      const wanted = chance.below(5) === 0 ? '' : `${key} ${round}.${turn} ${sizeOf(chance)}`;
      const before = ledger.get(key) ?? new Set(['']);
      ledger.set(key, new Set([...before, wanted]));
      try {
        await change(s3, key, wanted);
      } catch {
        return; // killed: either may be there
      }
      ledger.set(key, new Set([wanted]));
      if (++count === enough) setTimeout(resolve, chance.below(20)); // deadline
    }
  };
  const all = Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)));
  await Promise.race([promise, all]);
  isOver = true;
  await region.kill();
  await all;
  return count;
}

const sizeOf = (chance: Chance): number => [0, 100, 4096, 40_000, 1_000_000, partBytes + 1000][chance.below(6)] ?? 0;

// The content follows from its name, so a reader knows what has to be there.
const contentOf = (name: string): Buffer => {
  const size = Number(name.split(' ').at(-1));
  return Buffer.alloc(size, `${createHash('sha256').update(name).digest('hex')}\n`);
};

async function change(s3: S3Client, Key: string, wanted: string): Promise<void> {
  if (wanted === '') {
    await s3.send(new DeleteObjectCommand({ Bucket, Key }));
    return;
  }
  const content = contentOf(wanted);
  const Metadata = { name: wanted };
  if (content.length <= partBytes) {
    await s3.send(new PutObjectCommand({ Bucket, Key, Body: content, Metadata }));
    return;
  }
  const { UploadId } = await s3.send(new CreateMultipartUploadCommand({ Bucket, Key, Metadata }));
  const Parts = [];
  for (const [at, Body] of [content.subarray(0, partBytes), content.subarray(partBytes)].entries()) {
    const { ETag } = await s3.send(new UploadPartCommand({ Bucket, Key, UploadId, PartNumber: at + 1, Body }));
    Parts.push({ ETag, PartNumber: at + 1 });
  }
  await s3.send(new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }));
}

async function assertWhole(s3: S3Client, ledger: Ledger): Promise<void> {
  for (const [Key, allowed] of ledger) {
    const found = await s3.send(new GetObjectCommand({ Bucket, Key })).catch((error: Error) => {
      assert.equal(error.name, 'NoSuchKey');
      return undefined;
    });
    const name = found?.Metadata?.name ?? '';
    assert.ok(allowed.has(name), `${Key} holds '${name}', not one of ${[...allowed].join(', ')}`);
    if (found?.Body) assert.ok(contentOf(name).equals(await found.Body.transformToByteArray()), `${Key} is torn`);
    ledger.set(Key, new Set([name]));
  }
}

async function assertNothingLeaks({ data }: Region): Promise<void> {
  const folder = join(data, 'objects');
  const [, url = `sqlite:${data}`] = await stateFor(data);
  const engine = await openState(url, Date.now);
  const store = new Store(engine);
  const blobs = await openBlobs(`embedded:${folder}`);
  try {
    await sweepBlobs(store, blobs, Date.now() + 48 * 3_600_000);
    const referred = (await store.range({ contract: 0, place: blobsPlace, limit: 100_000 }, 'object')).map(
      ({ id }) => id,
    );
    for (const handle of referred) for await (const _ of blobs.get(handle)); // readable to its end
    const kept = globSync('files/**/*', { cwd: folder, withFileTypes: true }).filter((one) => one.isFile());
    const large = referred.filter((handle) => handle.startsWith('summed.'));
    assert.deepEqual(kept.map(({ name }) => name).toSorted(), large.toSorted());
  } finally {
    await blobs.close();
    await engine.close();
  }
}
