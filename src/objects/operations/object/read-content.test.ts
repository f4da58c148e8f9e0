// Content that is removed between the lookup of a version and the first read of its blobs, as with remote blobs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../../base/fault.ts';
import type { StoredBucket } from '../../metadata/bucket.ts';
import type { ObjectVersion } from '../../metadata/version.ts';
import type { S3Tools } from '../../service/request.ts';
import { readContent, retryReplaced } from './read-content.ts';

const version = (order: string, handle: string): ObjectVersion =>
  ({ key: 'k', versionId: 'null', order, size: 3, parts: [{ handle, size: 3 }] }) as unknown as ObjectVersion;

// Reads like an operation: it looks up the version, and then reads its content.
async function read(first: ObjectVersion, now: ObjectVersion | undefined, blobs: Record<string, string>) {
  const reading: string[] = [];
  const tools = {
    blobs: {
      async *get(handle: string) {
        if (blobs[handle] === undefined) throw new Fault('missing', 'no such blob');
        yield Buffer.from(blobs[handle]);
      },
    },
    objects: { find: async () => now },
    removals: {
      reading(handles: string[]) {
        reading.push(...handles);
        return () => void reading.splice(0);
      },
    },
  } as unknown as S3Tools;
  let lookups = 0;
  const content = await retryReplaced(async () => {
    const found = lookups++ === 0 ? first : now;
    if (!found) throw new Fault('missing', 'no such object');
    let text = '';
    for await (const piece of readContent(tools, {} as StoredBucket, found, {})) text += piece.toString();
    return text;
  });
  assert.deepEqual(reading, []);
  return content;
}

test('[OBJ-02] an object that was replaced before it was read is looked up again', async () => {
  const old = version('2', 'old');
  assert.equal(await read(old, version('1', 'new'), { new: 'new' }), 'new');
  assert.equal(await read(old, version('2', 'moved'), { moved: 'old' }), 'old');
  await assert.rejects(read(old, undefined, {}), { message: 'no such object' });
  await assert.rejects(read(old, old, {}), /missing in this region/);
});
