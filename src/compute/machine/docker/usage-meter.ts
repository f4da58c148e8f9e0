// Samples the counters of all running machines. They are kept in memory for some hours, and in a file while the region
// is stopped.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../../../base/log.ts';
import type { PortCounts } from '../../network/lan-interfaces.ts';
import type { PowerChange, Usage } from '../load.ts';
import type { DockerApi } from './api.ts';
import type { Observer } from './observer.ts';
import { cpuMsOf, type EngineStats, type StoredSamples, UsageSamples } from './usage-samples.ts';

const everyMs = 5000;

// The counters of the ports of a machine's NICs; undefined: not known.
export type MachineTraffic = (id: string) => PortCounts | undefined;

export interface UsageMeterTools {
  api: DockerApi;
  observer: Observer;
  traffic: () => Promise<MachineTraffic>;
  file: string; // of the samples of the previous process
  now: () => number;
  real: () => number;
  log: Log;
}

export class UsageMeter {
  readonly #tools: UsageMeterTools;
  readonly #samples: Map<string, UsageSamples>; // by the id of the server
  readonly #timer: NodeJS.Timeout;
  #round: Promise<void> | undefined;

  constructor(tools: UsageMeterTools) {
    this.#tools = tools;
    this.#samples = load(tools);
    this.#timer = setInterval(() => {
      this.#round ??= this.#sampleAll().finally(() => {
        this.#round = undefined;
      });
    }, everyMs);
    this.#timer.unref();
  }

  begin(id: string): void {
    const { now, real } = this.#tools;
    this.#of(id).begin(now(), real());
  }

  async sample(id: string, container: string, known?: MachineTraffic): Promise<void> {
    const { api, now, real, log, traffic } = this.#tools;
    try {
      const query = { stream: false, 'one-shot': true };
      const stats = await api.json<EngineStats>('GET', `/containers/${container}/stats`, { query });
      const ports = (known ?? (await traffic()))(id);
      const cpuMs = cpuMsOf(stats);
      if (cpuMs > 0) this.#of(id).add(now(), real(), { cpuMs, ports });
    } catch (error) {
      log.warn('the usage of a machine could not be read', { machine: id, error });
    }
  }

  // Reads a fresh sample where the interval reaches into the present.
  async usage(id: string, power: readonly PowerChange[], cores: number, from: number, to: number): Promise<Usage> {
    const seen = this.#tools.observer.seen.get(id);
    if (seen?.state === 'running' && to > this.#tools.now() - everyMs) await this.sample(id, seen.container);
    return this.#of(id).usage(power, cores, from, to);
  }

  forget(id: string): void {
    this.#samples.delete(id);
  }

  close(): void {
    clearInterval(this.#timer);
    const { file } = this.#tools;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, JSON.stringify(Object.fromEntries(this.#samples)), { mode: 0o600 });
  }

  async #sampleAll(): Promise<void> {
    const { observer, traffic } = this.#tools;
    const known = await traffic();
    for (const [id, { container, state }] of observer.seen)
      if (state === 'running') await this.sample(id, container, known);
  }

  #of(id: string): UsageSamples {
    const known = this.#samples.get(id) ?? new UsageSamples();
    this.#samples.set(id, known);
    return known;
  }
}

// The file is removed: after a crash it would be too old.
function load({ file, log }: UsageMeterTools): Map<string, UsageSamples> {
  try {
    const stored = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, StoredSamples>);
    rmSync(file);
    return new Map(stored.map(([id, samples]) => [id, new UsageSamples(samples)]));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.warn('the usage of machines could not be read', { error });
    return new Map();
  }
}
