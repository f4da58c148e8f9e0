// The network that is only thought: packets are judged, none is sent. Landscapes are read once per generation, flows
// are kept in memory, the newest of each datacenter.
import { Atlas } from './atlas.ts';
import type { FlowPage, NetworkEngine } from './engine.ts';
import { FlowRing, flowOf } from './flows.ts';
import { judgeOn } from './judge.ts';
import type { DatacenterLandscape } from './landscape.ts';
import type { Packet, Verdict } from './verdict.ts';

export interface SimulatedOptions {
  now: () => number;
  ranges: readonly string[]; // the region's own public addresses
  flowsKept?: number; // of each datacenter
}

const mostTurns = 100_000;

export class SimulatedNetwork implements NetworkEngine {
  #atlas: Atlas;
  #now: () => number;
  #flowsKept: number;
  #generations = new Map<string, number>();
  #rings = new Map<string, FlowRing>();
  #turns = new Map<string, number>();

  constructor({ now, ranges, flowsKept = 10_000 }: SimulatedOptions) {
    this.#atlas = new Atlas(ranges);
    this.#now = now;
    this.#flowsKept = flowsKept;
  }

  async apply(landscape: DatacenterLandscape, generation: number): Promise<void> {
    const { id } = landscape;
    if ((this.#generations.get(id) ?? Number.NEGATIVE_INFINITY) >= generation) return;
    this.#atlas.put(landscape);
    this.#generations.set(id, generation);
  }

  async remove(datacenterId: string): Promise<void> {
    this.#atlas.remove(datacenterId);
    this.#generations.delete(datacenterId);
    this.#rings.delete(datacenterId);
  }

  async send(packet: Packet): Promise<Verdict> {
    const verdict = judgeOn(this.#atlas, packet, (key) => this.#turn(key));
    const time = this.#now();
    for (const hop of verdict.hops) {
      const flow = hop.datacenterId === null ? undefined : flowOf(hop, packet, time);
      if (flow) this.#ring(hop.datacenterId as string).add(flow);
    }
    return verdict;
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

  // Rules come and go; once in a while everybody begins anew.
  #turn(key: string): number {
    const turn = this.#turns.get(key) ?? 0;
    if (this.#turns.size >= mostTurns) this.#turns.clear();
    this.#turns.set(key, turn + 1);
    return turn;
  }
}
