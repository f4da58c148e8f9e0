// How the core dialect shows one resource.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { byUuid, type Resource } from '../../core/resource.ts';
import { rowOf } from '../../core/state/engine.ts';
import { one, type View } from './envelope.ts';

const view = {
  base: 'http://x/cloudapi/v6',
  model: { children: () => [], context: () => ({}) },
  busy: () => false,
} as unknown as View;

test('derived properties follow the stored ones, and change with them', async () => {
  let version = 0;
  const shown = { type: 'widget', metadata: 'none' };
  const known = { name: 'widget', shown, ids: byUuid, entities: [], properties: {} };
  const resource = { ...known, derive: () => ({ version: version++, list: [1, 2] }) } as unknown as Resource;
  const row = rowOf({ contract: 1, place: 'widgets', id: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b', body: '{"a":1}' });
  for (const expected of [0, 1]) {
    const text = await one(view, resource, row, 0);
    assert.deepEqual(JSON.parse(text).properties, { a: 1, version: expected, list: [1, 2] });
  }
});
