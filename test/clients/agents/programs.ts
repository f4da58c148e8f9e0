// The programs that push and query metrics: Debian's packages, unpacked into the user's cache folder without
// being installed, and programs that are built from Go modules. Each is built or unpacked once for all suites.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { debian } from '../debian.ts';
import { type Absent, cache, type Found, find, once } from '../install.ts';
import { mustRun } from '../run.ts';

// Building takes minutes per agent: only in a full run, or if an earlier build exists.
const onlyFull = 'is built in a full run only (--full)';

export const prometheus = (): Promise<Found | Absent> => debian('CUMULET_PROMETHEUS', 'prometheus', 'prometheus');
export const promtool = (): Promise<Found | Absent> => debian('CUMULET_PROMTOOL', 'prometheus', 'promtool');
export const victoriaMetrics = (): Promise<Found | Absent> =>
  debian('CUMULET_VICTORIA_METRICS', 'victoria-metrics', 'victoria-metrics');
export const vmagent = (): Promise<Found | Absent> => debian('CUMULET_VMAGENT', 'victoria-metrics', 'vmagent');

const prometheusModule = 'github.com/prometheus/prometheus@v0.315.0'; // Prometheus 3.15

// Without service discovery, its largest part, and without its pages.
export const prometheus3 = (): Promise<Found | Absent> => ofModule('CUMULET_PROMETHEUS3', 'prometheus');
export const promtool3 = (): Promise<Found | Absent> => ofModule('CUMULET_PROMTOOL3', 'promtool');

async function ofModule(setting: string, program: string): Promise<Found | Absent> {
  const given = process.env[setting];
  if (given) return find(setting);
  const go = find('CUMULET_GO', 'go');
  if (!go.path) return go;
  const folder = join(cache, `${prometheusModule.replaceAll(/[/@]/g, '-')}-${process.arch}-${program}`);
  const path = join(folder, program);
  await once(folder, async () => {
    const { stdout } = await mustRun([go.path, 'mod', 'download', '-json', prometheusModule], {
      cwd: folder,
      limitMs: limits.build,
    });
    const { Dir } = JSON.parse(stdout) as { Dir: string };
    await build(go.path, Dir, path, `./cmd/${program}`);
  });
  return { path };
}

export const collector = (): Promise<Found | Absent> => goAgent('CUMULET_OTEL_COLLECTOR', 'go-collector');
export const telegraf = (): Promise<Found | Absent> => goAgent('CUMULET_TELEGRAF', 'go-telegraf');

// Our own program that is composed of the modules of an agent.
async function goAgent(setting: string, name: string): Promise<Found | Absent> {
  if (process.env[setting]) return find(setting);
  const go = find('CUMULET_GO', 'go');
  if (!go.path) return go;
  const sources = join(import.meta.dirname, name);
  const hash = createHash('sha256');
  for (const file of globSync('*', { cwd: sources }).sort()) hash.update(readFileSync(join(sources, file)));
  const folder = join(cache, `${name}-${hash.digest('hex').slice(0, 16)}`);
  const path = join(folder, name);
  if (!isFull && !existsSync(join(folder, 'installed'))) return { skip: `${name} ${onlyFull}` };
  await once(folder, () => build(go.path, sources, path, '.'));
  return { path };
}

async function build(go: string, sources: string, path: string, what: string): Promise<void> {
  const fresh = `${path}.${process.pid}`;
  const flags = ['-tags', 'remove_all_sd', '-trimpath', '-buildvcs=false', '-ldflags', '-s -w'];
  await mustRun([go, 'build', ...flags, '-o', fresh, what], {
    cwd: sources,
    env: { CGO_ENABLED: '0', GOWORK: 'off' },
    limitMs: limits.build,
  });
  renameSync(fresh, path);
}
