// Label blocks recognized by their bytes: never the wrong series, and never more memory than allowed.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { chanceOf } from '../../../../testing/seed.ts';
import { LabelCache } from './label-cache.ts';

let time = 0;
const created = (mostBytes = 1 << 20): LabelCache => new LabelCache({ mostBytes, seed: 1, now: () => time });
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function find(known: LabelCache, owner: number, text: string): number {
  const bytes = bytesOf(`..${text}...`);
  return known.find(owner, bytes, 2, bytes.length - 3);
}

function add(known: LabelCache, owner: number, id: number, text: string): void {
  const bytes = bytesOf(text);
  known.add(owner, id, bytes, 0, bytes.length);
}

describe('known label blocks', () => {
  it('give the same result as a map, in any order and in the usual one', (t) => {
    const chance = chanceOf(t);
    const known = created();
    const expected = new Map<string, number>();
    const texts = Array.from(
      { length: 3000 },
      (_, at) => `${'x'.repeat(chance.below(40))}${chance.below(5000)}.${at % 7}`,
    );
    for (let round = 0; round < 4; round++) {
      known.begin();
      for (const text of texts) {
        const owner = chance.below(3);
        assert.equal(find(known, owner, text), expected.get(`${owner} ${text}`) ?? 0);
        if (chance.often(30) && !expected.has(`${owner} ${text}`)) {
          expected.set(`${owner} ${text}`, expected.size + 1);
          add(known, owner, expected.size, text);
        }
      }
    }
    for (const [key, id] of expected) {
      const [owner = '', text = ''] = key.split(' ');
      assert.equal(find(known, Number(owner), text), id);
    }
    assert.equal(known.size, expected.size);
  });

  it('of another owner, shorter, longer or with another end are not confused', () => {
    const known = created();
    add(known, 1, 5, 'abcdefg');
    for (const other of ['abcdef', 'abcdefgh', 'abcdefh', 'bbcdefg', '']) assert.equal(find(known, 1, other), 0);
    assert.equal(find(known, 2, 'abcdefg'), 0);
    assert.equal(find(known, 1, 'abcdefg'), 5);
  });

  it('are forgotten with their series, and learned again', () => {
    const known = created();
    for (let id = 1; id <= 10; id++) add(known, 1, id, `series ${id}`);
    known.forget(1, (id) => id % 2 === 0);
    for (let id = 1; id <= 10; id++) assert.equal(find(known, 1, `series ${id}`), id % 2 === 0 ? 0 : id);
    add(known, 1, 12, 'series 2');
    assert.equal(find(known, 1, 'series 2'), 12);
  });

  it('stay within their memory: others are not cached, and after a while the cache is cleared', () => {
    const known = created(1000);
    for (let id = 1; id <= 500; id++) add(known, 1, id, `series number ${id}`);
    const { size } = known;
    assert.ok(size > 20 && size <= 1000 / 16);
    assert.equal(find(known, 1, 'series number 1'), 1);
    assert.equal(find(known, 1, 'series number 500'), 0);
    time += 3_600_000;
    add(known, 1, 500, 'series number 500');
    assert.equal(find(known, 1, 'series number 500'), 500);
    assert.equal(find(known, 1, 'series number 1'), 0);
    assert.equal(known.size, 1);
  });
});
