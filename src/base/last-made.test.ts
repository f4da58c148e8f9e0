// One value is kept, and only for the very same question.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lastMade } from './last-made.ts';

it('the same values give what was made of them, others something new', () => {
  let calls = 0;
  const join = lastMade((a: string, b: number, c?: boolean) => [a, b, c, ++calls].join());
  assert.equal(join('a', 1), 'a,1,,1');
  assert.equal(join('a', 1), 'a,1,,1');
  assert.equal(join('b', 1), 'b,1,,2');
  assert.equal(join('b', 2), 'b,2,,3');
  assert.equal(join('b', 2, true), 'b,2,true,4');
  assert.equal(join('b', 2, true), 'b,2,true,4');
  assert.equal(join('a', 1), 'a,1,,5'); // one is kept, not all
});

it('each of seven values counts, and the first question is one too', () => {
  let calls = 0;
  const all = lastMade((..._: [unknown, unknown, unknown, unknown, unknown, unknown, unknown]) => ++calls);
  assert.equal(all(undefined, undefined, undefined, undefined, undefined, undefined, undefined), 1);
  const values: Parameters<typeof all> = [1, 2, 3, 4, 5, 6, 7];
  let made = all(...values);
  for (let at = 0; at < 7; at++) {
    values[at] = 'other';
    assert.equal(all(...values), ++made);
    assert.equal(all(...values), made);
  }
});

it('what throws is asked again, and what was made before stays', () => {
  let calls = 0;
  const half = lastMade((value: number) => {
    calls += 1;
    if (value % 2 === 1) throw new Error('odd');
    return value / 2;
  });
  assert.equal(half(4), 2);
  for (let time = 0; time < 2; time++) assert.throws(() => half(3), /odd/);
  assert.equal(half(4), 2);
  assert.equal(calls, 3);
});
