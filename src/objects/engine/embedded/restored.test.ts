// Restoring the bytes of objects adds them to the existing ones, without loss.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { bytesOf, piecesOf, read } from '../contract/bodies.ts';
import { openEmbeddedBlobs } from './engine.ts';
import { addRestored } from './restored.ts';
import { placeOf, snapshotOf } from './snapshot.ts';
import { folderFor } from './testing.ts';

const sizes = [0, 10, 16 * 1024, 50_000, 1_500_000];

test('[OBJ-02] a snapshot added to a newer store restores removed blobs and keeps new ones', async (t) => {
  const data = folderFor(t);
  const folder = join(data, 'objects');
  let engine = await openEmbeddedBlobs({ folder });
  assert.deepEqual(await Array.fromAsync(snapshotOf(folder)), []);
  const blobs = new Map<string, Buffer>();
  const put = async (number: number): Promise<void> => {
    for (const size of sizes) {
      const { handle } = await engine.put(piecesOf(bytesOf(number, size)));
      blobs.set(handle, bytesOf(number, size));
    }
  };
  await put(1);
  const pieces = await Array.fromAsync(snapshotOf(folder)); // while the engine runs
  const old = [...blobs.keys()];
  await put(2);
  await engine.remove(old);
  await engine.close();

  const draft = join(data, 'draft');
  for (const { name, bytes } of pieces) {
    const file = join(draft, placeOf(name));
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, bytes);
  }
  await addRestored(draft, folder);
  engine = await openEmbeddedBlobs({ folder });
  for (const [handle, bytes] of blobs) assert.ok((await read(engine, handle)).equals(bytes), handle);
  await engine.close();
});
