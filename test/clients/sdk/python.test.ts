// The Python SDK (PyPI `ionoscloud`), run for real against a fresh region.
import { join } from 'node:path';
import { test } from 'node:test';
import { startRegion } from '../../harness/region.ts';
import { find, pythonWith } from '../install.ts';
import { flow } from './flow/flow.ts';

const python = find('CUMULET_PYTHON', 'python3');

test('Python SDK', { skip: python.skip ?? false }, async (t) => {
  const interpreter = await pythonWith(python.path as string, 'ionoscloud');
  await using region = await startRegion({ args: ['--pace', '20'] });
  await flow(t, [interpreter, '-B', join(import.meta.dirname, 'python/main.py')], region);
});
