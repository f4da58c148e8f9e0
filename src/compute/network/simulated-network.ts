// The simulated network engine: packets are evaluated, none is sent. A spec is parsed once per generation; the newest
// flows of each datacenter are kept in memory.

import type { FlowPage, NetworkEngine } from './engine.ts';
import { FlowRing, flowOf } from './flows.ts';
import { evaluate } from './packet/evaluate.ts';
import type { DatacenterSpec } from './spec.ts';
import { TopologyIndex } from './topology/topology-index.ts';
import type { Packet, Verdict } from './verdict.ts';

export interface SimulatedOptions {
  now: () => number;
  ranges: readonly string[]; // the region's own public addresses
  flowsKept?: number; // of each datacenter
}

const maxTurns = 100_000;

export class SimulatedNetwork implements NetworkEngine {
  #topology: TopologyIndex;
  #now: () => number;
  #flowsKept: number;
  #generations = new Map<string, number>();
  #rings = new Map<string, FlowRing>();
  #turns = new Map<string, number>();

  constructor({ now, ranges, flowsKept = 10_000 }: SimulatedOptions) {
    this.#topology = new TopologyIndex(ranges);
    this.#now = now;
    this.#flowsKept = flowsKept;
  }

  async apply(spec: DatacenterSpec, generation: number): Promise<void> {
    const { id } = spec;
    if ((this.#generations.get(id) ?? Number.NEGATIVE_INFINITY) >= generation) return;
    this.#topology.put(spec);
    this.#generations.set(id, generation);
  }

  async remove(datacenterId: string): Promise<void> {
    this.#topology.remove(datacenterId);
    this.#generations.delete(datacenterId);
    this.#rings.delete(datacenterId);
  }

  async send(packet: Packet): Promise<Verdict> {
    const verdict = evaluate(this.#topology, packet, (key) => this.#turn(key));
    const time = this.#now();
    for (const hop of verdict.hops) {
      const flow = hop.datacenterId === null ? undefined : flowOf(hop, packet, time);
      if (flow) this.#ring(hop.datacenterId as string).add(flow);
    }
    return verdict;
  }

  async trace(packet: Packet): Promise<Verdict> {
    return evaluate(this.#topology, packet, (key) => this.#turns.get(key) ?? 0);
  }

  async flows(datacenterId: string, since: number, limit: number): Promise<FlowPage> {
    return (this.#rings.get(datacenterId) ?? new FlowRing(1)).page(since, limit);
  }

  async close(): Promise<void> {
    this.#rings.clear();
  }

  #ring(datacenterId: string): FlowRing {
    const ring = this.#rings.get(datacenterId) ?? new FlowRing(this.#flowsKept);
    this.#rings.set(datacenterId, ring);
    return ring;
  }

  // Counters of deleted rules are never removed one by one; all are cleared when there are too many.
  #turn(key: string): number {
    const turn = this.#turns.get(key) ?? 0;
    if (this.#turns.size >= maxTurns) this.#turns.clear();
    this.#turns.set(key, turn + 1);
    return turn;
  }
}
