// The contract suite of all blob engines. It does not depend on any engine; its cases share one store.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { collectGarbage } from '../../../testing/garbage.ts';
import { ReadBuffers } from '../read-buffers.ts';
import { type BlobBench, bytesOf, type Case, largeBody, piecesOf, read, sumOf } from './bodies.ts';
import { removalsContract } from './removals.ts';

const megabyte = 1024 * 1024;
const sizes = [0, 1, 1000, 16 * 1024, 16 * 1024 + 1, 70_000, 3 * megabyte + 17];

export function blobContract(name: string, open: () => Promise<BlobBench>): void {
  const one: Case = (title, run) => {
    test(title, async () => {
      const bench = await open();
      try {
        await run(bench);
      } finally {
        await bench.close();
      }
    });
  };
  suite(`${name}: bytes`, () => bytesContract(one));
  suite(`${name}: streams`, () => streamsContract(one));
  suite(`${name}: removals`, () => removalsContract(one));
}

function bytesContract(one: Case): void {
  one('blobs of all sizes are returned unchanged', async ({ engine }) => {
    for (const size of sizes)
      for (const pieceBytes of size > 100_000 ? [64 * 1024, megabyte] : [size + 1, 999]) {
        const bytes = bytesOf(size, size);
        const stored = await engine.put(piecesOf(bytes, pieceBytes), { size });
        assert.equal(stored.size, size);
        assert.ok(stored.handle.length <= 100);
        assert.ok((await read(engine, stored.handle)).equals(bytes), `${size} bytes`);
      }
  });

  one('the size may be unknown, and empty pieces are ignored', async ({ engine }) => {
    for (const size of sizes) {
      const bytes = bytesOf(1, size);
      const pieces = async function* (): AsyncGenerator<Uint8Array, void> {
        yield Buffer.alloc(0);
        yield* piecesOf(bytes, 10_000);
        yield Buffer.alloc(0);
      };
      const { handle } = await engine.put(pieces());
      assert.ok((await read(engine, handle)).equals(bytes), `${size} bytes`);
    }
  });

  one('a range is returned without the rest', async ({ engine }) => {
    for (const size of sizes) {
      const bytes = bytesOf(2, size);
      const { handle } = await engine.put(piecesOf(bytes));
      const half = Math.floor(size / 2);
      for (const [offset, length] of [
        [0, size],
        [0, half],
        [half, size - half],
        [size, 0],
        [half, 0],
        [Math.max(0, size - 1), Math.min(1, size)],
      ] as const) {
        const found = await read(engine, handle, { offset, length });
        const wanted = bytes.subarray(offset, offset + length);
        assert.ok(found.equals(wanted), `${length} at ${offset} of ${size}`);
        const taken = await sumOf(engine.get(handle, { offset, length }, new ReadBuffers()));
        assert.deepEqual(taken, await sumOf(piecesOf(wanted)), `${length} at ${offset} of ${size}, in buffers`);
      }
      await assert.rejects(read(engine, handle, { offset: 1, length: size }), RangeError);
    }
  });

  one('equal bytes become separate blobs', async ({ engine }) => {
    for (const size of [10, 100_000]) {
      const [a, b] = [await engine.put(piecesOf(bytesOf(1, size))), await engine.put(piecesOf(bytesOf(1, size)))];
      assert.notEqual(a.handle, b.handle);
      await engine.remove([a.handle]);
      assert.ok((await read(engine, b.handle)).equals(bytesOf(1, size)));
    }
  });

  one('concurrent puts do not mix', async ({ engine }) => {
    const put = async (number: number): Promise<[number, string]> => {
      const size = [0, 100, 5000, 16_384, 40_000][number % 5] as number;
      return [number, (await engine.put(piecesOf(bytesOf(number, size), 3000))).handle];
    };
    const stored = await Promise.all(Array.from({ length: 200 }, (_, number) => put(number)));
    assert.equal(new Set(stored.map(([, handle]) => handle)).size, stored.length);
    const check = async ([number, handle]: [number, string]): Promise<void> => {
      const found = await read(engine, handle);
      assert.ok(found.equals(bytesOf(number, found.length)));
      assert.equal(found.length, [0, 100, 5000, 16_384, 40_000][number % 5]);
    };
    await Promise.all(stored.map(check));
  });

  one('an unknown handle is missing', async ({ engine }) => {
    const { handle } = await engine.put(piecesOf(bytesOf(1, 100)));
    const { handle: large } = await engine.put(piecesOf(bytesOf(1, 100_000)));
    await engine.remove([large]);
    for (const wrong of ['', 'a', '../../etc/passwd', `${handle}0/..`, large])
      await assert.rejects(read(engine, wrong), { kind: 'missing' });
  });
}

function streamsContract(one: Case): void {
  one('memory is bounded for any size', async ({ engine }) => {
    const size = 192 * megabyte;
    const limit = 110 * megabyte;
    const start = process.memoryUsage().arrayBuffers;
    const held = (): number => process.memoryUsage().arrayBuffers - start;
    let peak = 0;
    const look = (): void => {
      if (held() >= limit) collectGarbage(); // unused memory does not count
      peak = Math.max(peak, held());
    };
    const { handle } = await engine.put(largeBody(size, look));
    const expected = await sumOf(largeBody(size));
    const watched = async function* (): AsyncGenerator<Uint8Array, void> {
      for await (const piece of engine.get(handle)) {
        look();
        yield piece;
      }
    };
    assert.deepEqual(await sumOf(watched()), expected);
    assert.ok(peak < limit, `${Math.round(peak / megabyte)} MB`);
  });

  one('a body that fails fails the put with its own error and leaves nothing behind', async ({ engine, leftovers }) => {
    for (const size of [0, 100, 100_000, 20 * megabyte]) {
      const failing = async function* (): AsyncGenerator<Uint8Array, void> {
        yield* largeBody(size);
        throw new TypeError('the client left');
      };
      await assert.rejects(engine.put(failing()), { name: 'TypeError', message: 'the client left' });
      assert.deepEqual(await leftovers(), []);
    }
  });

  one('a read can be cancelled at any moment, or never started', async ({ engine }) => {
    const { handle } = await engine.put(largeBody(5 * megabyte));
    engine.get(handle);
    for (let pieces = 1; pieces < 4; pieces++) {
      let left = pieces;
      for await (const _ of engine.get(handle)) if (--left === 0) break;
    }
    const unread = engine.get(handle)[Symbol.asyncIterator]();
    await unread.return?.();
    assert.equal((await sumOf(engine.get(handle))).size, 5 * megabyte);
  });
}
