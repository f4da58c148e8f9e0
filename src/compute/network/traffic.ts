// Traffic of a contract: a packet is evaluated by the current state of the datacenters that it can concern, and its
// verdict shows what the contract may see. A change applies as soon as its request is DONE. Flows of interfaces with a
// flow log are on disk before the verdicts are returned.

import { iso } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { type Caller, maySee } from '../../core/access.ts';
import { GatheredUsage } from '../../core/metering/gathered-usage.ts';
import { missingResource } from '../../core/missing-resource.ts';
import type { Key, Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { TimeSlice } from '../../core/threads/time-slice.ts';
import type { BalancerAccess } from '../balancing/access-lines.ts';
import { type CapturingFlowLog, captures, type FlowCapture } from '../flow-log/capture.ts';
import type { PassedFlow } from '../flow-log/flow-totals.ts';
import { added, noTraffic, type Passed, recordTraffic } from '../machine/received-traffic.ts';
import { AppliedSpecs } from './applied-specs.ts';
import type { Flow, NetworkEngine } from './engine.ts';
import { flowOf } from './flows.ts';
import { addInternetTraffic } from './internet-traffic.ts';
import { addressOf } from './ip.ts';
import { type LanInterface, SimulatedPorts } from './lan-interfaces.ts';
import type { MachineNetwork } from './machine-network.ts';
import { type DatacenterRef, datacenterOfNic, datacentersWithAddress } from './packet-scope.ts';
import { sendReal } from './real-packet.ts';
import type { Packet, Verdict } from './verdict.ts';
import { type RealOutcome, type VerdictView, viewVerdict } from './verdict-view.ts';

// The public addresses that the region assigns (addresses.ts, ipv6.ts).
export const regionRanges = ['198.18.0.0/15', '2001:db8::/32'];

interface MeteredServer {
  server: Key;
  passed: Passed;
}

export interface Repeat {
  count?: number;
  sourcePortStep?: number; // from one packet to the next
}

// Captures flows; `capture` is undefined without a storage to publish them to.
export interface FlowLogging {
  capture(): FlowCapture | undefined;
  now(): number;
  balancers?: Pick<BalancerAccess, 'note'>; // write a line of each access
}

export class Traffic {
  readonly simulated = new SimulatedPorts();
  #store: Store;
  #engine: NetworkEngine;
  #applied: AppliedSpecs;
  #flowLogs: FlowLogging | undefined;
  #real: Pick<MachineNetwork, 'sendPacket'> | undefined;

  constructor(
    store: Store,
    engine: NetworkEngine,
    flowLogs?: FlowLogging,
    real?: Pick<MachineNetwork, 'sendPacket'>, // of real machines
  ) {
    this.#store = store;
    this.#engine = engine;
    this.#flowLogs = flowLogs;
    this.#real = real;
    this.#applied = new AppliedSpecs(store, engine);
  }

  // Sends the packet several times, with one verdict each.
  async send(contract: number, packet: Packet, { count = 1, sourcePortStep = 0 }: Repeat = {}): Promise<VerdictView[]> {
    await this.#refreshAll([...(await this.#source(contract, packet)), ...(await this.#target(packet))]);
    const shown: VerdictView[] = [];
    const names = new Map<string, string | null>();
    const passed = new Map<CapturingFlowLog, PassedFlow[]>();
    const metered = new Map<string, MeteredServer>();
    const capture = this.#flowLogs?.capture();
    const contractOf = (id: string): number | undefined => this.#applied.get(id)?.contract;
    const billed = new GatheredUsage(this.#store, () => this.#flowLogs?.now() ?? 0);
    const slice = new TimeSlice();
    for (let sent = 0; sent < count; sent++) {
      await slice.pause();
      const { sourcePort = 0 } = packet;
      const each = sourcePortStep === 0 ? packet : { ...packet, sourcePort: sourcePort + sent * sourcePortStep };
      const verdict = await this.#engine.send(each);
      if (capture) this.#collect(verdict, each, passed);
      addInternetTraffic(billed, verdict, each, contractOf);
      await this.#flowLogs?.balancers?.note(verdict, each, contractOf);
      this.#meter(verdict, each, metered);
      for (const hop of verdict.hops) this.simulated.add(hop, each);
      shown.push(await viewVerdict(verdict, each, this.#lookup(contract, names)));
    }
    for (const { server, passed: sum } of metered.values())
      await recordTraffic(this.#store, server, sum, this.#flowLogs?.now() ?? 0);
    await capture?.record(passed);
    if (this.#flowLogs) await billed.flush();
    return shown;
  }

  // Sends the packet through the network of real machines, which counts it. The verdict is a prediction.
  async sendReal(contract: number, packet: Packet): Promise<VerdictView & { real: RealOutcome }> {
    if (!this.#real) throw new Fault('refused', unreal, { code: '200' });
    const [source] = await this.#source(contract, packet);
    await this.#refreshAll([...(source ? [source] : []), ...(await this.#target(packet))]);
    const verdict = await this.#engine.trace(packet);
    const shown = await viewVerdict(verdict, packet, this.#lookup(contract, new Map()));
    const nic = 'nicId' in packet.from ? packet.from.nicId : '';
    const server = source && this.#applied.get(source.datacenterId)?.servers.get(nic);
    return { ...shown, real: await sendReal(this.#real, packet, verdict, server, regionRanges) };
  }

  // The verdict on the packet, without sending it. It is for callers that may see both ends: an address or a NIC of
  // another contract is reported as missing, and hops in datacenters of others are shown by their outcome alone.
  async trace(caller: Caller, packet: Packet): Promise<VerdictView> {
    const { contract } = caller;
    const ends = [...(await this.#source(contract, packet)), ...(await this.#target(packet))];
    for (const end of ends) await this.#demandSight(caller, end);
    await this.#refreshAll(ends);
    const verdict = await this.#engine.trace(packet);
    const { arrived } = verdict;
    const places = new Set(verdict.hops.flatMap(({ datacenterId }) => datacenterId ?? []));
    const seen = new Set<string>();
    for (const id of places) if (await this.#isSeen(caller, id)) seen.add(id);
    if (arrived && 'datacenterId' in arrived && !seen.has(arrived.datacenterId)) throw missing();
    const lookup = this.#lookup(contract, new Map());
    const isForeign = (id: string | null): boolean => id !== null && !seen.has(id);
    return viewVerdict(verdict, packet, { ...lookup, isForeign });
  }

  // The first address of a NIC that the caller may see.
  async addressOfNic(caller: Caller, nicId: string): Promise<string> {
    const { contract } = caller;
    const [found] = await this.#source(contract, { from: { nicId }, to: '', protocol: 'TCP' });
    if (found) await this.#demandSight(caller, found);
    const server = found && this.#applied.get(found.datacenterId)?.servers.get(nicId);
    const row = await this.#store.at(contract, `datacenters/${found?.datacenterId}/servers/${server}/nics/${nicId}`);
    const { ips = [], ipv6Ips } = (row ? JSON.parse(row.body) : {}) as { ips?: string[]; ipv6Ips?: string[] | null };
    const [address] = [...ips, ...(ipv6Ips ?? [])];
    if (address === undefined) throw new Fault('refused', `NIC ${nicId} has no address.`);
    return address;
  }

  async #demandSight(caller: Caller, { contract, datacenterId }: DatacenterRef): Promise<void> {
    if (contract !== caller.contract || !(await this.#isSeen(caller, datacenterId))) throw missing();
  }

  async #isSeen(caller: Caller, datacenterId: string): Promise<boolean> {
    const row = await this.#store.get(caller.contract, 'datacenters', datacenterId);
    return row !== undefined && maySee(caller, row);
  }

  // The flows of a packet at interfaces with a flow log, in any contract.
  #collect({ hops }: Verdict, packet: Packet, passed: Map<CapturingFlowLog, PassedFlow[]>): void {
    const time = this.#flowLogs?.now() ?? 0;
    for (const hop of hops) {
      const flowLog = hop.datacenterId === null ? undefined : this.#applied.get(hop.datacenterId)?.flowLogs.get(hop.id);
      const flow = flowLog && flowOf(hop, packet, time);
      if (!flow || !captures(flowLog, flow)) continue;
      const flows = passed.get(flowLog);
      if (flows) flows.push(flow);
      else passed.set(flowLog, [flow]);
    }
  }

  // Traffic through the NICs of servers counts into the usage of their machines.
  #meter({ hops }: Verdict, packet: Packet, metered: Map<string, MeteredServer>): void {
    const { packets = 1, bytes = 60 } = packet;
    for (const hop of hops) {
      if (hop.kind !== 'nic' || hop.datacenterId === null || hop.action !== 'ACCEPT') continue;
      const spec = this.#applied.get(hop.datacenterId);
      const id = spec?.servers.get(hop.id);
      if (!spec || id === undefined) continue;
      const isIn = hop.direction === 'INGRESS';
      const passed = isIn
        ? { ...noTraffic, inBytes: bytes, inPackets: packets }
        : { ...noTraffic, outBytes: bytes, outPackets: packets };
      const place = `datacenters/${hop.datacenterId}/servers`;
      const known = metered.get(id) ?? { server: { contract: spec.contract, place, id }, passed: noTraffic };
      metered.set(id, { ...known, passed: added(known.passed, passed) });
    }
  }

  async interfaces({ contract, id }: Row): Promise<readonly LanInterface[]> {
    return (await this.#applied.refresh({ contract, datacenterId: id }))?.interfaces ?? [];
  }

  async flows(datacenter: Row, since: number, limit: number): Promise<Values> {
    const { flows, next, skipped } = await this.#engine.flows(datacenter.id, since, limit);
    return { flows: flows.map(viewFlow), next, skipped };
  }

  // The datacenter of the sending NIC. A NIC of another contract does not exist for the caller.
  async #source(contract: number, { from }: Packet): Promise<DatacenterRef[]> {
    if (!('nicId' in from)) return [];
    const { nicId } = from;
    const found = this.#applied.holding(`nic ${nicId}`)[0] ?? (await datacenterOfNic(this.#store, contract, nicId));
    const datacenter = found?.contract === contract ? await this.#applied.refresh(found) : undefined;
    if (!found || !datacenter?.servers.has(nicId)) throw missingResource({ name: 'NIC' }, nicId);
    return [found];
  }

  // The datacenters that have the target address now, and those that had it.
  async #target({ to }: Packet): Promise<DatacenterRef[]> {
    const address = addressOf(to);
    return address
      ? [...(await datacentersWithAddress(this.#store, address)), ...this.#applied.holding(`ip ${address.text}`)]
      : [];
  }

  // These datacenters, and all that share a cross connect with one of them.
  async #refreshAll(places: DatacenterRef[]): Promise<void> {
    const refreshed = new Set<string>();
    for (const place of places) {
      if (refreshed.has(place.datacenterId)) continue;
      refreshed.add(place.datacenterId);
      const known = await this.#applied.refresh(place);
      for (const pcc of known?.pccs ?? []) places.push(...this.#applied.holding(`pcc ${pcc}`));
      places.push(...(known?.peers ?? []));
    }
  }

  #lookup(contract: number, names: Map<string, string | null>) {
    return {
      isForeign: (id: string | null) => id !== null && this.#applied.get(id)?.contract !== contract,
      serverOf: (datacenterId: string, nicId: string) => this.#applied.get(datacenterId)?.servers.get(nicId),
      nameOf: async (path: string): Promise<string | null> => {
        const known = names.get(path);
        if (known !== undefined) return known;
        const row = await this.#store.at(contract, path);
        const name = row ? (JSON.parse(row.body) as { name: string | null }).name : null;
        names.set(path, name);
        return name;
      },
    };
  }
}

const unreal =
  'The machines of this region are simulated, so no real packet can be sent. Start the region with --machines docker.';

// Names neither kind nor id: the caller may not know in which datacenter an address is.
const missing = (): Fault => new Fault('missing', 'Resource does not exist');

const viewFlow = ({ time, kind, ...rest }: Flow): Values => ({ time: iso(time), type: kind, ...rest });
