// The black-box helper: a real region in a separate process, on free ports and a temporary folder. The process always
// ends: by `await using`, by `t.after(() => region.stop())`, or with the test process.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../../src/testing/limits.ts';
import { until } from '../../src/testing/waiting.ts';
import { endsWithin, launch, signalIfAlive } from './process.ts';
import { stateFor } from './states.ts';

const startLimitMs = limits.regionStart;
const stopLimitMs = limits.regionStop;
const callLimitMs = limits.request;
const shownLogLines = 30;

export const ownerPassword = 'Region-Owner-Password-1';

export interface RegionOptions {
  args?: string[]; // more options of `up`; `--pace 0` unless they say another pace
  data?: string; // a folder that the test keeps; without it, a temporary one
  env?: Record<string, string>;
  command?: string[]; // the program to start instead of bin/start.cjs; CUMULET_BIN sets it for all tests
}

export interface Owner {
  email: string;
  password: string;
}

export interface Ready {
  gateway: string;
  https: string;
  proxy: string;
  data: string;
  pid: number;
  contract: number;
  owner?: Owner; // first start only
  services: Record<string, string>; // where they are reached
}

// The parts of an answer that most tests read. A test that needs more uses call<T>.
export interface ResourceBody {
  id: string;
  type: string;
  href: string;
  metadata: Record<string, unknown>;
  properties: Record<string, unknown>;
  entities: Record<string, ResourceBody>;
  items: ResourceBody[];
  messages: { errorCode: string; message: string }[];
  [name: string]: unknown;
}

export interface Answer<T = ResourceBody> {
  status: number;
  headers: IncomingHttpHeaders;
  body: T;
}

export interface CallOptions {
  token?: string | null; // the owner's unless given; null: none
  basic?: Owner; // instead of a token
  headers?: Record<string, string>;
}

export async function startRegion(options: RegionOptions = {}): Promise<Region> {
  const region = new Region(options);
  try {
    await region.start();
    return region;
  } catch (error) {
    await region.stop();
    throw error;
  }
}

// The process of a region, which may be another one after a restart.
interface Run {
  ready?: Ready | undefined;
  owner?: Owner | undefined;
  child?: ChildProcess | undefined;
  log: string;
  agent: Agent;
  lastCall?: string;
}

let lastUsed: Run | undefined; // it may have stopped when a failure is reported

// Emitted by test/preload.ts.
process.on('testFailed', () => {
  if (!lastUsed) return;
  const lines = lastUsed.log.trimEnd().split('\n').slice(-shownLogLines).join('\n');
  process.stderr.write(`\nthe end of the region's log:\n${lines}\n`);
  process.stderr.write(`the last request: ${lastUsed.lastCall ?? 'none'}\n`);
});

export class Region {
  readonly options: RegionOptions;
  readonly data: string;
  token = '';
  #contract: number | undefined; // another one than the region's first
  #run: Run;

  constructor(options: RegionOptions, run: Run = { log: '', agent: new Agent({ keepAlive: true }) }) {
    this.options = options;
    this.data = options.data ?? mkdtempSync(join(tmpdir(), 'cumulet-test-'));
    this.#run = run;
  }

  // The same region, called by the owner of another contract.
  as({ contract, token }: { contract: number; token: string }): Region {
    const view = new Region({ ...this.options, data: this.data }, this.#run);
    view.#contract = contract;
    view.token = token;
    return view;
  }

  get ready(): Ready {
    assert.ok(this.#run.ready, 'the region is not running');
    return this.#run.ready;
  }
  get url(): string {
    return this.ready.gateway;
  }
  get https(): string {
    return this.ready.https;
  }
  get proxy(): string {
    return this.ready.proxy;
  }
  get pid(): number {
    return this.ready.pid;
  }
  get contract(): number {
    return this.#contract ?? this.ready.contract;
  }
  get owner(): Owner {
    assert.ok(this.#run.owner, 'the owner is printed at the first start of a data folder only');
    return this.#run.owner;
  }

  // Everything that its processes wrote to standard output and standard error, over all restarts.
  log(): string {
    return this.#run.log;
  }

  // The first line of the log that contains this text. A line appears a little after its answer.
  async logged(text: string): Promise<string> {
    return until(`the region logs ${text}`, () => this.#run.log.split('\n').find((one) => one.includes(text)));
  }

  async start(): Promise<void> {
    const { args = [], env = {} } = this.options;
    const pace = args.includes('--pace') ? [] : ['--pace', '0'];
    const port = args.includes('--port') ? [] : ['--port', '0'];
    const state = args.includes('--state') ? [] : await stateFor(this.data);
    const child = launch(['up', '--json', '--data', this.data, ...port, ...state, ...pace, ...args], {
      ...this.options,
      env: { CUMULET_OWNER_PASSWORD: ownerPassword, ...env },
    });
    this.#run.child = child;
    const startedAt = performance.now();
    this.#run.ready = await this.#untilReady(child);
    lastUsed = this.#run;
    performance.measure('region start', { start: startedAt });
    this.#run.owner ??= this.#run.ready.owner ?? readOwner(this.data);
    // One token for all restarts: a user has a hundred at most.
    if (this.token === '' && this.#run.owner) {
      const { status, body } = await this.call('GET', '/auth/v1/tokens/generate', undefined, {
        basic: this.#run.owner,
      });
      assert.equal(status, 200, `no token for the owner: ${JSON.stringify(body)}`);
      this.token = String(body.token);
    }
  }

  async call<T = ResourceBody>(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions = {},
  ): Promise<Answer<T>> {
    const headers: Record<string, string> = { accept: 'application/json', ...authorization(this.token, options) };
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    const payload = body === undefined || raw ? body : JSON.stringify(body);
    if (payload !== undefined) {
      headers['content-type'] = 'application/json';
      headers['content-length'] = String(Buffer.byteLength(payload));
    }
    for (const [name, value] of Object.entries(options.headers ?? {})) headers[name.toLowerCase()] = value;
    const signal = AbortSignal.timeout(callLimitMs);
    lastUsed = this.#run;
    this.#run.lastCall = `${method} ${path} ${typeof payload === 'string' ? payload.slice(0, 500) : ''}`;
    return new Promise((resolve, reject) => {
      const url = new URL(path, this.url);
      const send = url.protocol === 'https:' ? secureRequest : request;
      const sent = send(url, { method, headers, agent: this.#run.agent, signal }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          this.#run.lastCall += `\n  answer: ${response.statusCode} ${text.slice(0, 500)}`;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: parsed(text) as T });
        });
      });
      sent.on('error', reject);
      sent.end(payload);
    });
  }

  // The orderly end: SIGTERM, drained. Gives the exit code (null: by a signal). A second stop does nothing.
  async stop(): Promise<number | null> {
    try {
      return await this.halt('SIGTERM');
    } finally {
      if (this.options.data === undefined) rmSync(this.data, { recursive: true, force: true });
    }
  }

  async kill(): Promise<void> {
    await this.halt('SIGKILL');
  }

  // On the same data folder, mostly on other ports. After kill() it only starts.
  async restart(): Promise<void> {
    await this.halt('SIGTERM');
    await this.start();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  // Ends the process and keeps the data folder.
  async halt(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null> {
    const child = this.#run.child;
    if (child === undefined) return null;
    const own = this.#run.ready?.pid ?? child.pid; // what we started may be a wrapper around the region
    signalIfAlive(signal === 'SIGKILL' ? own : child.pid, signal);
    const ended = await endsWithin(child, stopLimitMs);
    if (!ended) {
      signalIfAlive(own, 'SIGKILL');
      signalIfAlive(child.pid, 'SIGKILL');
    }
    this.#run.agent.destroy();
    this.#run.child = undefined;
    this.#run.ready = undefined;
    if (!ended) throw new Error(`the region did not stop in ${stopLimitMs} ms; its log:\n${this.#run.log}`);
    return child.exitCode;
  }

  async #untilReady(child: ChildProcess): Promise<Ready> {
    const { promise, resolve, reject } = Promise.withResolvers<Ready>();
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the region was not ready in ${startLimitMs} ms; its log:\n${this.#run.log}`));
    }, startLimitMs);
    let line = '';
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#run.log += text;
      const lines = (line + text).split('\n');
      line = lines.pop() ?? '';
      for (const each of lines) {
        const event = parsed(each);
        if (isReady(event)) resolve(event);
      }
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#run.log += text;
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      reject(new Error(`the region ended with ${signal ?? code} before it was ready; its log:\n${this.#run.log}`));
    });
    return promise.finally(() => clearTimeout(limit));
  }
}

// Awaits the end of an accepted change by its Location. The server holds each call until there is news.
export async function waitRequest(region: Region, location: string | undefined): Promise<ResourceBody> {
  assert.ok(location, 'the answer had no Location');
  const path = new URL(location, region.url).pathname; // the port may be another one since a restart
  const ended = await until(
    `the request ${path} ends`,
    async () => {
      const { status, body } = await region.call('GET', path);
      assert.equal(status, 200, `GET ${path}: ${JSON.stringify(body)}`);
      return body;
    },
    ({ metadata }) => metadata.status === 'DONE' || metadata.status === 'FAILED',
    { limitMs: limits.request },
  );
  return ended;
}

// Creates a resource, awaits its request and returns the finished resource.
export async function createDone(
  region: Region,
  path: string,
  body: unknown,
  options?: CallOptions,
): Promise<ResourceBody> {
  const created = await region.call('POST', path, body, options);
  assert.ok(
    [200, 201, 202].includes(created.status),
    `POST ${path}: ${created.status} ${JSON.stringify(created.body)}`,
  );
  if (created.status === 202) {
    const ended = await waitRequest(region, created.headers.location);
    assert.equal(ended.metadata.status, 'DONE', `POST ${path}: ${JSON.stringify(ended)}`);
  }
  const shown = await region.call('GET', `${path}/${created.body.id}`, undefined, options);
  assert.equal(shown.status, 200, `GET ${path}/${created.body.id}: ${JSON.stringify(shown.body)}`);
  return shown.body;
}

function authorization(ownerToken: string, { token = ownerToken, basic }: CallOptions): Record<string, string> {
  if (basic) {
    return { authorization: `Basic ${Buffer.from(`${basic.email}:${basic.password}`).toString('base64')}` };
  }
  return token ? { authorization: `Bearer ${token}` } : {};
}

function readOwner(data: string): Owner | undefined {
  const file = join(data, 'owner.json');
  if (!existsSync(file)) return undefined;
  const { email, password } = JSON.parse(readFileSync(file, 'utf8')) as Partial<Owner>;
  return email === undefined ? undefined : { email, password: password ?? ownerPassword };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isReady(event: unknown): event is Ready {
  return typeof event === 'object' && event !== null && 'event' in event && event.event === 'ready';
}
