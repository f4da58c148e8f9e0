// The specs that were applied to the network engine. A datacenter is read again only after its contract changed, and
// applied again only if its spec differs.
// The engine may still have an outdated datacenter with an address or a cross connect that now belongs to another one.
// `holding` finds such datacenters, so that they are refreshed before a packet is evaluated.
import { hash } from 'node:crypto';
import type { Epoch } from '../../core/recent-cache.ts';
import type { Store } from '../../core/store.ts';
import type { CapturingFlowLog } from '../flow-log/capture.ts';
import { readFlowLogs } from '../flow-log/flow-logs-of-rows.ts';
import { readCommittedRows } from './committed-rows.ts';
import type { NetworkEngine } from './engine.ts';
import { addressesOf, isPublic } from './ip.ts';
import { type LanInterface, lanInterfacesOf } from './lan-interfaces.ts';
import { type DatacenterRef, datacentersOnCrossConnect } from './packet-scope.ts';
import type { DatacenterSpec } from './spec.ts';
import { specFromRows } from './spec-from-rows.ts';

export interface AppliedSpec {
  contract: number;
  epoch: Epoch; // before it was read
  digest: string;
  servers: ReadonlyMap<string, string>; // by NIC
  interfaces: readonly LanInterface[];
  pccs: readonly string[];
  peers: readonly DatacenterRef[]; // the datacenters on its cross connects
  flowLogs: ReadonlyMap<string, CapturingFlowLog>; // by the id of their interface
  keys: readonly string[]; // its keys in the index
}

export type IndexKey = `nic ${string}` | `ip ${string}` | `pcc ${string}`;

const maxReads = 3;
const minSweepSize = 100;
const noFlowLogs = new Map<string, CapturingFlowLog>();

export class AppliedSpecs {
  #store: Store;
  #engine: NetworkEngine;
  #applied = new Map<string, AppliedSpec>();
  #index = new Map<string, Set<string>>();
  #reading = new Map<string, Promise<void>>();
  #generation = 0;
  #sweepAt = minSweepSize;

  constructor(store: Store, engine: NetworkEngine) {
    this.#store = store;
    this.#engine = engine;
  }

  get(datacenterId: string): AppliedSpec | undefined {
    return this.#applied.get(datacenterId);
  }

  holding(key: IndexKey): DatacenterRef[] {
    const ids = [...(this.#index.get(key) ?? [])];
    return ids.map((datacenterId) => ({
      contract: (this.#applied.get(datacenterId) as AppliedSpec).contract,
      datacenterId,
    }));
  }

  // Applies the current datacenter. Undefined: it does not exist any more.
  async refresh({ contract, datacenterId }: DatacenterRef): Promise<AppliedSpec | undefined> {
    const epoch = await this.#store.epochOf(contract);
    if (this.#applied.get(datacenterId)?.epoch !== epoch) await this.#refreshSince(contract, datacenterId, epoch);
    return this.#applied.get(datacenterId);
  }

  // Reads of a datacenter are serialized. A read in progress may have begun before the change that the caller expects,
  // so the caller waits for it and then for one more.
  async #refreshSince(contract: number, id: string, epoch: Epoch): Promise<void> {
    const before = this.#reading.get(id);
    if (before) {
      await before.catch(() => undefined);
      if (this.#applied.get(id)?.epoch === epoch) return;
    }
    const reading = this.#reading.get(id) ?? this.#read(contract, id).finally(() => this.#reading.delete(id));
    this.#reading.set(id, reading);
    return reading;
  }

  async #read(contract: number, id: string): Promise<void> {
    const { epoch, spec, flowLogs, peers } = await this.#readWhole(contract, id);
    if (!spec) return this.#forget(id);
    const digest = hash('sha256', JSON.stringify(spec));
    if (digest !== this.#applied.get(id)?.digest) await this.#engine.apply(spec, ++this.#generation);
    const keys = keysOf(spec);
    this.#unindex(id);
    const servers = new Map(spec.nics.map((nic) => [nic.id, nic.server]));
    const found = { servers, interfaces: lanInterfacesOf(spec), pccs: pccsOf(spec), peers, flowLogs, keys };
    this.#applied.set(id, { contract, epoch, digest, ...found });
    for (const key of keys) {
      const ids = this.#index.get(key);
      if (ids) ids.add(id);
      else this.#index.set(key, new Set([id]));
    }
    if (this.#applied.size >= this.#sweepAt) await this.#sweep();
  }

  // A change during the read may be visible in part, so the datacenter is read again, a few times at most.
  async #readWhole(contract: number, id: string) {
    for (let reads = 1; ; reads++) {
      const epoch = await this.#store.epochOf(contract);
      const rows = await readCommittedRows(this.#store, contract, `datacenters/${id}`);
      const spec = rows && (await specFromRows(this.#store, contract, id, rows));
      const pccs = spec ? pccsOf(spec) : [];
      const peers = (
        await Promise.all(pccs.map((pcc) => datacentersOnCrossConnect(this.#store, contract, pcc)))
      ).flat();
      if (reads === maxReads || (await this.#store.epochOf(contract)) === epoch)
        return { epoch, spec, flowLogs: rows ? readFlowLogs(rows, id) : noFlowLogs, peers };
    }
  }

  async #forget(id: string): Promise<void> {
    this.#unindex(id);
    this.#applied.delete(id);
    await this.#engine.remove(id);
  }

  #unindex(id: string): void {
    for (const key of this.#applied.get(id)?.keys ?? []) {
      const ids = this.#index.get(key);
      ids?.delete(id);
      if (ids?.size === 0) this.#index.delete(key);
    }
  }

  // Deleted datacenters that get no more traffic are removed now and then.
  async #sweep(): Promise<void> {
    for (const [id, { contract }] of [...this.#applied])
      if (!this.#reading.has(id) && !(await this.#store.get(contract, 'datacenters', id))) await this.#forget(id);
    this.#sweepAt = Math.max(minSweepSize, 2 * this.#applied.size);
  }
}

const pccsOf = ({ lans }: DatacenterSpec): string[] => [...new Set(lans.flatMap(({ pcc }) => pcc ?? []))];

function keysOf(spec: DatacenterSpec): IndexKey[] {
  const { nics, networkLoadBalancers, applicationLoadBalancers, loadBalancers, natGateways } = spec;
  const addresses = addressesOf([
    ...nics.flatMap(({ ips, ipv6Ips }) => [...ips, ...ipv6Ips]),
    ...spec.lans.flatMap(({ ipFailover }) => ipFailover.map(({ ip }) => ip)),
    ...[...networkLoadBalancers, ...applicationLoadBalancers].flatMap(({ ips }) => ips),
    ...loadBalancers.flatMap(({ ip }) => ip ?? []),
    ...natGateways.flatMap(({ publicIps }) => publicIps),
  ]);
  return [
    ...nics.map(({ id }): IndexKey => `nic ${id}`),
    ...addresses.filter(isPublic).map(({ text }): IndexKey => `ip ${text}`),
    ...pccsOf(spec).map((pcc): IndexKey => `pcc ${pcc}`),
  ];
}
