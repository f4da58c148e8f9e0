// A Docker Engine for tests, from Debian's packages, in separate network, mount and process namespaces: the machine's
// own Docker sees nothing of it, and all of it ends with the test process. Its image of Debian is built once, from
// packages too.
import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { buildDebian, loadImage } from '../../../src/testing/black-box/machines.ts';
import { limits } from '../../../src/testing/limits.ts';
import { until } from '../../../src/testing/waiting.ts';
import { debianTree } from '../../clients/debian.ts';
import { type Absent, cache, isInstalled, notBuilt, once } from '../../clients/install.ts';

const run = promisify(execFile);

export interface DockerEngine {
  skip?: undefined;
  socket: string;
  setting: string; // of --machines
  env: Record<string, string>; // of the command `docker`, for this engine
  docker(...args: string[]): Promise<string>; // runs that command
  onHost: readonly string[]; // in front of a command: it runs in the network of the engine's host
  stop(): Promise<void>; // as if the engine had died
}

const packages = [
  ...['docker.io', 'containerd', 'runc', 'tini', 'iptables', 'libip4tc2', 'libip6tc2', 'libxtables12', 'libmnl0'],
  ...['libnftnl11', 'libnetfilter-conntrack3', 'libnfnetlink0', 'libdevmapper1.02.1', 'libsystemd0'],
];

// The cgroups of the machine are bound under a fresh sysfs, which belongs to the new network namespace. The processes
// end when standard input does.
const script = `
mkdir -p "$1/cgroups"
ip link set lo up
mount --rbind /sys/fs/cgroup "$1/cgroups"
mount -t sysfs sysfs /sys
mount --rbind "$1/cgroups" /sys/fs/cgroup
dockerd --data-root "$1/data" --exec-root "$1/exec" --pidfile "$1/pid" --host "unix://$1/docker.sock" \\
  --storage-driver overlay2 --exec-opt native.cgroupdriver=cgroupfs --bip 10.55.0.1/24 --iptables=false --ip6tables=false \\
  >"$1/log" 2>&1 </dev/null &
cat >/dev/null
kill %1
wait
`;

let shared: Promise<DockerEngine | Absent> | undefined;

// One for all tests of this process.
export const dockerEngine = (): Promise<DockerEngine | Absent> => (shared ??= startDocker());

export async function startDocker(): Promise<DockerEngine | Absent> {
  const parts = await dockerParts();
  if (parts.skip !== undefined) return parts;
  const engine = await started(parts.tree);
  await loadImage(engine.socket, parts.image, ['debian:latest', 'debian:12']);
  return engine;
}

// The programs of the engine and the image of Debian, which are built once for a machine.
export async function dockerParts(): Promise<{ tree: string; image: string; skip?: undefined } | Absent> {
  if (process.platform !== 'linux') return { skip: 'a separate Docker Engine needs Linux' };
  if (process.getuid?.() !== 0) return { skip: 'a separate Docker Engine needs root' };
  const tree = await debianTree('docker', packages);
  if (tree.skip !== undefined) return tree;
  const image = await debianImage();
  return 'skip' in image ? image : { tree: tree.path, image: image.archive };
}

// Built again when the way it is built has changed.
async function debianImage(): Promise<{ archive: string } | Absent> {
  const sources = globSync('src/compute/machine/docker/{build-debian,image-scripts}.ts', { cwd: root }).sort();
  const hash = createHash('sha256');
  for (const file of sources) hash.update(readFileSync(join(root, file)));
  const folder = join(cache, `machine-image-${hash.digest('hex').slice(0, 16)}-${process.arch}`);
  if (notBuilt && !isInstalled(folder)) return notBuilt;
  await once(folder, async () => {
    await buildDebian(folder, () => undefined);
  });
  return { archive: globSync('debian-*.tar', { cwd: folder }).map((name) => join(folder, name))[0] ?? '' };
}

const root = join(import.meta.dirname, '../../..');

async function started(tree: string): Promise<DockerEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-docker-'));
  mkdirSync(join(folder, 'data'));
  const libraries = globSync('{usr/,}lib/*-linux-gnu/', { cwd: tree }).map((one) => join(tree, one));
  const programs = globSync('{usr/,}{bin,sbin}', { cwd: tree }).map((one) => join(tree, one));
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: libraries.join(delimiter),
    PATH: [...programs, process.env.PATH].join(delimiter),
  };
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', '--propagation', 'slave'];
  const child = spawn('unshare', [...namespaces, 'bash', '-c', script, 'docker', folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
    env,
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const socket = join(folder, 'docker.sock');
  const clientEnv = { ...env, DOCKER_HOST: `unix://${socket}` } as Record<string, string>;
  const docker = async (...args: string[]): Promise<string> => {
    const { stdout } = await run('docker', args, { env: clientEnv });
    return stdout.trim();
  };
  let isEnding = false;
  const stop = async (): Promise<void> => {
    if (isEnding) return ended;
    isEnding = true;
    const all = await docker('ps', '-aq').catch(() => '');
    if (all !== '') await docker('rm', '-f', ...all.split('\n')).catch(() => undefined);
    child.stdin.end();
    const late = setTimeout(() => child.kill('SIGKILL'), stopMs);
    await ended;
    clearTimeout(late);
    rmSync(folder, { recursive: true, force: true });
  };
  // The test process may end first: then the namespaces end with the pipe, or with the process that created them.
  child.unref();
  (child.stdin as Socket).unref();
  process.once('exit', () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  const looks = { limitMs: limits.agent, everyMs: 100 };
  const isUp = (): Promise<boolean> =>
    docker('version').then(
      () => true,
      () => child.exitCode !== null,
    );
  await until('the Docker Engine answers', isUp, undefined, looks);
  if (child.exitCode !== null)
    throw new Error(`the Docker Engine ended:\n${readFileSync(join(folder, 'log'), 'utf8')}`);
  const onHost = ['nsenter', `--net=/proc/${child.pid}/ns/net`];
  return { socket, setting: `docker+unix://${socket}`, env: clientEnv, docker, onHost, stop };
}

const stopMs = 5000;
