// What is under way is seen as long as it is, by path and by request, however many come and go.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Passing, passingFor, UnderWay } from './pending-operations.ts';

const passing = (number: number, contract = 1): Passing =>
  passingFor(contract, `datacenters/D${number}`, `R${number}`, 'create', 20);

function assertSeen(underWay: UnderWay, { contract, place, id }: Passing, isSeen: boolean): void {
  assert.equal(underWay.has(id), isSeen, id);
  assert.equal(underWay.at(contract, place), isSeen, place);
  assert.equal(underWay.passing(contract, place), isSeen);
  assert.equal(underWay.creating(contract, place), isSeen);
  assert.equal(underWay.creating(contract, `${place}/lans/1`), isSeen);
  assert.equal(underWay.busy(contract, place), isSeen);
  assert.equal(underWay.removing(contract, place), false);
  assert.equal(underWay.at(contract + 1, place), false);
}

test('thousands that pass are seen until they have passed, also those that take longer than others', () => {
  const underWay = new UnderWay();
  const all: Passing[] = [];
  const slow = new Set<Passing>();
  for (let number = 0; number < 5000; number++) {
    const one = passing(number, 1 + (number % 3));
    underWay.pass(one);
    all.push(one);
    if (number % 700 === 0) slow.add(one);
    const old = all[number - 300];
    if (old && !slow.has(old)) underWay.passed(old);
    if (number % 97 !== 0) continue;
    for (let look = 0; look <= number; look += 31) {
      const seen = all[look] as Passing;
      assertSeen(underWay, seen, slow.has(seen) || look > number - 300);
    }
  }
  for (const one of all) underWay.passed(one);
  for (const one of all) assertSeen(underWay, one, false);
});

test('what was taken back and is tried again is seen again, and ends once', () => {
  const underWay = new UnderWay();
  const first = passing(1);
  underWay.pass(first);
  underWay.passed(first);
  underWay.passed(first);
  const again = passing(1);
  underWay.pass(again);
  assertSeen(underWay, again, true);
  underWay.passed(first);
  assertSeen(underWay, again, true);
  underWay.passed(again);
  assertSeen(underWay, again, false);
});

test('what the journal tells stands beside what passes', () => {
  const underWay = new UnderWay();
  const one = passing(1);
  const removal = { contract: 1, place: one.place, id: 'R2', kind: 'remove' };
  underWay.pass(one);
  underWay.add(removal);
  assert.equal(underWay.removing(1, one.place), true);
  underWay.passed(one);
  assert.equal(underWay.creating(1, one.place), false);
  assert.equal(underWay.passing(1, one.place), false);
  assert.equal(underWay.at(1, one.place), true);
  underWay.drop(removal);
  assert.equal(underWay.at(1, one.place), false);
  assert.equal(underWay.has('R2'), false);
});

test('two that pass at one place are seen until both have passed, whichever is the first', () => {
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const underWay = new UnderWay();
    const both = ['R1', 'R2'].map((id) => passingFor(1, 'pipelines/P', id, 'create', 20));
    for (const one of both) underWay.pass(one);
    const [first, second] = order.map((at) => both[at] as Passing) as [Passing, Passing];
    underWay.passed(first);
    assert.equal(underWay.has(first.id), false);
    assertSeen(underWay, second, true);
    underWay.passed(second);
    assertSeen(underWay, second, false);
  }
});
