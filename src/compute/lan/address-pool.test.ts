// The pool of free addresses: its choices, also after an outage of the state.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../../base/fault.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { AddressPool } from './address-pool.ts';

test('after an outage of the state addresses are chosen again, except the taken ones', async () => {
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

test('addresses that end with 0 or 255 are not chosen', async () => {
  const store = { engine: { exclusive: true }, async *each() {} } as unknown as Store;
  const pool = new AddressPool(store);
  const chosen: string[] = [];
  for (let at = 0; at < 250; at++) chosen.push(await pool.chooseIn('lans/1', '10.1.0.0/16'));
  assert.deepEqual(chosen.slice(243, 247), ['10.1.0.253', '10.1.0.254', '10.1.1.1', '10.1.1.2']);
});
