// The orders of several choices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceOrder } from './sampling.ts';

test('[INFER-02] choices of one seed have different seeds; without a seed, none has one', () => {
  const order: { seed?: number; choice?: number } = {};
  assert.deepEqual(
    [0, 1, 2].map((at) => choiceOrder({ ...order, seed: 7 }, at)),
    [{ seed: 7 }, { seed: 8, choice: 1 }, { seed: 9, choice: 2 }],
  );
  assert.deepEqual(
    [0, 1].map((at) => choiceOrder(order, at)),
    [{}, { choice: 1 }],
    'one seed for all clients would give all of them the same answer',
  );
});
