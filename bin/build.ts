// Makes dist/ for the npm package (run at prepack): Node strips no types below node_modules, so the package
// ships plain JavaScript. What runs from dist/ must find its files where it finds them in src/.
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bundle } from '../src/console/bundle.ts';
import { builtName } from '../src/console/web-app.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
compile();
declare();
for (const asset of globSync('**/*.{json,html,css,js,svg}', { cwd: join(root, 'src') })) {
  cpSync(join(root, 'src', asset), join(dist, asset));
}
for (const file of globSync('**/*.js', { cwd: dist })) renameUrls(join(dist, file));
writeFileSync(join(dist, 'console', builtName), JSON.stringify((await bundle(join(root, 'console'), false)).files));

// The one module that others import.
function declare(): void {
  const source = join(root, 'src/kit/index.ts');
  const how = ['--declaration', '--emitDeclarationOnly', '--outDir', join(dist, 'kit'), '--ignoreConfig'];
  const target = ['--target', 'esnext', '--module', 'nodenext', '--types', 'node', '--skipLibCheck'];
  run([source, ...how, ...target]);
}

function compile(): void {
  run(['-p', join(root, 'tsconfig.build.json')]);
}

function run(args: string[]): void {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  // Standard output belongs to npm, which prints the tarball's name there.
  const stdio: ['ignore', 2, 2] = ['ignore', 2, 2];
  const { status } = spawnSync(process.execPath, [tsc, ...args], { stdio });
  if (status !== 0) process.exit(status ?? 1);
}

// tsc renames what is imported, but not what a worker or child process is started from by its URL.
function renameUrls(file: string): void {
  const text = readFileSync(file, 'utf8');
  const renamed = text.replace(/(new URL\(\s*['"`]\.{1,2}\/[\w./-]+)\.ts(['"`],\s*import\.meta\.url)/g, '$1.js$2');
  if (renamed !== text) writeFileSync(file, renamed);
}
