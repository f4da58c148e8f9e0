// The power actions that the console offers, and the texts of states.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { powerObstacles } from '../../../console/compute/server/power.ts';
import { stateText } from '../../../console/resources/words.ts';

const offered = (type: string, vmState: string): string[] =>
  Object.entries(powerObstacles)
    .filter(([, obstacle]) => obstacle({ id: 'S', properties: { type, vmState } }) === undefined)
    .map(([operation]) => operation);

test('a server offers only power actions that change it', () => {
  assert.deepEqual(offered('ENTERPRISE', 'RUNNING'), ['server_stop']);
  assert.deepEqual(offered('VCPU', 'SHUTOFF'), ['server_start']);
  assert.deepEqual(offered('ENTERPRISE', 'CRASHED'), ['server_start', 'server_stop']);
  assert.deepEqual(offered('CUBE', 'RUNNING'), ['server_suspend']);
  assert.deepEqual(offered('CUBE', 'SUSPENDED'), ['server_resume']);
});

test('states are shown in readable case', () => {
  const texts = ['RUNNING', 'SHUTOFF', 'IN_PROGRESS', 'Stable', 'v1.30', ''].map(stateText);
  assert.deepEqual(texts, ['Running', 'Off', 'In progress', 'Stable', 'v1.30', '']);
});
