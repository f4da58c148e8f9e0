// The Python SDK (PyPI `ionoscloud`), run for real against a fresh region.
import { join } from 'node:path';
import { test } from 'node:test';
import { startRegion } from '../region.ts';
import { brokenFlow, flow, type Program } from './flow.ts';
import { find, pythonWith } from './install.ts';
import { byProxy, directly, workFolder } from './run.ts';

const python = find('CUMULET_PYTHON', 'python3');

test('Python SDK', { skip: python.skip ?? false }, async (t) => {
  const interpreter = await pythonWith(python.path as string, 'ionoscloud', '6.1.13');
  await using region = await startRegion({ args: ['--pace', '20'] });
  const program: Program = {
    command: [interpreter, '-B', join(import.meta.dirname, 'python-sdk/main.py')],
    env: (way) => ({ IONOS_HTTP_PROXY: way.env.HTTPS_PROXY ?? '' }), // the only name it reads
  };
  const direct = directly(region);
  await flow(t, program, region, [direct, await byProxy(region, workFolder(t))]);
  await brokenFlow(t, program, region, direct);
});
