// Stored content, whether or not it gets published.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import { unknownOutcome } from '../../../core/state/unknown-outcome.ts';
import type { BlobEngine } from '../../engine/engine.ts';
import { publish, withinSize } from './store-content.ts';

suite('content that is not published', () => {
  const removedAfter = async (error: unknown, remove = async (): Promise<void> => {}): Promise<string[]> => {
    const removed: string[] = [];
    const blobs = {
      remove(handles: readonly string[]) {
        removed.push(...handles);
        return remove();
      },
    } as BlobEngine;
    await assert.rejects(publish({ blobs }, [{ handle: 'h', size: 1 }], Promise.reject(error)), error as Error);
    return removed;
  };

  test('is removed again', async () => {
    assert.deepEqual(await removedAfter(new Fault('conflict', 'another was first')), ['h']);
  });

  test('stays if it may have been published', async () => {
    assert.deepEqual(await removedAfter(unknownOutcome(undefined)), []);
  });

  test('is reported by the first error, even if it cannot be removed', async () => {
    await removedAfter(new Fault('conflict', 'another was first'), () => Promise.reject(new Error('the disk is gone')));
  });
});

test('an upload without an announced length has a maximum size, too', async () => {
  const pieces = async function* (): AsyncGenerator<Buffer> {
    for (let count = 0; count < 3; count++) yield Buffer.alloc(10);
  };
  const sizeOf = async (most: number): Promise<number> => (await Array.fromAsync(withinSize(pieces(), 0, most))).length;
  assert.equal(await sizeOf(30), 3);
  await assert.rejects(sizeOf(29), /exceeds the maximum/);
});
