// Every API that the broker reports to clients has a handler.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { apis } from '../wire/apis.ts';
import { routes } from './routes.ts';

test('each API of the tables has a handler', () => {
  assert.deepEqual([...routes.keys()].toSorted(), [...apis.keys()].toSorted());
});
