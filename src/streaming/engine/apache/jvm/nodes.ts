// The three nodes of one cluster as processes: started, watched, restarted when one dies, and ended. They outlive this
// process; a later one finds them by the files next to their data.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Fault } from '../../../../base/fault.ts';
import type { Log } from '../../../../base/log.ts';
import type { ClusterSpec } from '../../engine.ts';
import { freePorts, mustBeFree } from './free-ports.ts';
import { LogFollower } from './log-follower.ts';
import {
  clusterIdOf,
  formatCommand,
  handleFile,
  type Installation,
  logFile,
  type NodePorts,
  nodeFolder,
  outputFile,
  serverCommand,
  serverWords,
  writeNodeFiles,
} from './node-files.ts';
import {
  end,
  findRunning,
  forgetHandle,
  isRunning,
  type ProcessHandle,
  savedHandle,
  saveHandle,
  startDetached,
} from './process.ts';

export interface NodesOptions extends Installation {
  log: Log;
}

const watchMs = 500;
const revivalMs = [0, 1_000, 5_000, 30_000];
const steadyMs = 60_000; // a node that ran for this long is restarted at once
const formatMs = 120_000;

export class Nodes {
  readonly spec: ClusterSpec;
  ports: NodePorts[] = [];
  readonly #options: NodesOptions;
  readonly #deaths = new Map<number, { count: number; atMs: number }>();
  #watch: NodeJS.Timeout | undefined;
  #followers: LogFollower[] = [];

  constructor(spec: ClusterSpec, options: NodesOptions) {
    this.spec = spec;
    this.#options = options;
  }

  // Adopts running nodes, and starts the others. If none is running, new ports may be chosen.
  async start(): Promise<void> {
    const { folder, log } = this.#options;
    const ids = this.spec.brokers.map(({ id }) => id);
    const saved = savedPorts(folder);
    for (const id of ids) this.#adoptUnsaved(id);
    const isCold = !saved || saved.length !== ids.length || !ids.some((id) => this.isUp(id));
    if (isCold) {
      for (const { host, port } of this.spec.brokers) await mustBeFree(host, port);
      this.ports = await drawPorts(ids.length);
      writeNodeFiles(folder, this.spec, this.ports);
      writeFileSync(join(folder, 'ports.json'), JSON.stringify(this.ports));
      await Promise.all(ids.map((id) => this.#format(id)));
    } else this.ports = saved;
    this.#followers = ids.map((id) => new LogFollower(logFile(folder, id), id, log));
    for (const id of ids) if (!this.isUp(id)) this.#spawn(id);
    this.#watch ??= setInterval(() => this.#look(), watchMs).unref();
  }

  isUp(id: number): boolean {
    const handle = this.handle(id);
    return handle !== undefined && isRunning(handle);
  }

  handle(id: number): ProcessHandle | undefined {
    return savedHandle(handleFile(this.#options.folder, id));
  }

  // Stops watching; the nodes keep running.
  leave(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }

  #spawn(id: number): void {
    const { folder } = this.#options;
    const at = this.spec.brokers.findIndex((broker) => broker.id === id);
    const command = serverCommand(this.#options, id, this.ports[at] as NodePorts);
    saveHandle(handleFile(folder, id), startDetached(command, outputFile(folder, id), nodeFolder(folder, id)));
  }

  // The process that started the node was killed before it saved the handle. A second node would find its data locked.
  #adoptUnsaved(id: number): void {
    const { folder, log } = this.#options;
    const found = this.isUp(id) ? undefined : findRunning(serverWords(folder, id));
    if (!found) return;
    log.info('adopted a running node without a saved process id', { node: id, process: found.pid });
    saveHandle(handleFile(folder, id), found);
  }

  #look(): void {
    for (const follower of this.#followers) follower.read();
    for (const { id } of this.spec.brokers) {
      if (this.isUp(id)) continue;
      const now = performance.now();
      const { count, atMs } = this.#deaths.get(id) ?? { count: 0, atMs: Number.NEGATIVE_INFINITY };
      const isSteady = now - atMs > steadyMs;
      if (!isSteady && now - atMs < (revivalMs[Math.min(count, revivalMs.length - 1)] ?? 0)) continue;
      this.#deaths.set(id, { count: isSteady ? 1 : count + 1, atMs: now });
      this.#options.log.warn('a node had ended and is started again', { node: id });
      this.#spawn(id);
    }
  }

  async #format(id: number): Promise<void> {
    const { folder } = this.#options;
    if (existsSync(join(nodeFolder(folder, id), 'data', 'meta.properties'))) return;
    const output = join(nodeFolder(folder, id), 'format.log');
    const command = formatCommand(this.#options, id, clusterIdOf(this.spec.id));
    const handle = startDetached(command, output, nodeFolder(folder, id));
    const limit = performance.now() + formatMs;
    while (isRunning(handle) && performance.now() < limit) await wait(50);
    await end(handle, 0);
    if (!existsSync(join(nodeFolder(folder, id), 'data', 'meta.properties')))
      throw new Fault('unavailable', `node ${id} could not be formatted: ${lastLine(output)}`);
  }
}

export async function endNodes(folder: string, ids: readonly number[], graceMs: number): Promise<void> {
  await Promise.all(
    ids.map(async (id) => {
      const handle = savedHandle(handleFile(folder, id));
      if (handle) await end(handle, graceMs);
      if (handle) forgetHandle(handleFile(folder, id));
    }),
  );
}

export const removeFolder = (folder: string): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });

async function drawPorts(count: number): Promise<NodePorts[]> {
  const drawn = await freePorts(count * 3);
  return Array.from({ length: count }, (_, at) => {
    const [internal = 0, controller = 0, metrics = 0] = drawn.slice(at * 3);
    return { internal, controller, metrics };
  });
}

function savedPorts(folder: string): NodePorts[] | undefined {
  try {
    return JSON.parse(readFileSync(join(folder, 'ports.json'), 'utf8')) as NodePorts[];
  } catch {
    return undefined; // never started here
  }
}

function lastLine(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? '';
  } catch {
    return 'the node was not started';
  }
}
