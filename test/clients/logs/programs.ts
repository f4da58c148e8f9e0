// The log stores for comparisons, and Loki's command line: built from Go modules into the user's cache
// folder, once for all suites; and agents from Debian's packages.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { debian } from '../debian.ts';
import { type Absent, cache, type Found, find, once } from '../install.ts';
import { mustRun } from '../run.ts';

const lokiModule = 'github.com/grafana/loki/v3@v3.7.8';
const victoriaModule = 'github.com/VictoriaMetrics/VictoriaMetrics@v1.121.0'; // the last with VictoriaLogs in it

export const loki = (): Promise<Found | Absent> => ofModule('CUMULET_LOKI', lokiModule, 'loki', './cmd/loki');
export const logcli = (): Promise<Found | Absent> => ofModule('CUMULET_LOGCLI', lokiModule, 'logcli', './cmd/logcli');
export const victoriaLogs = (): Promise<Found | Absent> =>
  ofModule('CUMULET_VICTORIA_LOGS', victoriaModule, 'victoria-logs', './app/victoria-logs');

// With the libraries that some machines do not have.
const syslogNgLibraries = ['syslog-ng-mod-http', 'libivykis0', 'libnet1', 'libpcre3', 'libjson-c5', 'libwrap0'];
export const syslogNg = (): Promise<Found | Absent> =>
  debian('CUMULET_SYSLOG_NG', 'syslog-ng-core', 'syslog-ng', syslogNgLibraries);

// Building takes minutes: only in a full run, or if an earlier build exists.
async function ofModule(setting: string, module: string, program: string, what: string): Promise<Found | Absent> {
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
