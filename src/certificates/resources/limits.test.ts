// The limits of certificates.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countOne } from './limits.ts';

test('each kind has its own limit, and is counted', async () => {
  for (const [kind, most] of [
    ['certificates', 2000],
    ['autoCertificates', 1000],
    ['providers', 200],
  ] as const) {
    const draft = { contract: 1, reservations: { claims: [], counts: {}, links: [] } };
    await countOne(draft, { counted: async () => most - 1 }, kind);
    assert.deepEqual(Object.values(draft.reservations.counts), [1]);
    await assert.rejects(
      countOne(draft, { counted: async () => most }, kind),
      new RegExp(`^Error: The contract has ${most} .*already, which is the maximum`),
    );
  }
});
