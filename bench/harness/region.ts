// A region under measurement: a real process on a free port, with an owner's token in hand.

import { execFile } from 'node:child_process';
import { closeSync, existsSync, fstatSync, openSync, readFileSync, readSync, rmSync, unlinkSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Answer, type Call, call, header, requestText } from './call.ts';
import { type Core, end, start, within } from './children.ts';

const launcher = join(import.meta.dirname, '../../cumulet');
const password = 'Bench-region-0';

export interface RegionOptions {
  data: string;
  core?: Core;
  pace?: string; // the region's default where absent
  more?: readonly string[]; // options of `up`
  nodeArgs?: readonly string[];
  owner?: string; // the e-mail, if another node created it
}

export interface Region {
  port: number;
  pid: number;
  contract: number;
  services: Readonly<Record<string, string>>; // addresses by name
  owner: string; // the e-mail
  authorization: string;
  call(request: Call): Promise<Answer>;
  expect(status: number, request: Call): Promise<Answer>;
  text(request: Call): string; // the bytes of an authorized request
  stop(): Promise<void>;
}

interface Ready {
  event: string;
  gateway: string;
  services: Record<string, string>;
  contract: number;
  owner?: { email: string };
}

// A temporary data folder for the time of `use`.
export async function withFolder<T>(use: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'cumulet-bench-'));
  const clear = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', clear); // also where the run is interrupted
  try {
    return await use(folder);
  } finally {
    process.off('exit', clear);
    clear();
  }
}

// Runs the launcher that users run, with its settings of Node and malloc. The log is a file, so that no process has to
// read it during the measurement.
export function spawnRegion(
  { data, core = 'server', pace, more = [], nodeArgs = [] }: RegionOptions,
  port: number,
  log = 'ignore' as LogTo,
) {
  const args = ['up', '--json', '--port', String(port), '--data', data, ...unlimited, ...more];
  if (pace !== undefined) args.push('--pace', pace);
  const env = { ...process.env, CUMULET_OWNER_PASSWORD: password, NODE_OPTIONS: nodeArgs.join(' ') };
  return start(core, launcher, args, { stdio: ['ignore', 'pipe', log], env });
}

type LogTo = number | 'ignore';

// With the default limit of 600,000 calls a minute, the limit would be measured.
const unlimited: readonly string[] = ['--rate-limit', '1000000000', '--rate-burst', '1000000000'];
export const limitsNote = 'the region runs with its default settings but for the rate limit, which is out of the way';

export async function startRegion(options: RegionOptions): Promise<Region> {
  const running = await launchRegion(options);
  try {
    return await enter(running, options);
  } catch (error) {
    await running.stop();
    throw error;
  }
}

export interface Running {
  ready: Ready;
  pid: number;
  stop(): Promise<void>;
}

// Started, and without a request yet.
export async function launchRegion(options: RegionOptions): Promise<Running> {
  const log = openLog();
  const child = spawnRegion(options, 0, log.file);
  let isReady = false;
  const readiness = new Promise<Ready>((resolve, reject) => {
    let line = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (line + text).split('\n');
      line = lines.pop() ?? '';
      for (const each of lines.filter((one) => one.includes('"ready"'))) resolve(JSON.parse(each) as Ready);
    });
    child.once('error', reject);
    // Later the log may be closed already.
    child.once('close', (code) => isReady || reject(new Error(`the region ended with ${code}: ${log.end()}`)));
  });
  try {
    const ready = await within(60_000, 'the start of a region', readiness);
    isReady = true;
    return { ready, pid: child.pid ?? 0, stop: () => end(child, 30_000).then(log.close) };
  } catch (error) {
    await end(child);
    throw error;
  }
}

// Without a name from the start, so that nothing is left behind.
function openLog() {
  const path = join(tmpdir(), `cumulet-bench-${process.pid}.log`);
  const file = openSync(path, 'w+', 0o600);
  unlinkSync(path);
  return {
    file,
    end(): string {
      const size = fstatSync(file).size;
      const text = Buffer.alloc(Math.min(size, 4000));
      readSync(file, text, 0, text.length, size - text.length);
      return text.toString();
    },
    close: () => closeSync(file),
  };
}

async function enter({ ready, pid, stop }: Running, { data, owner: known }: RegionOptions): Promise<Region> {
  const port = Number(new URL(ready.gateway).port);
  const owner = ready.owner?.email ?? known ?? ownerOf(data);
  return speakerOf({ port, pid, contract: ready.contract, services: ready.services, stop }, owner);
}

// The same region for another owner.
async function speakerOf(
  { port, pid, contract, services, stop }: Pick<Region, 'port' | 'pid' | 'contract' | 'services' | 'stop'>,
  owner: string,
): Promise<Region> {
  const basic = Buffer.from(`${owner}:${password}`).toString('base64');
  const token = await call(port, { path: '/auth/v1/tokens/generate', authorization: `Basic ${basic}` });
  if (token.status !== 200) throw new Error(`no token: ${token.status} ${token.body}`);
  const authorization = `Bearer ${(JSON.parse(token.body) as { token: string }).token}`;
  const ask = (request: Call): Promise<Answer> => call(port, { authorization, ...request });
  return {
    port,
    pid,
    contract,
    services,
    owner,
    authorization,
    call: ask,
    async expect(status, request) {
      const answer = await ask(request);
      if (answer.status === status) return answer;
      throw new Error(`${request.method ?? 'GET'} ${request.path}: ${answer.status} ${answer.body.slice(0, 500)}`);
    },
    text: (request) => requestText(port, { authorization, ...request }),
    stop,
  };
}

// A second contract, whose limits do not affect the measurement.
export async function withRoom(region: Region, data: string): Promise<Region> {
  const owner = 'bench@example.com';
  const limits = ['coresPerContract', 'ramPerContract', 'hddLimitPerContract'].flatMap((name) => [
    '--limit',
    `${name}=2000000000`,
  ]);
  const args = ['contract', 'add', '--owner', owner, '--password', password, ...limits, '--json', '--data', data];
  const { stdout } = await promisify(execFile)(launcher, args);
  const { contract } = JSON.parse(stdout) as { contract: number };
  return speakerOf({ ...region, contract }, owner);
}

function ownerOf(data: string): string {
  const file = join(data, 'owner.json');
  if (!existsSync(file)) throw new Error('the region has no owner.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { email: string }).email;
}

// Creates something and waits until its request is done; the new id.
export async function create(region: Region, path: string, body: unknown): Promise<string> {
  const answer = await region.expect(202, { method: 'POST', path, body });
  await finished(region, answer);
  return (JSON.parse(answer.body) as { id: string }).id;
}

export async function finished(region: Region, answer: Answer, patienceMs = 120_000): Promise<void> {
  const location = header(answer, 'location');
  if (!location) throw new Error('a 202 without Location');
  const path = new URL(location, 'http://127.0.0.1').pathname;
  for (const until = Date.now() + patienceMs; ; ) {
    const { body } = await region.expect(200, { path });
    const { status } = (JSON.parse(body) as { metadata: { status: string } }).metadata;
    if (status === 'DONE') return;
    if (status === 'FAILED') throw new Error(`a request failed: ${body}`);
    if (Date.now() > until) throw new Error(`a request is ${status} after ${patienceMs / 1000} s`);
  }
}
