// `cumulet/testing`: a region for tests. It starts the installed program, or uses the region that CUMULET_URL and
// CUMULET_TOKEN name. Plain Node, without dependencies, so that it runs in vitest, jest and node:test.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getEnvironmentData, setEnvironmentData } from 'node:worker_threads';

export interface RegionOptions {
  seed?: string; // a seed file, or a folder of them
  pace?: number; // milliseconds that each step of an operation takes; 0 by default
  args?: readonly string[]; // more options of `cumulet up`
  env?: Readonly<Record<string, string>>; // more variables of its process
  command?: readonly string[]; // the command to start; CUMULET_BIN or the installed program by default
  limitMs?: number; // how long the start may take
}

export interface PlantedFault {
  kind: string; // a resource, such as datacenter, or *
  step: string; // such as create.provision or change.*
  mode: 'fail' | 'stall' | 'crash';
  times?: number;
  when?: 'before' | 'after';
  message?: string;
  contract?: number;
}

// A call that the region refused.
export class CallError extends Error {
  readonly status: number;
  readonly body: unknown;

  constructor(method: string, path: string, status: number, body: unknown) {
    super(`${method} ${path}: ${status} ${messageOf(body)}`);
    this.name = 'CallError';
    this.status = status;
    this.body = body;
  }
}

export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

interface Ready {
  event: string;
  gateway: string;
  https: string;
  data: string;
  pid: number;
  contract: number;
  owner?: Owner;
  services: Record<string, string>;
}

const optionNames: ReadonlySet<string> = new Set(['seed', 'pace', 'args', 'env', 'command', 'limitMs']);
const startLimitMs = 60_000;
const workLimitMs = 60_000;
const startName = 'kit-start';

type Owner = { email: string; password: string };

// An account for tests: an address, a token, and calls with it.
class Account {
  readonly url: string;
  readonly contractNumber: number;
  #token: string;
  readonly #owner: Owner | undefined; // none: the token can't be renewed

  constructor(url: string, token: string, contractNumber: number, owner?: Owner) {
    this.url = url;
    this.#token = token;
    this.contractNumber = contractNumber;
    this.#owner = owner;
  }

  get token(): string {
    return this.#token;
  }

  // Replaces an expired token. Calls of this object do it themselves; clients that have the old token need the new one.
  async renewToken(): Promise<void> {
    if (!this.#owner) throw new Error('The token of a region that was started elsewhere is not renewed from here.');
    this.#token = await newToken(this.url, this.#owner);
  }

  // Variables that ionosctl, Terraform and the SDKs read.
  env(): Record<string, string> {
    return { IONOS_API_URL: this.url, IONOS_TOKEN: this.token };
  }

  // Variables of S3 clients, with a new key.
  async s3Env(): Promise<Record<string, string>> {
    const { body } = await this.call('POST', '/objectstorage-management/accesskeys', { properties: {} });
    const { accessKey, secretKey } = (body as { properties: { accessKey: string; secretKey: string } }).properties;
    return {
      AWS_ENDPOINT_URL_S3: this.url,
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
      AWS_REGION: 'eu-central-3',
    };
  }

  // Calls the API. Throws a CallError if the region refuses the call.
  async call(method: string, path: string, body?: unknown): Promise<Answer> {
    const token = this.#token;
    let answer = await this.#send(method, path, body);
    if (answer.status === 401 && this.#owner) {
      await answer.body?.cancel();
      if (token === this.#token) await this.renewToken(); // else another call has renewed it
      answer = await this.#send(method, path, body);
    }
    const text = await answer.text();
    const shown = text === '' ? undefined : asJson(text);
    if (!answer.ok) throw new CallError(method, path, answer.status, shown);
    return { status: answer.status, headers: answer.headers, body: shown };
  }

  #send(method: string, path: string, body: unknown): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}

export class TestContract extends Account {
  readonly email: string; // of its owner
  readonly password: string;

  constructor(url: string, made: { contract: number; email: string; password: string; token: string }) {
    super(url, made.token, made.contract, made);
    this.email = made.email;
    this.password = made.password;
  }
}

export class TestRegion extends Account {
  readonly services: Readonly<Record<string, string>>; // the addresses of services; empty for a region that was found
  readonly dataFolder: string | undefined; // unknown for a region that was found
  readonly pid: number | undefined;
  readonly #seed: string | undefined;
  readonly #process: RegionProcess | undefined; // absent: it was found, or another test file of this worker has it

  constructor(url: string, token: string, contract: number, seed?: string, ready?: Ready, own?: RegionProcess) {
    super(url, token, contract, ready?.owner);
    this.services = ready?.services ?? {};
    this.dataFolder = ready?.data;
    this.pid = ready?.pid;
    this.#seed = seed && resolve(seed);
    this.#process = own;
  }

  // Creates a contract with its own owner: tests with different contracts do not see each other.
  async contract(): Promise<TestContract> {
    const { body } = await this.call('POST', '/lab/contracts');
    return new TestContract(this.url, body as ConstructorParameters<typeof TestContract>[1]);
  }

  // Resets the region to the state after its start, with its seed.
  async reset(): Promise<void> {
    if (this.pid === undefined)
      throw new Error("This region was started elsewhere, and others may use it, so it can't be reset.");
    await this.restore(startName);
  }

  async savePoint(name: string): Promise<void> {
    await this.#work('/lab/savepoints', { name });
  }

  async restore(name: string): Promise<void> {
    await this.#work(`/lab/savepoints/${encodeURIComponent(name)}/restore`);
  }

  // Moves the clock: advance('1h'), advance('36d'). Renews the region's token if it expires by that.
  async advance(time: string | number): Promise<void> {
    await this.call('PUT', '/lab/clock', { advanceMs: typeof time === 'number' ? time : milliseconds(time) });
    await this.call('GET', '/lab/clock');
  }

  // Injects a fault in addition to the existing ones.
  async fault(fault: PlantedFault): Promise<void> {
    const { body } = await this.call('GET', '/lab/faults');
    const { faults } = body as { faults: PlantedFault[] };
    await this.call('PUT', '/lab/faults', { faults: [...faults, fault] });
  }

  async clearFaults(): Promise<void> {
    await this.call('PUT', '/lab/faults', { faults: [] });
  }

  // Waits until no operation is under way.
  async waitUntilIdle(): Promise<void> {
    for (;;) {
      const { body } = await this.call('GET', '/lab/idle');
      if ((body as { running: number }).running === 0) return;
    }
  }

  // Variables for child processes, whose startRegion() then finds this region.
  share(): void {
    process.env.CUMULET_URL = this.url;
    process.env.CUMULET_TOKEN = this.token;
    if (this.#seed === undefined) delete process.env.CUMULET_SEEDED;
    else process.env.CUMULET_SEEDED = this.#seed;
  }

  async stop(): Promise<void> {
    if (!this.#process) return;
    if (sharedInWorker()?.ready.pid === this.pid) setEnvironmentData(sharedKey, undefined);
    await this.#process.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  // The region stops for a moment, in which calls fail.
  async #work(path: string, body?: unknown): Promise<void> {
    const { body: begun } = await this.call('POST', path, body);
    const { id } = begun as { id: string };
    const until = performance.now() + workLimitMs;
    for (;;) {
      const answer = await this.call('GET', '/lab/savepoints').catch((error: unknown) => {
        if (performance.now() > until) throw error;
        return undefined;
      });
      const last = (answer?.body as { last?: { id: string; state: string; message?: string } } | undefined)?.last;
      if (last?.id === id && last.state === 'DONE') return;
      if (last?.id === id && last.state === 'FAILED') throw new Error(last.message);
      if (performance.now() > until) throw new Error(`${path} did not finish within ${workLimitMs} ms.`);
      await pause(5);
    }
  }
}

export async function startRegion(options: RegionOptions = {}): Promise<TestRegion> {
  for (const name of Object.keys(options))
    if (!optionNames.has(name))
      throw new Error(`startRegion() has no option ${name}; it has ${[...optionNames].join(', ')}.`);
  return (await findOrStart(options)).region;
}

async function findOrStart(options: RegionOptions): Promise<{ region: TestRegion; ready?: Ready }> {
  const { CUMULET_URL: url, CUMULET_TOKEN: given, CUMULET_SEEDED: seeded } = process.env;
  if (url) return { region: await found(url.replace(/\/$/, ''), given, options.seed, seeded) };
  const own = new RegionProcess(options);
  try {
    const ready = await own.ready(options.limitMs ?? startLimitMs);
    const token = await newToken(ready.gateway, ready.owner ?? { email: '', password: '' });
    const region = new TestRegion(ready.gateway, token, ready.contract, options.seed, ready, own);
    await region.savePoint(startName);
    return { region, ready };
  } catch (error) {
    await own.stop();
    throw error;
  }
}

async function newToken(url: string, { email, password }: Owner): Promise<string> {
  const basic = Buffer.from(`${email}:${password}`).toString('base64');
  const answer = await fetch(`${url}/auth/v1/tokens/generate`, { headers: { authorization: `Basic ${basic}` } });
  if (!answer.ok) throw new Error(`The region refused a token for ${email}: ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { token: string }).token;
}

let shared: Promise<TestRegion> | undefined;

// One for all tests of this worker, started by the first that asks. It ends with the worker.
export async function sharedRegion(options: RegionOptions = {}): Promise<TestRegion> {
  shared ??= joinOrStart(options);
  const region = await shared;
  const { seed } = sharedInWorker() ?? options;
  if (options.seed !== undefined && resolve(options.seed) !== resolve(seed ?? ''))
    throw new Error(`The shared region was started with ${seed ?? 'no seed'}, not with ${options.seed}.`);
  return region;
}

type Shared = { token: string; seed: string | undefined; ready: Ready };

// jest loads this module again for each test file, so the worker itself has to remember the shared region.
const sharedKey = 'cumulet/testing';
const sharedInWorker = (): Shared | undefined => getEnvironmentData(sharedKey) as Shared | undefined;

async function joinOrStart(options: RegionOptions): Promise<TestRegion> {
  const there = sharedInWorker();
  if (there) return new TestRegion(there.ready.gateway, there.token, there.ready.contract, there.seed, there.ready);
  const { region, ready } = await findOrStart(options);
  if (ready) setEnvironmentData(sharedKey, { token: region.token, seed: options.seed && resolve(options.seed), ready });
  return region;
}

// The region that CUMULET_URL names.
async function found(url: string, token?: string, seed?: string, seeded?: string): Promise<TestRegion> {
  if (!token) throw new Error(`CUMULET_URL names the region at ${url}, but there is no CUMULET_TOKEN of its owner.`);
  if (seed !== undefined && (seeded === undefined || resolve(seed) !== resolve(seeded)))
    throw new Error(
      `The region that CUMULET_URL names was started elsewhere and is not filled from here: seed it there, ` +
        `and say so with CUMULET_SEEDED=${seed}.`,
    );
  const { body } = await new Account(url, token, 0)
    .call('GET', '/cloudapi/v6/contracts?depth=1')
    .catch((error: Error) => {
      const why = error.cause instanceof Error ? error.cause.message || error.message : error.message;
      throw new Error(`The region at CUMULET_URL, ${url}, can't be used: ${why}`, { cause: error });
    });
  const [contract] = (body as { items: { properties: { contractNumber: number } }[] }).items;
  return new TestRegion(url, token, contract?.properties.contractNumber ?? 0, seed);
}

// The region ends with this process, even if this process is killed: it watches the pipe to its standard input.
class RegionProcess {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #output = '';

  constructor({ seed, pace = 0, args = [], env = {}, command = installed() }: RegionOptions) {
    const [program = '', ...before] = command;
    const own = ['up', '--ephemeral', '--json', '--port', '0', '--pace', String(pace)];
    const child = spawn(program, [...before, ...own, ...(seed === undefined ? [] : ['--seed', seed]), ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env },
    });
    this.#child = child;
    this.#ended = new Promise((resolve) => {
      child.once('close', () => resolve());
      child.once('error', (error) => {
        this.#output += String(error);
        resolve();
      });
    });
    // A waiting process must not be kept alive by it.
    child.unref();
    for (const stream of [child.stdin, child.stdout, child.stderr])
      (stream as unknown as { unref?(): void })?.unref?.();
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-20_000);
    });
  }

  ready(limitMs: number): Promise<Ready> {
    // Not withResolvers: this runs on the Node of the test suite, from 20 on.
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => reject(new Error(`The region did not start: ${why}\n${this.#output}`));
      const limit = setTimeout(() => fail(`it was not ready within ${limitMs} ms`), limitMs);
      void this.#ended.then(() => fail('it ended')).finally(() => clearTimeout(limit));
      let line = '';
      this.#child.stdout?.setEncoding('utf8').on('data', (text: string) => {
        const lines = (line + text).split('\n');
        line = lines.pop() ?? '';
        const ready = lines.map((one) => asJson(one) as Ready).find(({ event }) => event === 'ready');
        if (!ready) return;
        clearTimeout(limit);
        resolve(ready);
      });
    });
  }

  async stop(): Promise<void> {
    this.#child.ref();
    this.#child.stdin?.end();
    if (process.platform !== 'win32') this.#child.kill('SIGTERM'); // there it would be killed at once
    await this.#ended;
  }
}

// In the npm package the command is in this folder, in a checkout the launcher is.
function installed(): string[] {
  const given = process.env.CUMULET_BIN;
  if (given) return given.split(' ');
  const root = join(import.meta.dirname, '../..');
  const launcher = join(root, 'cumulet');
  return existsSync(launcher) ? [launcher] : [process.execPath, join(root, 'bin/cumulet.js')];
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function milliseconds(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)];
  if (parts.map(([whole]) => whole).join('') !== text || text === '')
    throw new Error(`Expected a time such as 1h, 90m or 2d12h, got '${text}'.`);
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0);
}

function asJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function messageOf(body: unknown): string {
  const messages = (body as { messages?: { message: string }[] } | undefined)?.messages;
  return messages?.map(({ message }) => message).join('; ') ?? String(body ?? '');
}
