// The orders of several choices.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choiceOrder } from './sampling.ts';

test('[INFER-02] choices of a seed have seeds of their own; without one, none has', () => {
  const order: { seed?: number; choice?: number } = {};
  assert.deepEqual(
    [0, 1, 2].map((at) => choiceOrder({ ...order, seed: 7 }, at)),
    [{ seed: 7 }, { seed: 8, choice: 1 }, { seed: 9, choice: 2 }],
  );
  assert.deepEqual(
    [0, 1].map((at) => choiceOrder(order, at)),
    [{}, { choice: 1 }],
    'the same seed for everybody would give everybody the same answer',
  );
});
