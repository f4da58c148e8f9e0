// The contract suite on the embedded engine: with default segments, and with tiny ones that are mostly full.
import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test } from 'node:test';
import { type BlobBench, bytesOf, largeBody, piecesOf, read } from '../contract/bodies.ts';
import { blobContract } from '../contract/contract.ts';
import { openEmbeddedBlobs } from './engine.ts';
import { filesIn, folderFor } from './testing.ts';

const ever = Number.MAX_VALUE;
const none = async (): Promise<ReadonlySet<string>> => new Set();

const open = (segmentBytes?: number) => async (): Promise<BlobBench> => {
  const folder = mkdtempSync(join(tmpdir(), 'blobs-'));
  const engine = await openEmbeddedBlobs({ folder, graceMs: 0, ...(segmentBytes ? { segmentBytes } : {}) });
  return {
    engine,
    leftovers: async () => (await filesIn(folder)).filter(({ bytes }) => bytes > 0).map(({ path }) => path),
    close: async () => {
      await engine.close();
      await rm(folder, { recursive: true });
    },
  };
};

blobContract('embedded', open());
blobContract('embedded with small segments', open(20_000));

suite('after a restart', () => {
  test('all blobs exist, and small ones continue in the same segment', async (t) => {
    const folder = folderFor(t);
    const handles: string[] = [];
    for (let round = 0; round < 5; round++) {
      const engine = await openEmbeddedBlobs({ folder });
      for (const size of [10, 50_000]) handles.push((await engine.put(piecesOf(bytesOf(round, size)))).handle);
      for (const [at, handle] of handles.entries())
        assert.ok((await read(engine, handle)).equals(bytesOf(at >> 1, at % 2 === 0 ? 10 : 50_000)));
      await engine.close();
    }
    assert.equal(readdirSync(join(folder, 'segments')).length, 1);
  });

  test('a torn tail is truncated, and the blobs before it are complete', async (t) => {
    const folder = folderFor(t);
    let engine = await openEmbeddedBlobs({ folder });
    const stored = await Promise.all([1, 2, 3].map((number) => engine.put(piecesOf(bytesOf(number, 1000)))));
    await engine.close();
    const [segment] = await filesIn(join(folder, 'segments'));
    assert.ok(segment);
    const whole = readFileSync(segment.path);
    const tails = [whole.subarray(0, 900), whole.subarray(0, 3), Buffer.alloc(5000)];
    for (const tail of tails) {
      writeFileSync(segment.path, whole);
      appendFileSync(segment.path, tail);
      engine = await openEmbeddedBlobs({ folder });
      assert.equal((await engine.figures()).segmentBytes, whole.length);
      const { handle } = await engine.put(piecesOf(bytesOf(4, 700)));
      for (const [at, { handle: before }] of stored.entries())
        assert.ok((await read(engine, before)).equals(bytesOf(at + 1, 1000)));
      assert.ok((await read(engine, handle)).equals(bytesOf(4, 700)));
      await engine.close();
    }
  });

  test('[OBJ-01] a damaged last blob is a fault, and no later blob gets its handle', async (t) => {
    const folder = folderFor(t);
    let engine = await openEmbeddedBlobs({ folder });
    const { handle: first } = await engine.put(piecesOf(bytesOf(1, 1000)));
    const { handle: last } = await engine.put(piecesOf(bytesOf(2, 1000)));
    await engine.close();
    const [segment] = await filesIn(join(folder, 'segments'));
    assert.ok(segment);
    const whole = readFileSync(segment.path);
    for (const at of [1021, 1500, whole.length - 1]) {
      writeFileSync(segment.path, whole.with(at, (whole[at] as number) ^ 1));
      engine = await openEmbeddedBlobs({ folder });
      const { handle } = await engine.put(piecesOf(bytesOf(3, 1000)));
      assert.notEqual(handle, last);
      await assert.rejects(read(engine, last), { kind: 'unavailable', message: /damaged/ }, `${at}`);
      assert.ok((await read(engine, first)).equals(bytesOf(1, 1000)));
      assert.ok((await read(engine, handle)).equals(bytesOf(3, 1000)));
      await engine.close();
    }
  });

  test('a damaged blob is a fault, and those after it are complete', async (t) => {
    const folder = folderFor(t);
    let engine = await openEmbeddedBlobs({ folder });
    const handles: string[] = [];
    for (const number of [1, 2, 3]) handles.push((await engine.put(piecesOf(bytesOf(number, 1000)))).handle);
    const { handle: large } = await engine.put(piecesOf(bytesOf(1, 50_000)));
    await engine.close();
    const [segment] = await filesIn(join(folder, 'segments'));
    assert.ok(segment);
    const bytes = readFileSync(segment.path);
    bytes[1500] = (bytes[1500] ?? 0) ^ 1;
    writeFileSync(segment.path, bytes);
    truncateSync((await filesIn(join(folder, 'files')))[0]?.path ?? '', 40_000);
    engine = await openEmbeddedBlobs({ folder });
    const [first = '', second = '', third = ''] = handles;
    await assert.rejects(read(engine, second), { kind: 'unavailable', message: /damaged/ });
    await assert.rejects(read(engine, large), { kind: 'unavailable', message: /damaged/ });
    assert.ok((await read(engine, first)).equals(bytesOf(1, 1000)));
    assert.ok((await read(engine, third)).equals(bytesOf(3, 1000)));
    await engine.close();
  });

  test('[OBJ-01] a read of a large blob verifies the pieces that it needs', async (t) => {
    const folder = folderFor(t);
    const engine = await openEmbeddedBlobs({ folder });
    const [size, piece] = [300_000, 64 * 1024];
    const bytes = bytesOf(1, size);
    const { handle } = await engine.put(piecesOf(bytes, 10_000));
    const [file] = await filesIn(join(folder, 'files'));
    assert.ok(file);
    const whole = readFileSync(file.path);
    const part = (offset: number, length: number): Promise<Buffer> => read(engine, handle, { offset, length });
    for (const at of [piece, 2 * piece - 1, size + 4]) {
      writeFileSync(file.path, whole.with(at, (whole[at] as number) ^ 1));
      const damaged = { kind: 'unavailable', message: /damaged/ };
      for (const [offset, length] of [
        [0, size],
        [piece - 1, 2],
        [2 * piece - 1, 1],
      ] as const)
        await assert.rejects(part(offset, length), damaged, `byte ${at}, ${length} at ${offset}`);
      for (const [offset, length] of [
        [0, piece],
        [2 * piece, 1],
        [3 * piece - 1, size - 3 * piece + 1],
      ] as const)
        assert.ok((await part(offset, length)).equals(bytes.subarray(offset, offset + length)), `byte ${at}`);
    }
    await engine.close();
  });

  test('files of earlier versions are read, without checksums', async (t) => {
    const folder = folderFor(t);
    const engine = await openEmbeddedBlobs({ folder });
    const bytes = bytesOf(1, 300_000);
    const { handle } = await engine.put(piecesOf(bytes));
    const [file] = await filesIn(join(folder, 'files'));
    const earlier = handle.replace('summed', 'file');
    const path = file?.path.replace('summed', 'file') ?? '';
    writeFileSync(path, bytes);
    assert.ok((await read(engine, earlier)).equals(bytes));
    truncateSync(path, 200_000);
    await assert.rejects(read(engine, earlier), { kind: 'unavailable', message: /damaged/ });
    await engine.close();
  });

  test('unfinished uploads are removed', async (t) => {
    const folder = folderFor(t);
    await (await openEmbeddedBlobs({ folder })).close();
    writeFileSync(join(folder, 'incoming', 'left'), 'torn');
    const engine = await openEmbeddedBlobs({ folder });
    assert.deepEqual(await filesIn(folder), []);
    await engine.close();
  });
});

suite('compaction', () => {
  test('keeps an emptied segment for readers with an old handle', async (t) => {
    const folder = folderFor(t);
    let nowMs = 1_000_000;
    const engine = await openEmbeddedBlobs({ folder, graceMs: 60_000, segmentBytes: 5000, now: () => nowMs });
    const handles: string[] = [];
    for (let number = 0; number < 5; number++) handles.push((await engine.put(piecesOf(bytesOf(number, 1000)))).handle);
    await engine.remove(handles.slice(1));
    nowMs += 1;
    const moves: [string, string][] = [];
    const move = async (from: string, to: string): Promise<boolean> => moves.push([from, to]) > 0;
    await engine.compact(nowMs, move);
    assert.deepEqual(
      moves.map(([from]) => from),
      handles.slice(0, 1),
    );
    for (const handle of moves.flat()) assert.ok((await read(engine, handle)).equals(bytesOf(0, 1000)));
    nowMs += 60_000;
    await engine.compact(0, move);
    await assert.rejects(read(engine, handles[0] ?? ''), { kind: 'missing' });
    assert.ok((await read(engine, moves[0]?.[1] ?? '')).equals(bytesOf(0, 1000)));
    assert.equal((await filesIn(folder)).length, 1);
    await engine.close();
  });

  test('loses nothing if the owner fails halfway', async (t) => {
    const folder = folderFor(t);
    const engine = await openEmbeddedBlobs({ folder, graceMs: 0 });
    const stored = await Promise.all(
      Array.from({ length: 300 }, (_, number) => engine.put(piecesOf(bytesOf(number, 100)))),
    );
    const alive = new Map(stored.slice(0, 120).map(({ handle }, number) => [handle, number]));
    await engine.remove(stored.slice(120).map(({ handle }) => handle));
    let calls = 0;
    const move = async (from: string, to: string): Promise<boolean> => {
      if (++calls === 70) throw new Error('the state is not available');
      const number = alive.get(from);
      if (number === undefined) return false;
      alive.delete(from);
      alive.set(to, number);
      return true;
    };
    await assert.rejects(engine.compact(ever, move), /the state is not available/);
    for (const [handle, number] of alive) assert.ok((await read(engine, handle)).equals(bytesOf(number, 100)));
    while (await engine.compact(ever, move));
    for (const [handle, number] of alive) assert.ok((await read(engine, handle)).equals(bytesOf(number, 100)));
    assert.equal(await engine.sweep(ever, async (handles) => new Set(handles.filter((one) => alive.has(one)))), 1);
    await engine.close();
  });
});

test('a cancelled read closes its file', async (t) => {
  const folder = folderFor(t);
  const engine = await openEmbeddedBlobs({ folder });
  const { handle } = await engine.put(largeBody(5_000_000));
  for await (const _ of engine.get(handle)) break;
  engine.get(handle);
  assert.deepEqual(openBelow(folder), []);
  await engine.close();
});

test('many segments need few open files', async (t) => {
  const folder = folderFor(t);
  const engine = await openEmbeddedBlobs({ folder, segmentBytes: 1 });
  const handles: string[] = [];
  for (let number = 0; number < 300; number++) handles.push((await engine.put(piecesOf(bytesOf(number, 10)))).handle);
  const found = await Promise.all(handles.map((handle) => read(engine, handle)));
  for (const [number, bytes] of found.entries()) assert.ok(bytes.equals(bytesOf(number, 10)));
  for (const handle of handles) await read(engine, handle);
  assert.ok(openBelow(folder).length <= 128);
  assert.equal(await engine.sweep(ever, none), 300);
  while (await engine.compact(ever, async () => false));
  await engine.close();
  assert.deepEqual(openBelow(folder), []);
});

function openBelow(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(folder) ? [path] : [];
    } catch {
      return [];
    }
  });
}
