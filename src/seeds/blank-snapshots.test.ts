// A snapshot without content, whose source can't be deleted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBlankSnapshot } from './blank-snapshots.ts';
import type { SeedClient } from './seed-client.ts';

// The paths that an undo would delete, and the outcome.
async function created(status: number) {
  const removals: string[] = [];
  const client = {
    async call(_method: string, path: string) {
      const isSnapshot = path.endsWith('/create-snapshot');
      const body =
        status < 300 || !isSnapshot ? { id: isSnapshot ? 's' : 'x' } : { messages: [{ message: 'no quota' }] };
      return { status: isSnapshot ? status : 202, headers: new Headers(), body };
    },
    untilDone: async () => undefined,
    remove: async () => 'it is locked',
  } as unknown as SeedClient;
  const outcome = await createBlankSnapshot(
    { properties: { name: 'golden', location: 'de/txl', size: 20 } },
    {
      client,
      removeLater: async (_what, path) => void removals.push(path),
      fail: (reason) => new Error(reason),
    },
  ).catch((error: Error) => error);
  return { removals, outcome };
}

const source = '/cloudapi/v6/datacenters/x';

test('an accepted snapshot is deleted by the undo, even if its source remains', async () => {
  const { removals, outcome } = await created(202);
  assert.deepEqual(removals, [source, `${source}/volumes/x`, '/cloudapi/v6/snapshots/s']);
  assert.match(String(outcome), /it is locked/);
});

test('the refusal of a snapshot is reported first', async () => {
  const { removals, outcome } = await created(422);
  assert.deepEqual(removals, [source, `${source}/volumes/x`]);
  assert.deepEqual((outcome as { body: unknown }).body, { messages: [{ message: 'no quota' }] });
});
