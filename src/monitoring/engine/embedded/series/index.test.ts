// Compares the reader's index with a plain search of every series.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Chance, chanceOf, isFull } from '../../../../testing/seed.ts';
import { matcherTest } from '../../../promql/matcher-test.ts';
import type { Labels, Matcher, MatchOp } from '../../../series.ts';
import { SeriesIndex } from './index.ts';
import { packLabels } from './label-coding.ts';

const names = ['__name__', 'a', 'b', 'c'];
const patterns = ['', '.*', '.+', '1', '1|2|', '[0-4]', '1.*', 'nobody'];

const labelsOf = (chance: Chance): Labels =>
  names.flatMap((name) => (chance.often(70) ? [[name, String(chance.below(12))] as const] : []));

function matcherOf(chance: Chance): Matcher {
  const op = chance.one<MatchOp>(['=', '!=', '=~', '!~']);
  const name = chance.one([...names, 'none']);
  return { name, op, value: op.endsWith('~') ? chance.one(patterns) : chance.one(['', '1', '7', 'nobody']) };
}

const labelValue = (labels: Labels, name: string): string => labels.find(([label]) => label === name)?.[1] ?? '';

describe('the index of series', () => {
  it('selects the same series as a plain search', (t) => {
    const chance = chanceOf(t);
    for (let round = 0; round < (isFull ? 100 : 10); round++) {
      const index = new SeriesIndex(matcherTest);
      const all = Array.from({ length: chance.below(400) }, () => labelsOf(chance));
      for (const [at, labels] of all.entries()) index.add(at * 2 + 1, packLabels(labels));
      for (let questions = 0; questions < 100; questions++) {
        const matchers = Array.from({ length: chance.below(4) }, () => matcherOf(chance));
        const expected = [...all.keys()].filter((at) =>
          matchers.every((matcher) => matcherTest(matcher)(labelValue(all[at] as Labels, matcher.name))),
        );
        const series = index.match(matchers);
        assert.deepEqual([...series], expected, JSON.stringify(matchers));
        const name = chance.one(names);
        const values = new Set(expected.map((at) => labelValue(all[at] as Labels, name)));
        values.delete('');
        assert.deepEqual(index.values(name, series), [...values].sort());
      }
      for (const [at, labels] of all.entries()) {
        assert.deepEqual(index.labels(at), labels);
        assert.equal(index.idOf(at), at * 2 + 1);
      }
    }
  });

  it('labels of any length and letters are packed and restored', () => {
    const index = new SeriesIndex(matcherTest);
    const labels: Labels = [
      ['__name__', 'ä'.repeat(50)],
      ['a', 'x'.repeat(200)],
      ['b', '\u{1f600}'.repeat(40)],
      ['c', `${'y'.repeat(20_000)}\0"\n`],
    ];
    index.add(1, packLabels(labels));
    index.add(2, packLabels([['__name__', 'short']]));
    assert.deepEqual(index.labels(0), labels);
    assert.deepEqual(index.labels(1), [['__name__', 'short']]);
  });

  it('many series take little memory', { skip: isFull ? false : 'a million of them: only with --full' }, () => {
    const { gc } = globalThis;
    const before = process.memoryUsage();
    const index = new SeriesIndex(matcherTest);
    for (let at = 0; at < 1_000_000; at++) {
      const labels: Labels = [
        ['__name__', 'http_requests_total'],
        ['instance', `10.0.0.${at % 50}:9100`],
        ['job', 'node'],
        ['method', at % 2 ? 'GET' : 'POST'],
        ['path', `/api/v1/resource/${at}`],
        ['status', String(200 + (at % 5))],
      ];
      index.add(at + 1, packLabels(labels));
    }
    gc?.();
    const after = process.memoryUsage();
    const used = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
    assert.ok(used < 250e6, `${Math.round(used / 1e6)} MB`);
    assert.equal(index.match([{ name: 'path', op: '=', value: '/api/v1/resource/77' }]).length, 1);
  });
});
