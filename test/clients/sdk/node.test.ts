// The Node SDK (npm `@ionos-cloud/sdk-nodejs`), in a separate process, against a fresh region.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startRegion } from '../../harness/region.ts';
import { mustRun, wayTo, workFolder } from '../run.ts';
import { flow } from './flow/flow.ts';

test('Node SDK', async (t) => {
  await using region = await startRegion({ args: ['--pace', '20'] });
  await flow(t, [process.execPath, '--no-warnings', join(import.meta.dirname, 'node/main.ts')], region);
});

// The SDK asks its proxy for https: addresses in the clear; Node itself opens a tunnel and checks the certificate.
test('[GEN-02] fetch of Node by CONNECT', async (t) => {
  await using region = await startRegion();
  const { env, origin } = await wayTo(region, 'proxy', workFolder(t));
  const source = `
    const headers = { authorization: 'Bearer ' + process.env.IONOS_TOKEN };
    const answer = await fetch('${origin}/cloudapi/v6/', { headers });
    console.log(answer.status, (await answer.json()).href);`;
  const { stdout } = await mustRun([process.execPath, '--input-type=module', '--eval', source], { env });
  assert.equal(stdout.trim(), `200 ${origin}/cloudapi/v6/`);
});
