// Restoring the bytes of objects adds to what is stored, without loss.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { bytesOf, piecesOf, read } from '../../objects/engine/contract/bodies.ts';
import { openEmbeddedBlobs } from '../../objects/engine/embedded/engine.ts';
import { hasBlobs, snapshotOf } from '../../objects/engine/embedded/snapshot.ts';
import { folderFor } from '../../objects/engine/embedded/testing.ts';
import { RestoredObjects } from './objects-folder.ts';

const sizes = [0, 10, 16 * 1024, 50_000, 1_500_000];

test('[OBJ-02] a snapshot that is added to a newer store brings back what went, and keeps what came', async (t) => {
  const data = folderFor(t);
  const folder = join(data, 'objects');
  assert.equal(await hasBlobs(folder), false);
  let engine = await openEmbeddedBlobs({ folder });
  assert.equal(await hasBlobs(folder), false);
  const blobs = new Map<string, Buffer>();
  const put = async (number: number): Promise<void> => {
    for (const size of sizes) {
      const { handle } = await engine.put(piecesOf(bytesOf(number, size)));
      blobs.set(handle, bytesOf(number, size));
    }
  };
  await put(1);
  const pieces = await Array.fromAsync(snapshotOf(folder)); // while it runs
  const old = [...blobs.keys()];
  await put(2);
  await engine.remove(old);
  await engine.close();

  const restored = new RestoredObjects(data);
  for (const piece of pieces) restored.add(piece);
  assert.equal(await restored.publish(), true);
  engine = await openEmbeddedBlobs({ folder });
  for (const [handle, bytes] of blobs) assert.ok((await read(engine, handle)).equals(bytes), handle);
  await engine.close();
  assert.equal(await new RestoredObjects(data).publish(), false);
});
