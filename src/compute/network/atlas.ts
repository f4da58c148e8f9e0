// The landscape as it is looked things up in: NICs by id, and on each segment and the internet who has an address.
// A datacenter is put in or taken out by itself, so a change costs what that datacenter is large.
import { Fault } from '../../base/fault.ts';
import { type Chart, chartOf, internet, type Placed } from './chart.ts';
import { type Address, type Range, rangesOf } from './ip.ts';
import type { DatacenterLandscape, Landscape } from './landscape.ts';
import type { NicPlace, Station } from './station.ts';

export class Atlas {
  readonly ranges: readonly Range[]; // the region's own public addresses
  #charts = new Map<string, Chart>();
  #nics = new Map<string, NicPlace>();
  #books = new Map<string, Map<string, Placed[]>>();

  constructor(ranges: readonly string[]) {
    this.ranges = rangesOf(ranges);
  }

  put(landscape: DatacenterLandscape): void {
    this.remove(landscape.id);
    const chart = chartOf(landscape);
    this.#charts.set(landscape.id, chart);
    for (const nic of chart.nics) this.#nics.set(nic.id, nic);
    for (const placed of chart.placed) this.#enter(placed);
  }

  remove(datacenterId: string): void {
    const chart = this.#charts.get(datacenterId);
    if (!chart) return;
    this.#charts.delete(datacenterId);
    for (const { id } of chart.nics) this.#nics.delete(id);
    for (const placed of chart.placed) this.#strike(placed);
  }

  nic(id: string): NicPlace {
    const nic = this.#nics.get(id);
    if (!nic) throw new Fault('missing', `There is no NIC ${id} in the network.`);
    return nic;
  }

  onSegment(segment: string, address: Address): Station | undefined {
    return this.#books.get(segment)?.get(address.text)?.[0]?.station;
  }

  nicOnSegment(segment: string, address: Address): NicPlace | undefined {
    const station = this.onSegment(segment, address); // NICs come first of those who have an address
    return station?.kind === 'nic' ? station : undefined;
  }

  inPublic(address: Address): Station | undefined {
    return this.onSegment(internet, address);
  }

  #enter(placed: Placed): void {
    const book = this.#books.get(placed.segment) ?? new Map<string, Placed[]>();
    this.#books.set(placed.segment, book);
    const there = book.get(placed.address);
    if (!there) book.set(placed.address, [placed]);
    else book.set(placed.address, [...there, placed].sort(inTurn));
  }

  #strike(placed: Placed): void {
    const book = this.#books.get(placed.segment);
    const rest = book?.get(placed.address)?.filter((other) => other !== placed) ?? [];
    if (rest.length > 0) book?.set(placed.address, rest);
    else book?.delete(placed.address);
    if (book?.size === 0) this.#books.delete(placed.segment);
  }
}

export function atlasOf({ ranges, datacenters }: Landscape): Atlas {
  const atlas = new Atlas(ranges);
  for (const datacenter of datacenters) atlas.put(datacenter);
  return atlas;
}

const kinds = ['nic', 'networkloadbalancer', 'applicationloadbalancer', 'loadbalancer', 'natgateway'];

function inTurn(one: Placed, other: Placed): number {
  const byKind = kinds.indexOf(one.station.kind) - kinds.indexOf(other.station.kind);
  if (byKind !== 0) return byKind;
  const [left, right] = [one.station.datacenterId, other.station.datacenterId];
  return left === right ? one.order - other.order : left < right ? -1 : 1;
}
