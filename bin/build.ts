// Creates dist/ for the npm package (run at prepack): the bundle, and the types of the kit that test suites import.
import { spawnSync } from 'node:child_process';

import { join } from 'node:path';
import { bundleIfStale } from './bundle.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

await bundleIfStale();
declareKit();

function declareKit(): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const how = ['--declaration', '--emitDeclarationOnly', '--outDir', join(dist, 'kit'), '--ignoreConfig'];
  const target = ['--target', 'esnext', '--module', 'nodenext', '--types', 'node', '--skipLibCheck'];
  // Standard output belongs to npm, which prints the tarball's name there.
  const stdio: ['ignore', 2, 2] = ['ignore', 2, 2];
  const { status } = spawnSync(process.execPath, [tsc, join(root, 'src/kit/index.ts'), ...how, ...target], { stdio });
  if (status !== 0) process.exit(status ?? 1);
}
