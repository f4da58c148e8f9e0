// Installs outside clients on first use into the user's cache folder, outside the checkout, once for all suites that
// run side by side. A missing toolchain is a reason to skip; a failed installation is not.
import { createHash } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { homedir, userInfo } from 'node:os';
import { delimiter, join } from 'node:path';
import { limits } from '../../src/testing/limits.ts';
import { mustRun } from './run.ts';

export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'cumulet', 'clients');

export interface Found {
  path: string;
  skip?: undefined;
}
export interface Absent {
  path?: undefined;
  skip: string; // the reason, for the test's report
}

// Clients that are not on npm are built only in a full run, and for test files that are named.
const builds = process.env.CUMULET_TEST_CLIENTS !== 'npm';
const toolchain = /^CUMULET_(PYTHON|GO|JAVA|JAVAC|MAVEN|DPKG)$/;
export const notBuilt: Absent | undefined = builds ? undefined : { skip: 'runs with ./cumulet test --full' };

// A program that tests do not install: by its setting, else on PATH.
export function find(setting: string, ...names: string[]): Found | Absent {
  if (notBuilt && toolchain.test(setting)) return notBuilt;
  const given = process.env[setting];
  if (given) return isProgram(given) ? { path: given } : { skip: `${setting} is ${given}, which is not a program` };
  const folders = (process.env.PATH ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    const path = folders.map((folder) => join(folder, name)).find(isProgram);
    if (path) return { path };
  }
  return { skip: `${names.join(' or ')} is not on PATH, and ${setting} is not set` };
}

const pythonPackages = {
  'aiokafka[lz4,snappy,zstd]': '0.14.0',
  aiosmtpd: '1.4.6',
  'ansible-core': '2.19.14',
  awscli: '1.46.2',
  boto3: '1.44.0',
  'confluent-kafka': '2.16.1',
  'fluent-logger': '0.11.1',
  ionoscloud: '6.1.13',
  pytest: '9.0.2',
  mcp: '2.3.0',
  'kubernetes-validate': '1.37.0',
  'langchain-openai': '1.7.3',
  litellm: '1.106.2',
  'llama-index-llms-openai-like': '0.8.1',
  openai: '3.51.0',
  prometheus_client: '0.26.0',
  s3cmd: '2.4.0',
  schemathesis: '4.32.5',
};

// The interpreter of a virtual environment with one package.
export async function pythonWith(python: string, name: keyof typeof pythonPackages): Promise<string> {
  const version = pythonPackages[name];
  const found = await mustRun([python, '-c', 'import sys; print("%d.%d" % sys.version_info[:2])']);
  const folder = join(cache, `${name}-${version}-python${found.stdout.trim()}`);
  await once(folder, async () => {
    rmSync(folder, { recursive: true, force: true });
    await mustRun([python, '-m', 'venv', folder], { limitMs: limits.build });
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `${name}==${version}`];
    await mustRun([join(folder, 'bin/python'), ...pip], { limitMs: limits.build });
  });
  return join(folder, 'bin/python');
}

// Our own Go program, built again when one of its sources changes.
export async function goProgram(go: string, sources: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of globSync('*', { cwd: sources }).sort())
    hash.update(`${file}\0`).update(readFileSync(join(sources, file)));
  const folder = join(cache, `go-${hash.digest('hex').slice(0, 16)}`);
  const program = join(folder, 'program');
  await once(folder, async () => {
    const fresh = `${program}.${process.pid}`;
    await mustRun([go, 'build', '-trimpath', '-buildvcs=false', '-o', fresh, '.'], {
      cwd: sources,
      limitMs: limits.build,
    });
    renameSync(fresh, program);
  });
  return program;
}

// A program of a Go module that can be installed without changes.
export async function goModule(setting: string, module: string, program: string): Promise<Found | Absent> {
  if (notBuilt) return notBuilt;
  if (process.env[setting]) return find(setting);
  const go = find('CUMULET_GO', 'go');
  if (!go.path) return go;
  const folder = join(cache, `${module.replaceAll(/[/@]/g, '-')}-${process.arch}`);
  await once(folder, async () => {
    const env = { GOBIN: folder, CGO_ENABLED: '0' };
    await mustRun([go.path, 'install', '-trimpath', module], { cwd: folder, env, limitMs: limits.build });
  });
  return { path: join(folder, program) };
}

const npmVersions = { jest: '30.5.2', 'openapi-typescript': '7.13.0', vitest: '5.1.0' };

// The folder node_modules with one npm package, for packages that are too large for the tests' tools.
export async function npmPackages(name: keyof typeof npmVersions): Promise<string> {
  const folder = join(cache, `npm-${name}-${npmVersions[name]}`);
  await once(folder, async () => {
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    const install = ['npm', 'install', '--silent', '--no-audit', '--no-fund', `${name}@${npmVersions[name]}`];
    await mustRun(install, { cwd: folder, limitMs: limits.build });
  });
  return join(folder, 'node_modules');
}

// The first version that can run a region, as in ./cumulet.
export const firstNode = '24.15.0';

// Another version of Node than the pinned one, from npm.
export async function nodeOf(version: string): Promise<Found | Absent> {
  const name = `node-linux-${process.arch}@${version}`;
  const folder = join(cache, name.replace('@', '-'));
  try {
    await once(folder, async () => {
      await mustRun(['npm', 'pack', '--silent', name], { cwd: folder, limitMs: limits.build });
      const [tarball = ''] = globSync('*.tgz', { cwd: folder });
      await mustRun(['tar', '-xzf', tarball, '--strip-components=2', 'package/bin/node'], { cwd: folder });
      rmSync(join(folder, tarball));
    });
  } catch (error) {
    return { skip: `npm does not bring ${name}: ${(error as Error).message.trim().split('\n').at(-1)}` };
  }
  return { path: join(folder, 'node') };
}

// Installs into a folder once; other callers wait.
export async function once(folder: string, install: () => Promise<void>): Promise<void> {
  const done = join(folder, 'installed');
  if (isInstalled(folder)) return;
  const release = await lockOf(folder);
  try {
    if (existsSync(done)) return;
    mkdirSync(folder, { recursive: true });
    await install().catch(install); // a registry sometimes does not answer
    writeFileSync(done, '');
  } finally {
    release();
  }
}

export const isInstalled = (folder: string): boolean => existsSync(join(folder, 'installed'));

// A name that one process at a time can listen on, and that is free once its process ends. Other processes stay
// connected until the first one disconnects.
async function lockOf(folder: string): Promise<() => void> {
  const path = `\0cumulet-${createHash('sha256').update(`${userInfo().uid} ${folder}`).digest('hex')}`;
  for (;;) {
    const waiting: Socket[] = [];
    const server = createServer((socket) => void waiting.push(socket.on('error', () => {})));
    if (await listens(server, path)) {
      return () => {
        server.close();
        for (const socket of waiting) socket.destroy();
      };
    }
    await hungUp(path);
  }
}

function listens(server: Server, path: string): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  server.once('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EADDRINUSE') resolve(false);
    else reject(error);
  });
  server.listen({ path }, () => resolve(true));
  return promise;
}

function hungUp(path: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  connect({ path })
    .on('error', () => {})
    .on('close', () => resolve())
    .resume();
  return promise;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
