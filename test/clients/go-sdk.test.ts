// The Go SDK (github.com/ionos-cloud/sdk-go/v6), in a small program of ours, against a fresh region.
import { join } from 'node:path';
import { test } from 'node:test';
import { startRegion } from '../region.ts';
import { brokenFlow, flow } from './flow.ts';
import { find, goProgram } from './install.ts';
import { byProxy, directly, workFolder } from './run.ts';

const go = find('CUMULET_GO', 'go');

test('Go SDK', { skip: go.skip ?? false }, async (t) => {
  const program = { command: [await goProgram(go.path as string, join(import.meta.dirname, 'go-sdk'))] };
  await using region = await startRegion({ args: ['--pace', '20'] });
  const direct = directly(region);
  await flow(t, program, region, [direct, await byProxy(region, workFolder(t))]);
  await brokenFlow(t, program, region, direct);
});
