// The landscapes that the network engine was told, and whether they still hold: as long as nothing of a contract has
// changed, none of its datacenters is read again; and one that reads as before is not told again.
// A datacenter that is out of date may still have, for the engine, an address or a place on a cross connect that others
// have by now. `near` finds such ones, so that they are read again before a packet is judged.
import { hash } from 'node:crypto';
import type { Epoch } from '../../core/recent-cache.ts';
import type { Store } from '../../core/store.ts';
import type { NetworkEngine } from './engine.ts';
import { addressesOf, isPublic } from './ip.ts';
import type { DatacenterLandscape } from './landscape.ts';
import { landscapeOf } from './landscape-of.ts';
import { connectedBy, type Whereabouts } from './whereabouts.ts';

export interface Known {
  contract: number;
  epoch: Epoch; // from before it was read
  digest: string;
  servers: ReadonlyMap<string, string>; // by their NICs
  pccs: readonly string[];
  peers: readonly Whereabouts[]; // what its cross connects connect
  marks: readonly string[]; // what it is found by
}

export type Mark = `nic ${string}` | `ip ${string}` | `pcc ${string}`;

const mostReadings = 3;
const sweptFrom = 100;

export class KnownLandscapes {
  #store: Store;
  #engine: NetworkEngine;
  #known = new Map<string, Known>();
  #marks = new Map<string, Set<string>>();
  #reading = new Map<string, Promise<void>>();
  #generation = 0;
  #sweepAt = sweptFrom;

  constructor(store: Store, engine: NetworkEngine) {
    this.#store = store;
    this.#engine = engine;
  }

  get(datacenterId: string): Known | undefined {
    return this.#known.get(datacenterId);
  }

  near(mark: Mark): Whereabouts[] {
    const ids = [...(this.#marks.get(mark) ?? [])];
    return ids.map((datacenterId) => ({ contract: (this.#known.get(datacenterId) as Known).contract, datacenterId }));
  }

  // The datacenter as it is now, which the engine knows from then on. Undefined: it is gone.
  async fresh({ contract, datacenterId }: Whereabouts): Promise<Known | undefined> {
    const epoch = await this.#store.epochOf(contract);
    if (this.#known.get(datacenterId)?.epoch !== epoch) await this.#renew(contract, datacenterId, epoch);
    return this.#known.get(datacenterId);
  }

  // Readings of one datacenter come one after another. The one that is under way may have begun before the change that
  // is waited for; one that begins after it has not.
  async #renew(contract: number, id: string, epoch: Epoch): Promise<void> {
    const before = this.#reading.get(id);
    if (before) {
      await before.catch(() => undefined);
      if (this.#known.get(id)?.epoch === epoch) return;
    }
    const reading = this.#reading.get(id) ?? this.#read(contract, id).finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  async #read(contract: number, id: string): Promise<void> {
    const { epoch, landscape, peers } = await this.#readWhole(contract, id);
    if (!landscape) return this.#forget(id);
    const digest = hash('sha256', JSON.stringify(landscape));
    if (digest !== this.#known.get(id)?.digest) await this.#engine.apply(landscape, ++this.#generation);
    const marks = marksOf(landscape);
    this.#unmark(id);
    const servers = new Map(landscape.nics.map((nic) => [nic.id, nic.server]));
    this.#known.set(id, { contract, epoch, digest, servers, pccs: pccsOf(landscape), peers, marks });
    for (const mark of marks) {
      const ids = this.#marks.get(mark);
      if (ids) ids.add(id);
      else this.#marks.set(mark, new Set([id]));
    }
    if (this.#known.size >= this.#sweepAt) await this.#sweep();
  }

  // What changes while it is read may be seen by half: it is read again, but not for ever.
  async #readWhole(contract: number, id: string) {
    for (let readings = 1; ; readings++) {
      const epoch = await this.#store.epochOf(contract);
      const landscape = await landscapeOf(this.#store, contract, id);
      const pccs = landscape ? pccsOf(landscape) : [];
      const peers = (await Promise.all(pccs.map((pcc) => connectedBy(this.#store, contract, pcc)))).flat();
      if (readings === mostReadings || (await this.#store.epochOf(contract)) === epoch)
        return { epoch, landscape, peers };
    }
  }

  async #forget(id: string): Promise<void> {
    this.#unmark(id);
    this.#known.delete(id);
    await this.#engine.remove(id);
  }

  #unmark(id: string): void {
    for (const mark of this.#known.get(id)?.marks ?? []) {
      const ids = this.#marks.get(mark);
      ids?.delete(id);
      if (ids?.size === 0) this.#marks.delete(mark);
    }
  }

  // Datacenters that nobody sends to any more are not asked for, so those that are gone are looked for now and then.
  async #sweep(): Promise<void> {
    for (const [id, { contract }] of [...this.#known])
      if (!this.#reading.has(id) && !(await this.#store.get(contract, 'datacenters', id))) await this.#forget(id);
    this.#sweepAt = Math.max(sweptFrom, 2 * this.#known.size);
  }
}

const pccsOf = ({ lans }: DatacenterLandscape): string[] => [...new Set(lans.flatMap(({ pcc }) => pcc ?? []))];

function marksOf(landscape: DatacenterLandscape): Mark[] {
  const { nics, networkLoadBalancers, applicationLoadBalancers, loadBalancers, natGateways } = landscape;
  const addresses = addressesOf([
    ...nics.flatMap(({ ips, ipv6Ips }) => [...ips, ...ipv6Ips]),
    ...landscape.lans.flatMap(({ ipFailover }) => ipFailover.map(({ ip }) => ip)),
    ...[...networkLoadBalancers, ...applicationLoadBalancers].flatMap(({ ips }) => ips),
    ...loadBalancers.flatMap(({ ip }) => ip ?? []),
    ...natGateways.flatMap(({ publicIps }) => publicIps),
  ]);
  return [
    ...nics.map(({ id }): Mark => `nic ${id}`),
    ...addresses.filter(isPublic).map(({ text }): Mark => `ip ${text}`),
    ...pccsOf(landscape).map((pcc): Mark => `pcc ${pcc}`),
  ];
}
