// What is kept of an answer for the next one, and what is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Values } from '../../base/json.ts';
import { byUuid, type Resource } from '../../core/resource.ts';
import { rowOf } from '../../core/state/engine.ts';
import { one, type View } from './envelope.ts';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const view = {
  base: 'http://x/cloudapi/v6',
  model: { children: () => [], desk: () => ({}) },
  busy: () => false,
} as unknown as View;

const resources: Resource[] = []; // those of a region stay, too

const drawn = (derive: () => Values, secret: boolean): string => {
  const properties = { key: { secret } };
  const known = { name: 'thing', type: 'thing', ids: byUuid, metadata: 'none', entities: [] };
  const resource = { ...known, properties, derive } as unknown as Resource;
  resources.push(resource);
  const row = rowOf({ contract: 1, place: 'things', id: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', body: '{"a":1}' });
  return [0, 1, 2].map(() => String(one(view, resource, row, 0))).at(-1) as string;
};

test('what is derived stands behind what is kept, and changes with it', () => {
  const list = [1, 2];
  let n = 0;
  const text = drawn(() => ({ version: n++, list }), false);
  assert.deepEqual(JSON.parse(text).properties, { a: 1, version: 2, list: [1, 2] });
});

for (const [what, secret] of [
  ['what is a secret', true],
  ['an object that nobody else has', false],
] as const)
  test(`${what} is not kept once it is drawn`, async () => {
    const made: WeakRef<object>[] = [];
    const text = drawn(() => {
      const values = secret ? { key: 'secret' } : { key: ['much'] };
      made.push(new WeakRef(values));
      return values;
    }, secret);
    assert.deepEqual(JSON.parse(text).properties, { a: 1, key: secret ? 'secret' : ['much'] });
    await new Promise(setImmediate); // until then a WeakRef holds what it was made for
    collect();
    assert.deepEqual(
      made.map((one) => one.deref()),
      [undefined, undefined, undefined],
    );
  });
