// Blobs are removed only when no backup and no reader needs them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytesOf, piecesOf, read } from '../engine/contract/bodies.ts';
import { openEmbeddedBlobs } from '../engine/embedded/engine.ts';
import { snapshotOf } from '../engine/embedded/snapshot.ts';
import { folderFor } from '../engine/embedded/testing.ts';
import { BlobRemovals } from './blob-removals.ts';

const noLog = { info() {}, warn() {}, error() {} };

test('[OBJ-02] blobs stay while they are held, and are removed after that', async (t) => {
  const folder = folderFor(t);
  const engine = await openEmbeddedBlobs({ folder });
  const removals = new BlobRemovals(engine, noLog);
  const { handle } = await engine.put(piecesOf(bytesOf(1, 50_000)));
  const [first, second] = [removals.hold(), removals.hold()];
  removals.add([handle]);
  first();
  assert.ok(removals.isHeld);
  assert.ok((await read(engine, handle)).equals(bytesOf(1, 50_000)));
  assert.equal((await Array.fromAsync(snapshotOf(folder))).length, 1);
  second();
  await assert.rejects(
    async () => {
      for (;;) await read(engine, handle);
    },
    { kind: 'missing' },
  );
  await engine.close();
});

test('[OBJ-02] blobs stay while they have readers, and are removed after that', async (t) => {
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
