// The Go SDK (github.com/ionos-cloud/sdk-go/v6), in a small program of ours, against a fresh region.
import { join } from 'node:path';
import { test } from 'node:test';
import { startRegion } from '../region.ts';
import { flow } from './flow.ts';
import { find, goProgram } from './install.ts';

const go = find('CUMULET_GO', 'go');

test('Go SDK', { skip: go.skip ?? false }, async (t) => {
  const program = await goProgram(go.path as string, join(import.meta.dirname, 'go-sdk'));
  await using region = await startRegion({ args: ['--pace', '20'] });
  await flow(t, [program], region);
});
