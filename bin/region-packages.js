// Writes the package.json and package-lock.json of what a region needs into a folder, for `npm ci` there: all but the
// tools of tests and benches, and the pinned Node only `--with-node`. Versions and checksums are those of the lockfile.
// Plain JavaScript, because any Node from 20 on runs it (see ./cumulet).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder = '', option] = process.argv.slice(2);
const root = join(import.meta.dirname, '..');
const { name, version, dependencies, optionalDependencies } = read('package.json');
const { lockfileVersion, packages } = read('package-lock.json');

const isNode = (path) => /^node_modules\/node-(linux|win|darwin)-/.test(path);
const isNeeded = ([path, { dev }]) => (isNode(path) ? option === '--with-node' : !dev);

const manifest = {
  name,
  version,
  dependencies,
  ...(option === '--with-node' ? { optionalDependencies } : {}),
};
const chosen = Object.fromEntries(Object.entries(packages).filter(isNeeded));

mkdirSync(folder, { recursive: true });
write('package.json', { private: true, ...manifest });
write('package-lock.json', { name, version, lockfileVersion, packages: { ...chosen, '': manifest } });

function read(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

function write(file, value) {
  writeFileSync(join(folder, file), `${JSON.stringify(value, null, 2)}\n`);
}
