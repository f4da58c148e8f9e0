// The topologies of all datacenters, indexed: NICs by id, and endpoints by address on each segment and the internet.
// Datacenters are added and removed one by one, so a change costs as much as its datacenter is large.
import { Fault } from '../../../base/fault.ts';
import { type Address, type Range, rangesOf } from '../ip.ts';
import type { DatacenterSpec, NetworkSpec } from '../spec.ts';
import type { Endpoint, NicEndpoint } from './endpoint.ts';
import { type AddressEntry, buildTopology, internet, type Topology } from './topology.ts';

export class TopologyIndex {
  readonly ranges: readonly Range[]; // the region's own public addresses
  #topologies = new Map<string, Topology>();
  #nics = new Map<string, NicEndpoint>();
  #segments = new Map<string, Map<string, AddressEntry[]>>();

  constructor(ranges: readonly string[]) {
    this.ranges = rangesOf(ranges);
  }

  put(spec: DatacenterSpec): void {
    this.remove(spec.id);
    const topology = buildTopology(spec);
    this.#topologies.set(spec.id, topology);
    for (const nic of topology.nics) this.#nics.set(nic.id, nic);
    for (const entry of topology.entries) this.#add(entry);
  }

  remove(datacenterId: string): void {
    const topology = this.#topologies.get(datacenterId);
    if (!topology) return;
    this.#topologies.delete(datacenterId);
    for (const { id } of topology.nics) this.#nics.delete(id);
    for (const entry of topology.entries) this.#delete(entry);
  }

  nic(id: string): NicEndpoint {
    const nic = this.#nics.get(id);
    if (!nic) throw new Fault('missing', `NIC ${id} does not exist in the network.`);
    return nic;
  }

  nics(): Iterable<NicEndpoint> {
    return this.#nics.values();
  }

  endpoint(datacenterId: string, id: string): Endpoint | undefined {
    return this.#topologies.get(datacenterId)?.entries.find(({ endpoint }) => endpoint.id === id)?.endpoint;
  }

  segments(): Iterable<string> {
    return this.#segments.keys();
  }

  // The endpoint of each address on the segment.
  *endpointsOn(segment: string): Iterable<[address: string, endpoint: Endpoint]> {
    for (const [address, [first]] of this.#segments.get(segment) ?? []) if (first) yield [address, first.endpoint];
  }

  onSegment(segment: string, address: Address): Endpoint | undefined {
    return this.#segments.get(segment)?.get(address.text)?.[0]?.endpoint;
  }

  nicOnSegment(segment: string, address: Address): NicEndpoint | undefined {
    const endpoint = this.onSegment(segment, address); // a NIC precedes all others with its address
    return endpoint?.kind === 'nic' ? endpoint : undefined;
  }

  inPublic(address: Address): Endpoint | undefined {
    return this.onSegment(internet, address);
  }

  #add(entry: AddressEntry): void {
    const addresses = this.#segments.get(entry.segment) ?? new Map<string, AddressEntry[]>();
    this.#segments.set(entry.segment, addresses);
    const entries = addresses.get(entry.address);
    if (!entries) addresses.set(entry.address, [entry]);
    else addresses.set(entry.address, [...entries, entry].sort(byPrecedence));
  }

  #delete(entry: AddressEntry): void {
    const addresses = this.#segments.get(entry.segment);
    const rest = addresses?.get(entry.address)?.filter((other) => other !== entry) ?? [];
    if (rest.length > 0) addresses?.set(entry.address, rest);
    else addresses?.delete(entry.address);
    if (addresses?.size === 0) this.#segments.delete(entry.segment);
  }
}

export function indexTopology({ ranges, datacenters }: NetworkSpec): TopologyIndex {
  const topology = new TopologyIndex(ranges);
  for (const datacenter of datacenters) topology.put(datacenter);
  return topology;
}

const kinds = ['nic', 'networkloadbalancer', 'applicationloadbalancer', 'loadbalancer', 'natgateway'];

function byPrecedence(left: AddressEntry, right: AddressEntry): number {
  const byKind = kinds.indexOf(left.endpoint.kind) - kinds.indexOf(right.endpoint.kind);
  if (byKind !== 0) return byKind;
  if (left.endpoint.datacenterId === right.endpoint.datacenterId) return left.order - right.order;
  return left.endpoint.datacenterId < right.endpoint.datacenterId ? -1 : 1;
}
