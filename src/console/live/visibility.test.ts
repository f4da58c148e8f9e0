// Tests which changes a caller sees when streams of several callers share a batch.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../core/access.ts';
import { rowOf } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { UndeclaredCollection } from '../../surface/ports.ts';
import type { Batch } from './change-batches.ts';
import type { DeclaredPlaces } from './declared-places.ts';
import { Visibility } from './visibility.ts';

const administrator = (user: string): Caller => ({
  user,
  email: `${user}@example.com`,
  contract: 1,
  contracts: [1],
  role: 'admin',
  privileges: new Set(),
  shares: new Map(),
});

test('a bucket of one administrator is hidden from another, whose stream reads the batch later', async () => {
  const buckets: UndeclaredCollection = {
    title: 'Bucket',
    table: 'resource',
    place: 'buckets',
    address: '/console/s3',
    shows: async (caller, row) => row?.owner === caller.user,
  };
  const visibility = new Visibility({} as Store, {} as DeclaredPlaces, [buckets]);
  const row = rowOf({ contract: 1, place: 'buckets', id: 'own', owner: 'first' });
  const batch: Batch = { contract: 1, changes: new Map([['buckets/own', { what: 'made', row }]]) };
  assert.deepEqual(await visibility.of(administrator('first'), batch), [['made', '/console/s3/own']]);
  assert.deepEqual(await visibility.of(administrator('second'), batch), []);
});
