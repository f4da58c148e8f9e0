// The container image: built from the Containerfile, and started by an OCI runtime in a separate network.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { bound } from '../../../src/testing/bound.ts';
import { limits } from '../../../src/testing/limits.ts';
import { isFull } from '../../../src/testing/seed.ts';
import { until } from '../../../src/testing/waiting.ts';
import { mustRun, run, workFolder } from '../run.ts';
import { makeBase, makeImage, removeImage, unpackImage } from './image.ts';
import { askInside } from './inside.ts';
import { containerPrograms, type Programs } from './programs.ts';

const skip = isFull ? false : '--full builds the image, which takes minutes';
const owner = 1000;

test('the image runs as a separate user, reports its health, and keeps its volume', { skip }, async (t) => {
  const programs = await containerPrograms();
  if ('skip' in programs) return t.skip(programs.skip);
  await makeBase(programs);
  const tag = `localhost/cumulet-test:${process.pid}`;
  t.after(() => removeImage(programs, tag));
  const config = await makeImage(programs, tag);
  assert.equal(config.User, 'node');
  assert.deepEqual(config.Entrypoint, ['cumulet']);
  assert.deepEqual(Object.keys(config.Volumes), ['/data']);
  assert.ok('7070/tcp' in config.ExposedPorts && '7053/udp' in config.ExposedPorts);
  const [kind, ...healthCheck] = config.Healthcheck.Test;
  assert.equal(kind, 'CMD');

  const work = workFolder(t);
  const bundle = await unpackImage(programs, tag, work);
  const volume = join(work, 'volume');
  mkdirSync(volume);
  chownSync(volume, owner, owner);
  mountVolume(bundle, volume);
  const region = new Container(programs, bundle, join(work, 'containers'), healthCheck);
  t.after(() => region.kill());

  await region.start();
  assert.equal((await region.exec('id', '-u')).trim(), String(owner));
  assert.equal((await region.exec('find', '/opt/cumulet', '-name', 'node-linux-*')).trim(), '', 'a second Node');
  await region.ask('POST', '/cloudapi/v6/datacenters', { properties: { name: 'kept', location: 'de/txl' } });
  assert.equal(await region.stop(), 0, region.log);
  await region.start(); // another container, the same volume
  const { items } = (await region.ask('GET', '/cloudapi/v6/datacenters?depth=1')) as {
    items: { properties: { name: string } }[];
  };
  assert.deepEqual(
    items.map(({ properties }) => properties.name),
    ['kept'],
  );
  assert.equal(await region.stop(), 0, region.log);
});

interface Spec {
  process: { terminal: boolean };
  mounts: { destination: string; type: string; source: string; options: string[] }[];
  linux: { resources?: object };
}

function mountVolume(bundle: string, volume: string): void {
  const file = join(bundle, 'config.json');
  const spec = JSON.parse(readFileSync(file, 'utf8')) as Spec;
  spec.process.terminal = false;
  spec.mounts = spec.mounts.filter(({ destination }) => destination !== '/data');
  spec.mounts.push({ destination: '/data', type: 'bind', source: volume, options: ['rbind', 'rw'] });
  delete spec.linux.resources; // limits need the machine's cgroups
  writeFileSync(file, JSON.stringify(spec));
}

class Container {
  readonly #programs: Programs;
  readonly #bundle: string;
  readonly #state: string; // of the runtime
  readonly #healthCheck: string[];
  #child: ChildProcess | undefined;
  #count = 0;
  log = '';

  constructor(programs: Programs, bundle: string, state: string, healthCheck: string[]) {
    this.#programs = programs;
    this.#bundle = bundle;
    this.#state = state;
    this.#healthCheck = healthCheck;
  }

  get #runtime(): string[] {
    return [this.#programs.runc, '--root', this.#state];
  }

  get #id(): string {
    return `cumulet-test-${process.pid}-${this.#count}`;
  }

  // Waits until the image's health check succeeds.
  async start(): Promise<void> {
    this.#count += 1;
    const [program = '', ...args] = [...this.#runtime, 'run', '--bundle', this.#bundle, this.#id];
    const child = spawn(...bound(program, args), { stdio: ['ignore', 'pipe', 'pipe'] });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.log += text;
      });
    const check = async (): Promise<boolean> => {
      assert.equal(child.exitCode, null, `the container has ended: ${this.log}`);
      return (await run([...this.#runtime, 'exec', this.#id, ...this.#healthCheck])).code === 0;
    };
    await until('the container is healthy', check, undefined, { limitMs: limits.regionStart });
  }

  async exec(...command: string[]): Promise<string> {
    return (await mustRun([...this.#runtime, 'exec', this.#id, ...command])).stdout;
  }

  ask(method: string, path: string, body?: object): Promise<unknown> {
    return askInside((...command) => this.exec(...command), method, path, body);
  }

  // The exit code.
  async stop(): Promise<number | null> {
    const child = this.#child as ChildProcess;
    const exit = child.exitCode === null ? once(child, 'exit') : undefined;
    await mustRun([...this.#runtime, 'kill', this.#id, 'TERM']);
    await exit;
    return child.exitCode;
  }

  async kill(): Promise<void> {
    if (this.#child?.exitCode === null) await run([...this.#runtime, 'delete', '--force', this.#id]);
  }
}
