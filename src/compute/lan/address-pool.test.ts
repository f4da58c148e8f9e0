// The pool of free addresses: what an outage of the state leaves behind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { AddressPool } from './address-pool.ts';

test('after an outage of the state addresses are chosen again, beside those that are taken', async () => {
  let isDown = true;
  const store = {
    engine: { exclusive: true },
    async *each() {
      if (isDown) throw new Fault('unavailable', 'the database does not answer');
      yield { id: '10.1.0.10' } as Row;
    },
  } as unknown as Store;
  const pool = new AddressPool(store);
  await assert.rejects(pool.chooseIn('lans/1', '10.1.0.0/16'), /does not answer/);
  isDown = false;
  assert.equal(await pool.chooseIn('lans/1', '10.1.0.0/16'), '10.1.0.11');
  assert.equal(await pool.chooseIn('lans/1', '10.1.0.0/16'), '10.1.0.12');
});
