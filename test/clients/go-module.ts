// Programs that are built in the folder of their Go module, because `go install` refuses modules that replace others.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../src/testing/limits.ts';
import { isFull } from '../../src/testing/seed.ts';
import { type Absent, cache, type Found, find, once } from './install.ts';
import { mustRun } from './run.ts';

// Building takes minutes: only in a full run, or if an earlier build exists.
export async function ofModule(
  setting: string,
  module: string,
  program: string,
  what: string,
): Promise<Found | Absent> {
  if (process.env[setting]) return find(setting);
  const go = find('CUMULET_GO', 'go');
  if (!go.path) return go;
  const folder = join(cache, `${module.replaceAll(/[/@]/g, '-')}-${process.arch}-${program}`);
  const path = join(folder, program);
  if (!isFull && !existsSync(join(folder, 'installed')))
    return { skip: `${program} is built in a full run only (--full)` };
  await once(folder, async () => {
    const { stdout } = await mustRun([go.path, 'mod', 'download', '-json', module], {
      cwd: folder,
      limitMs: limits.build,
    });
    const { Dir } = JSON.parse(stdout) as { Dir: string };
    const fresh = `${path}.${process.pid}`;
    const flags = [...ownModuleFile(Dir, folder), '-trimpath', '-buildvcs=false', '-ldflags', '-s -w'];
    const env = { CGO_ENABLED: '0', GOWORK: 'off' };
    await mustRun([go.path, 'build', ...flags, '-o', fresh, what], { cwd: Dir, env, limitMs: limits.build });
    renameSync(fresh, path);
  });
  return { path };
}

// In the module's own folder its `replace` lines apply. Those that point into its repository do not: a module's archive
// does not have the modules below it, so the versions that it requires of them are taken.
function ownModuleFile(sources: string, folder: string): string[] {
  const text = readFileSync(join(sources, 'go.mod'), 'utf8');
  const kept = text.replaceAll(/^replace \S+ => \.\/.*$/gm, '');
  if (kept === text) return [];
  writeFileSync(join(folder, 'go.mod'), kept);
  writeFileSync(join(folder, 'go.sum'), readFileSync(join(sources, 'go.sum')));
  return ['-mod=mod', `-modfile=${join(folder, 'go.mod')}`];
}
