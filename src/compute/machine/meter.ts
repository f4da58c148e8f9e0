// The usage of machines: the source of metrics, of the lab and of auto scaling. A usage costs the same for any
// interval: timelines have sums, and long ones are cached while their rows do not change.
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { MachineEngine, MachineHandle } from './engine.ts';
import type { Loads, Usage } from './load.ts';
import { loadRow, loadsIn } from './load-rows.ts';
import { type TrafficHistory, trafficIn, trafficRow, withPassed } from './received-traffic.ts';

interface Kept {
  versions: string;
  loads: Loads;
  traffic: TrafficHistory;
}

const mostKept = 10_000;
const worthKeeping = 32; // entries: fewer are parsed as fast as they are looked up
const idle: Kept = { versions: '', loads: [], traffic: [] };

export class MachineMeter {
  readonly #store: Store;
  readonly #machines: MachineEngine;
  readonly #handleOf: (server: Row) => MachineHandle | undefined;
  readonly #kept = new Map<string, Kept>(); // of machines with a load or traffic, by the path of the server

  constructor(store: Store, machines: MachineEngine, handleOf: (server: Row) => MachineHandle | undefined) {
    this.#store = store;
    this.#machines = machines;
    this.#handleOf = handleOf;
  }

  // Undefined: the server has no machine yet.
  async usage(server: Row, from: number, to: number): Promise<Usage | undefined> {
    const [usage] = (await this.usages(server, [[from, to]])) ?? [];
    return usage;
  }

  async usages(server: Row, intervals: readonly [from: number, to: number][]): Promise<Usage[] | undefined> {
    const handle = this.#handleOf(server);
    if (!handle) return undefined;
    const { loads, traffic } = await this.#timelines(server);
    const usages: Usage[] = [];
    for (const [from, to] of intervals)
      usages.push(withPassed(await this.#machines.usage(handle, loads, from, to), traffic));
    return usages;
  }

  async #timelines(server: Row): Promise<Kept> {
    const path = pathOf(server);
    const [load, traffic] = await Promise.all([loadRow(this.#store, server), trafficRow(this.#store, server.id)]);
    if (!load && !traffic) return idle;
    const versions = `${load?.version} ${traffic?.version}`;
    const known = this.#kept.get(path);
    if (known?.versions === versions) return known;
    const kept = { versions, loads: loadsIn(load), traffic: trafficIn(traffic) };
    if (kept.loads.length + kept.traffic.length < worthKeeping) return kept;
    this.#kept.delete(path);
    if (this.#kept.size >= mostKept) this.#kept.delete(this.#kept.keys().next().value as string);
    this.#kept.set(path, kept);
    return kept;
  }
}
