// The Node SDK (npm `@ionos-cloud/sdk-nodejs`), in a process of its own, against a fresh region.
import { join } from 'node:path';
import { test } from 'node:test';
import { startRegion } from '../region.ts';
import { brokenFlow, flow } from './flow.ts';
import { byProxy, directly, workFolder } from './run.ts';

test('Node SDK', async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  const program = { command: [process.execPath, '--no-warnings', join(import.meta.dirname, 'node-sdk/main.ts')] };
  const direct = directly(region);
  await flow(t, program, region, [direct, await byProxy(region, workFolder(t))]);
  await brokenFlow(t, program, region, direct);
});
