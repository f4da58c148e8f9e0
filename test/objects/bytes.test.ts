// What a backup of the bytes relies on: that nothing goes while it is made, and that a restore adds without loss.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { RestoredObjects } from '../../src/cli/state/objects-folder.ts';
import type { Piece } from '../../src/core/state/dump/dump-file.ts';
import { bytesOf, piecesOf, read } from '../../src/objects/engine/contract/bodies.ts';
import { openEmbeddedBlobs } from '../../src/objects/engine/embedded/engine.ts';
import { hasBlobs, snapshotOf } from '../../src/objects/engine/embedded/snapshot.ts';
import { folderFor } from '../../src/objects/engine/embedded/testing.ts';
import { BlobRemovals } from '../../src/objects/upkeep/blob-removals.ts';

const noLog = { info() {}, warn() {}, error() {} };
const sizes = [0, 10, 16 * 1024, 50_000, 1_500_000];

async function snapshot(folder: string): Promise<Piece[]> {
  const pieces: Piece[] = [];
  for await (const piece of snapshotOf(folder)) pieces.push(piece);
  return pieces;
}

test('[OBJ-02] blobs stay while they are held, and go after that', async (t) => {
  const folder = folderFor(t);
  const engine = await openEmbeddedBlobs({ folder });
  const removals = new BlobRemovals(engine, noLog);
  const { handle } = await engine.put(piecesOf(bytesOf(1, 50_000)));
  const [first, second] = [removals.hold(), removals.hold()];
  removals.add([handle]);
  first();
  assert.ok(removals.isHeld);
  assert.ok((await read(engine, handle)).equals(bytesOf(1, 50_000)));
  assert.equal((await snapshot(folder)).length, 1);
  second();
  await assert.rejects(
    async () => {
      for (;;) await read(engine, handle);
    },
    { kind: 'missing' },
  );
  await engine.close();
});

test('[OBJ-02] blobs stay while they are read, however often, and go after that', async (t) => {
  const engine = await openEmbeddedBlobs({ folder: folderFor(t) });
  const removals = new BlobRemovals(engine, noLog);
  const [a, b] = await Promise.all([1, 2].map((number) => engine.put(piecesOf(bytesOf(number, 50_000)))));
  const handles = [a?.handle ?? '', b?.handle ?? ''];
  const [first, second] = [removals.reading(handles), removals.reading(handles)];
  removals.add(handles);
  first();
  for (const [at, handle] of handles.entries()) {
    assert.ok(removals.isRead(handle));
    assert.ok((await read(engine, handle)).equals(bytesOf(at + 1, 50_000)));
  }
  const held = removals.hold();
  second();
  assert.ok((await read(engine, handles[0] ?? '')).equals(bytesOf(1, 50_000)));
  held();
  for (const handle of handles)
    await assert.rejects(
      async () => {
        for (;;) await read(engine, handle);
      },
      { kind: 'missing' },
    );
  await engine.close();
});

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
  const pieces = await snapshot(folder); // while it runs
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
