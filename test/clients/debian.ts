// Programs from Debian's packages, unpacked into the user's cache folder without being installed.
import { hash } from 'node:crypto';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { limits } from '../../src/testing/limits.ts';
import { type Absent, cache, type Found, find, isInstalled, notBuilt, once } from './install.ts';
import { mustRun, run } from './run.ts';

// Some packages do not contain the program's own name: victoria-metrics may be `victoria-metrics-prod`. With packages
// of libraries, a script starts the program with their paths.
export async function debian(
  setting: string,
  name: string,
  program: string,
  libraries: string[] = [],
): Promise<Found | Absent> {
  if (notBuilt) return notBuilt;
  const found = find(setting, program);
  if (found.path || process.env[setting]) return found;
  const [apt, dpkg] = [find('CUMULET_APT', 'apt-get'), find('CUMULET_DPKG', 'dpkg-deb')];
  if (!apt.path || !dpkg.path) return { skip: `${found.skip}; and apt-get is not available to fetch it` };
  const folder = join(cache, `debian-${name}-${process.arch}`);
  await once(folder, async () => {
    for (const one of [name, ...libraries]) await unpack(apt.path, dpkg.path, one, folder);
  });
  const path = globSync(`usr/{bin,sbin}/${program}`, { cwd: folder })[0];
  if (!path) return { skip: `Debian's package ${name} has no ${program}` };
  return { path: libraries.length > 0 ? scriptFor(folder, path) : join(folder, path) };
}

// The root of a tree with these packages unpacked, for programs that work together.
export async function debianTree(name: string, packages: readonly string[]): Promise<Found | Absent> {
  const folder = join(cache, `debian-${name}-${hash('sha256', packages.join(' ')).slice(0, 8)}-${process.arch}`);
  if (notBuilt && !isInstalled(folder)) return notBuilt;
  const [apt, dpkg] = [find('CUMULET_APT', 'apt-get'), find('CUMULET_DPKG', 'dpkg-deb')];
  if (!isInstalled(folder)) {
    if (!apt.path || !dpkg.path) return { skip: `${name} needs apt-get and dpkg-deb to be unpacked` };
    await once(folder, async () => {
      for (const one of packages) await unpack(apt.path, dpkg.path, one, folder);
    });
  }
  return { path: folder };
}

function scriptFor(folder: string, path: string): string {
  const places = globSync('{usr/,}lib/*/', { cwd: folder }).map((one) => join(folder, one));
  const script = join(folder, `start-${basename(path)}`);
  const text = `#!/bin/sh\nLD_LIBRARY_PATH='${places.join(':')}' exec '${join(folder, path)}' "$@"\n`;
  writeFileSync(script, text, { mode: 0o755 });
  return script;
}

// The package lists may be missing, and only root may update those of the machine, so they are downloaded separately.
async function unpack(apt: string, dpkg: string, name: string, folder: string): Promise<void> {
  const options = { cwd: folder, limitMs: limits.install, env: { DEBIAN_FRONTEND: 'noninteractive' } };
  const { code } = await run([apt, '-q', 'download', name], options);
  if (code !== 0) {
    for (const part of ['state/lists/partial', 'cache/archives/partial'])
      mkdirSync(join(folder, part), { recursive: true });
    const own = ['-q', '-o', `Dir::State=${join(folder, 'state')}`, '-o', `Dir::Cache=${join(folder, 'cache')}`];
    await mustRun([apt, ...own, 'update'], options);
    await mustRun([apt, ...own, 'download', name], options);
  }
  for (const file of globSync(`${name}_*.deb`, { cwd: folder })) await mustRun([dpkg, '-x', file, folder], options);
}
