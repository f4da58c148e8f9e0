// The Go SDK (github.com/ionos-cloud/sdk-go/v6), in a small program, against a fresh region.
import { join } from 'node:path';
import { test } from 'node:test';
import { startRegion } from '../../harness/region.ts';
import { find, goProgram } from '../install.ts';
import { flow } from './flow/flow.ts';

const go = find('CUMULET_GO', 'go');

test('Go SDK', { skip: go.skip ?? false }, async (t) => {
  const program = await goProgram(go.path as string, join(import.meta.dirname, 'go'));
  await using region = await startRegion({ args: ['--pace', '20'] });
  await flow(t, [program], region);
});
