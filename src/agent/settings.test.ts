// The settings that the tool server reads from its environment.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { agentSettings } from './settings.ts';

test('[TOOLS-04] a token that comes from a file loses its final line break', () => {
  const variables = { IONOS_TOKEN: 'eyJ\n', IONOS_API_URL: ' http://localhost:7070\n' };
  assert.deepEqual(agentSettings({}, variables).access, { apiUrl: 'http://localhost:7070', token: 'eyJ' });
  assert.deepEqual(agentSettings({}, { IONOS_TOKEN: '\n' }).access, { apiUrl: undefined, token: undefined });
});
