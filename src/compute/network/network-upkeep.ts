// Keeps the network of real machines in agreement with the resources: every committed change is applied at once, and a
// reconciler repairs what differs.
import type { Log } from '../../base/log.ts';
import type { Epoch } from '../../core/recent-cache.ts';
import type { Reconciler, ReconcilerHome } from '../../core/reconciler.ts';
import type { Store } from '../../core/store.ts';
import type { BalancerAccess } from '../balancing/access-lines.ts';
import { recordAccesses } from '../balancing/machine-accesses.ts';
import { readFlowLogs } from '../flow-log/flow-logs-of-rows.ts';
import type { BalancerMetrics } from './balancer-metrics.ts';
import { readCommittedRows } from './committed-rows.ts';
import type { Certificates, CertificateText } from './linux/balancers/proxy-config.ts';
import { MachineFlows, type MachineFlowsTools } from './machine-flows.ts';
import type { MachineNetwork } from './machine-network.ts';
import type { DatacenterSpec } from './spec.ts';
import { specFromRows } from './spec-from-rows.ts';
import { TopologyIndex } from './topology/topology-index.ts';

export interface NetworkUpkeepTools extends MachineFlowsTools {
  store: Store;
  network: MachineNetwork;
  contracts: () => Promise<readonly number[]>;
  certificate: (contract: number, id: string) => Promise<CertificateText | undefined>;
  balancers: BalancerMetrics;
  accessLog: Pick<BalancerAccess, 'record'>;
  clockOffset(): number; // from the machine's clock to the region's, in ms
  ranges: readonly string[]; // the region's own public addresses
  home: ReconcilerHome; // the node that keeps the machines
  log: Log;
}

const everyMs = 5000;
const flowsEveryMs = 5000; // packets are recorded so late at most
const restMs = 20; // changes that come together are applied together

interface ReadContract {
  epoch: Epoch;
  datacenters: ReadonlySet<string>;
}

export class NetworkUpkeep {
  readonly reconcilers: readonly Reconciler[];
  readonly #tools: NetworkUpkeepTools;
  readonly #index: TopologyIndex;
  readonly #flows: MachineFlows;
  readonly #certificates = new Map<string, Certificates>(); // by datacenter
  readonly #read = new Map<number, ReadContract>();
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #isDirty = false;
  #isClosed = true;

  constructor(tools: NetworkUpkeepTools) {
    this.#tools = tools;
    this.#index = new TopologyIndex(tools.ranges);
    this.#flows = new MachineFlows(tools);
    const { home, network, balancers } = tools;
    this.reconcilers = [
      { name: 'networks', everyMs, home, run: () => this.run() },
      { name: 'machine-flows', everyMs: flowsEveryMs, home, run: () => network.readFlows() },
      { name: 'balancers', everyMs, home, run: async () => balancers.take(await network.readBalancers()) },
    ];
    network.onFlows((flows) => this.#flows.record(flows));
    const contractOf = (id: string): number | undefined =>
      [...this.#read].find(([, { datacenters }]) => datacenters.has(id))?.[0];
    network.onAccesses((accesses) => recordAccesses(accesses, { ...tools, index: this.#index, contractOf }));
    tools.home.follow(() => this.start());
    tools.network.onBoot(() => this.#soon());
    tools.network.onEnd(() => this.run());
    tools.store.follow((writes) => {
      if (writes.some((write) => 'table' in write && (write.table === 'resource' || write.table === 'journal')))
        this.#soon();
    });
  }

  start(): void {
    this.#isClosed = !this.#tools.home.isHere;
    this.#soon();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running?.catch(() => undefined);
    const { home, network, log } = this.#tools;
    if (home.isHere)
      await network.readFlows().catch((error: unknown) => log.warn('the last flows were not recorded', { error }));
  }

  // Applies the current state. Calls during a run share the next one.
  async run(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#running) {
      this.#isDirty = true;
      return this.#running;
    }
    this.#running = this.#untilClean().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  #soon(): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.run().catch((error: unknown) => this.#tools.log.warn('the network was not changed', { error }));
    }, restMs).unref();
  }

  async #untilClean(): Promise<void> {
    do {
      this.#isDirty = false;
      await this.#refresh();
      const { network, ranges } = this.#tools;
      const certificates = new Map([...this.#certificates.values()].flatMap((one) => [...one]));
      await this.#flows.change((logged) => network.apply(this.#index, { ranges, logged, certificates }));
    } while (this.#isDirty && !this.#isClosed);
  }

  // Reads the datacenters of contracts that have changed.
  async #refresh(): Promise<void> {
    const { store, contracts } = this.#tools;
    for (const contract of await contracts()) {
      const epoch = await store.epochOf(contract);
      const before = this.#read.get(contract);
      if (before?.epoch === epoch) continue;
      const ids: string[] = [];
      for await (const { id } of store.each({ contract, place: 'datacenters' })) ids.push(id);
      for (const id of before?.datacenters ?? []) if (!ids.includes(id)) this.#forget(id);
      for (const id of ids) await this.#readDatacenter(contract, id);
      this.#read.set(contract, { epoch, datacenters: new Set(ids) });
    }
  }

  async #readDatacenter(contract: number, id: string): Promise<void> {
    const { store } = this.#tools;
    const rows = await readCommittedRows(store, contract, `datacenters/${id}`, { withNewServers: true });
    if (!rows) return this.#forget(id);
    const spec = await specFromRows(store, contract, id, rows);
    this.#index.put(spec);
    this.#certificates.set(id, await this.#certificatesOf(contract, spec));
    this.#flows.put(id, readFlowLogs(rows, id));
  }

  // A renewal is a change in the contract, so the datacenter is read again.
  async #certificatesOf(contract: number, { applicationLoadBalancers }: DatacenterSpec): Promise<Certificates> {
    const found = new Map<string, CertificateText>();
    for (const { forwardingRules } of applicationLoadBalancers)
      for (const id of forwardingRules.flatMap(({ serverCertificates = [] }) => serverCertificates)) {
        const text = await this.#tools.certificate(contract, id);
        if (text) found.set(id, text);
      }
    return found;
  }

  #forget(datacenterId: string): void {
    this.#index.remove(datacenterId);
    this.#certificates.delete(datacenterId);
    this.#flows.remove(datacenterId);
  }
}
