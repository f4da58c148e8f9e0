// SmolLM2 and MiniLM, downloaded by `cumulet models pull` into the user's cache folder, once for all suites.
import { join } from 'node:path';
import { limits } from '../../../src/testing/limits.ts';
import { cumulet } from '../../harness/process.ts';
import type { Region } from '../../harness/region.ts';
import { type Absent, cache, type Found, find, once } from '../install.ts';
import { mustRun, run } from '../run.ts';

const main = join(import.meta.dirname, '../../../bin/start.cjs');

export async function smollm2(): Promise<Found | Absent> {
  const python = find('CUMULET_PYTHON', 'python3');
  if (!python.path) return python;
  const { code } = await run([python.path, '-m', 'pip', '--version']);
  if (code !== 0) return { skip: 'Python has no pip' };
  const path = join(cache, 'smollm2');
  await once(path, async () => {
    await mustRun([process.execPath, main, 'models', 'pull', 'smollm2', '--data', path], { limitMs: limits.install });
  });
  return { path };
}

// Registers the models in a region, with the command for users.
export async function answeredBySmolLm2(region: Region): Promise<void> {
  const { code, stderr } = await cumulet(['models', 'pull', 'smollm2', '--data', region.data]);
  if (code !== 0) throw new Error(stderr);
}
