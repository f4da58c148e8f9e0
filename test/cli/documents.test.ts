// The README's tour and the tutorial, run as a reader runs them.
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { limits } from '../../src/testing/limits.ts';
import { find } from '../clients/install.ts';
import { walkThrough } from './documents.ts';

const missing = ['bash', 'curl', 'jq'].filter((one) => spawnSync(one, ['--version']).error);
const skip = missing.length > 0 ? `${missing.join(' and ')} is not on PATH` : false;

const clients = ['ionosctl', 'aws'].filter((name) => find(`CUMULET_${name.toUpperCase()}`, name).path);

for (const path of ['README.md', 'docs/tutorial.md'])
  test(`the commands of ${path} work and print what it shows`, { skip }, () =>
    walkThrough(path, { needs: ['seed', ...clients], limitMs: limits.clientSuite }),
  );
