// The part of the contract suite about removed blobs: by removal, sweep and compaction.
import assert from 'node:assert/strict';
import { machineTime } from '../../../base/clock.ts';
import type { BlobEngine } from '../engine.ts';
import { bytesOf, type Case, piecesOf, read, sumOf } from './bodies.ts';

const ever = Number.MAX_VALUE;

// Plays the role of the state: it knows the referenced handles and their content.
class References {
  readonly handles = new Map<string, Buffer>();

  async put(engine: BlobEngine, number: number, size: number): Promise<string> {
    const { handle } = await engine.put(piecesOf(bytesOf(number, size)));
    this.handles.set(handle, bytesOf(number, size));
    return handle;
  }

  find = async (handles: readonly string[]): Promise<ReadonlySet<string>> => {
    assert.ok(handles.length > 0 && handles.length <= 500);
    return new Set(handles.filter((handle) => this.handles.has(handle)));
  };

  move = async (from: string, to: string): Promise<boolean> => {
    const bytes = this.handles.get(from);
    if (!bytes) return false;
    this.handles.delete(from);
    this.handles.set(to, bytes);
    return true;
  };

  async check(engine: BlobEngine): Promise<void> {
    for (const [handle, bytes] of this.handles) assert.ok((await read(engine, handle)).equals(bytes), handle);
  }
}

async function filled(engine: BlobEngine): Promise<References> {
  const references = new References();
  for (let number = 0; number < 40; number++) await references.put(engine, number, number % 4 === 0 ? 20_000 : number);
  return references;
}

export function removalsContract(one: Case): void {
  one('removed blobs disappear, the others stay, and a second removal succeeds', async ({ engine, leftovers }) => {
    const references = await filled(engine);
    const removed = [...references.handles.keys()].filter((_, at) => at % 3 === 0);
    for (const handle of removed) references.handles.delete(handle);
    await engine.remove(removed);
    await engine.remove([...removed, ...removed]);
    await references.check(engine);
    await engine.remove([...references.handles.keys()]);
    while (await engine.compact(ever, references.move));
    assert.deepEqual(await leftovers(), []);
  });

  one('a running read completes although the blob is removed', async ({ engine }) => {
    const { handle } = await engine.put(piecesOf(bytesOf(1, 3_000_000)));
    const pieces = engine.get(handle)[Symbol.asyncIterator]();
    const { value } = await pieces.next();
    await engine.remove([handle]);
    const { size } = await sumOf({ [Symbol.asyncIterator]: () => pieces });
    assert.equal(size + (value as Uint8Array).length, 3_000_000);
  });

  one('a sweep removes only old blobs without references', async ({ engine, leftovers }) => {
    const references = await filled(engine);
    const lost = [...references.handles.keys()].filter((_, at) => at % 3 === 0);
    for (const handle of lost) references.handles.delete(handle);
    assert.equal(await engine.sweep(0, references.find), 0);
    assert.equal(await engine.sweep(ever, references.find), lost.length);
    assert.equal(await engine.sweep(ever, references.find), 0);
    await references.check(engine);
    references.handles.clear();
    await engine.sweep(ever, references.find);
    while (await engine.compact(ever, references.move));
    assert.deepEqual(await leftovers(), []);
  });

  one('compaction keeps every blob under its new handle', async ({ engine }) => {
    const references = new References();
    for (let number = 0; number < 300; number++) await references.put(engine, number, 500 + number);
    const removed = [...references.handles.keys()].filter((_, at) => at % 3 !== 0);
    for (const handle of removed) references.handles.delete(handle);
    await engine.remove(removed);
    assert.equal(await engine.compact(0, references.move), false); // all are too young
    while (await engine.compact(ever, references.move));
    assert.equal(references.handles.size, 100);
    await references.check(engine);
    assert.equal(await engine.sweep(ever, references.find), 0);
  });

  one('puts, reads and removals continue during a sweep and a compaction', async ({ engine }) => {
    const references = await filled(engine);
    const start = machineTime() - 60_000; // all new blobs are younger
    const work = async (lane: number): Promise<void> => {
      for (let number = 0; number < 50; number++) {
        const handle = await references.put(engine, lane * 1000 + number, 3000);
        if (number % 2 > 0) continue;
        references.handles.delete(handle);
        await engine.remove([handle]);
      }
    };
    const lanes = Promise.all([1, 2, 3].map(work));
    for (let round = 0; round < 5; round++) {
      await engine.sweep(start, references.find);
      await engine.compact(start, references.move);
    }
    await lanes;
    await references.check(engine);
  });
}
