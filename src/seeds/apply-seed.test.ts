// A run that is cancelled begins nothing else, and what it has created is deleted.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Section } from '../surface/docs/seed-sections.ts';
import { SeedRun } from './apply-seed.ts';
import { seedInMemory } from './plan/seed-in-memory.ts';
import { planOf } from './plan/seed-plan.ts';
import type { SeedClient } from './seed-client.ts';
import { undoneIfItFails } from './undo.ts';

const section = {
  key: 'servers',
  path: '/servers',
  prefix: '/cloudapi/v6',
  children: [],
  entities: [],
  resource: {
    name: 'server',
    plural: 'servers',
    properties: { name: { type: 'string' } },
    ids: { example: 'a' },
    seededState: { property: 'vmState', acts: { SHUTOFF: 'stop' } },
  },
} as unknown as Section;
const sections = new Map([['servers', section]]);

// Returns the calls of a run that is cancelled during the given one.
async function calls(cancelledAt: string): Promise<string[]> {
  const cancel = new AbortController();
  const seen: string[] = [];
  const client = {
    async call(method: string, path: string) {
      seen.push(`${method} ${path}`);
      if (seen.at(-1) === cancelledAt) cancel.abort();
      return { status: 202, headers: new Headers(), body: { id: '1' } };
    },
    list: async () => [],
    untilDone: async () => undefined,
    sideEffects: async () => ({ others: [], isEmpty: false }),
    remove: async (path: string) => void seen.push(`DELETE ${path}`),
  } as unknown as SeedClient;
  const { items } = planOf([seedInMemory({ servers: [{ name: 'web', vmState: 'SHUTOFF' }] }, sections)], sections);
  const run = new SeedRun({ client, sections, items, home: 'de-txl', signal: cancel.signal });
  await assert.rejects(
    undoneIfItFails((undo) => run.run(undo)),
    { message: 'The copy was cancelled.' },
  );
  return seen;
}

const created = 'POST /cloudapi/v6/servers';
const server = '/cloudapi/v6/servers/1';

test('a run that is cancelled while an item is created does not act on it', async () => {
  assert.deepEqual(await calls(created), [created, `DELETE ${server}`]);
});

test('a run that is cancelled during its last call is undone, too', async () => {
  assert.deepEqual(await calls(`POST ${server}/stop`), [created, `POST ${server}/stop`, `DELETE ${server}`]);
});
