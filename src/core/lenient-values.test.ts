// What clients of the core API send in other forms.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lenient } from './lenient-values.ts';
import { check, flag, integer, list, shape, text } from './schema.ts';

const properties = {
  lan: integer({ min: 1 }),
  name: text({}),
  type: text({ oneOf: ['FORWARD', 'STATIC'] }),
  targets: list(shape({ port: integer(), weight: integer({ words: { auto: 0 } }), isOn: flag() })),
};

it('numbers that come as texts and listed words in any case are understood, wherever they are', () => {
  const sent = { lan: '1', name: '7', type: 'static', targets: [{ port: '80', weight: 'auto', isOn: true }] };
  assert.deepEqual(lenient(properties, sent), {
    lan: 1,
    name: '7',
    type: 'STATIC',
    targets: [{ port: 80, weight: 'auto', isOn: true }],
  });
});

it('a value that needs no change is the same object', () => {
  const sent = { lan: 1, name: 'one', type: 'STATIC', targets: [{ port: 80 }] };
  assert.equal(lenient(properties, sent), sent);
});

it('everything else is left for the check to refuse', () => {
  for (const lan of ['', ' 1', '1e3', '0x1', 'one', '1'.repeat(16), [], null]) {
    const sent = { lan };
    assert.equal(lenient(properties, sent), sent);
  }
});

it('a PUT that keeps omitted properties, and one that does not', () => {
  const before = { lan: 2, name: 'kept', type: 'STATIC', targets: [] };
  assert.equal(check(properties, { lan: 3 }, 'update', '(root)', before).values.name, 'kept');
  assert.equal(check(properties, { lan: 3 }, 'replace', '(root)', before).values.name, null);
});
