// Pending operations are found by path and by request for as long as their journal row exists.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PendingOperations } from './pending-operations.ts';

const creation = (number: number, contract = 1) => ({
  contract,
  place: `datacenters/D${number}`,
  id: `R${number}`,
  kind: 'create',
});

function assertPending(pending: PendingOperations, one: ReturnType<typeof creation>, isPending: boolean): void {
  const { contract, place, id } = one;
  assert.equal(pending.has(id), isPending, id);
  assert.equal(pending.at(contract, place), isPending, place);
  assert.equal(pending.creating(contract, place), isPending);
  assert.equal(pending.creating(contract, `${place}/lans/1`), isPending);
  assert.equal(pending.busy(contract, place), isPending);
  assert.equal(pending.removing(contract, place), false);
  assert.equal(pending.at(contract + 1, place), false);
}

test('thousands are found until they end, also those that take longer than others', () => {
  const pending = new PendingOperations();
  const all = Array.from({ length: 5000 }, (_, number) => creation(number, 1 + (number % 3)));
  for (const one of all) pending.add(one);
  for (const [at, one] of all.entries()) if (at % 700 !== 0) pending.drop(one);
  for (const [at, one] of all.entries()) assertPending(pending, one, at % 700 === 0);
  for (const one of all) pending.drop(one);
  for (const one of all) assertPending(pending, one, false);
});

test('an operation that was dropped twice and is added again is found, and ends once', () => {
  const pending = new PendingOperations();
  const one = creation(1);
  pending.add(one);
  pending.drop(one);
  pending.drop(one);
  pending.add(one);
  pending.add(one);
  assertPending(pending, one, true);
  pending.drop(one);
  assertPending(pending, one, false);
});

test('a removal waits next to the creation of the same resource', () => {
  const pending = new PendingOperations();
  const one = creation(1);
  const removal = { ...one, id: 'R2', kind: 'remove' };
  pending.add(one);
  pending.add(removal);
  assert.equal(pending.removing(1, one.place), true);
  pending.drop(one);
  assert.equal(pending.creating(1, one.place), false);
  assert.equal(pending.at(1, one.place), true);
  pending.drop(removal);
  assert.equal(pending.at(1, one.place), false);
  assert.equal(pending.has('R2'), false);
});

test('everything above a pending operation is busy until the last operation below it has ended', () => {
  const pending = new PendingOperations();
  const lans = ['R1', 'R2'].map((id) => ({ contract: 1, place: `datacenters/D/lans/${id}`, id, kind: 'change' }));
  for (const lan of lans) pending.add(lan);
  for (const lan of lans) {
    assert.equal(pending.busy(1, 'datacenters/D'), true);
    assert.equal(pending.creating(1, 'datacenters/D'), false);
    assert.equal(pending.busy(2, 'datacenters/D'), false);
    pending.drop(lan);
  }
  assert.equal(pending.busy(1, 'datacenters/D'), false);
});
