// Live traffic of the diagram's edges: rates from two readings of the counters of all interfaces in LANs.
import { formatValue } from '../../plot/units.ts';
import { deviceKey, type Edge, type Graph, lanKey, nodesOfServers } from './graph.ts';
import type { Landscape } from './landscape.ts';

export interface Rate {
  inBytes: number; // to the server or device, per second
  inPackets: number;
  outBytes: number;
  outPackets: number;
}

export interface Reading {
  atMs: number;
  interfaces: readonly ({ id: string; lan: string } & Rate)[]; // counters
}

// By the id of the interface and its LAN.
export type Rates = ReadonlyMap<string, Rate>;

export const noRates: Rates = new Map();
export const everyMs = 3000;
const longestMs = 4 * everyMs; // an older reading was before the page was hidden
const quietBytes = 100; // per second: neighbours that look for each other
const names = ['inBytes', 'inPackets', 'outBytes', 'outPackets'] as const;

const keyOf = (id: string, lan: string): string => `${id} ${lan}`;

// Undefined: the same reading again, so the last rates are valid.
export function ratesOf(before: Reading | undefined, now: Reading): Rates | undefined {
  const lengthMs = now.atMs - (before?.atMs ?? 0);
  if (lengthMs === 0) return undefined;
  if (!before || lengthMs < 0 || lengthMs > longestMs) return noRates;
  const known = new Map(before.interfaces.map((one) => [keyOf(one.id, one.lan), one]));
  const rates = new Map<string, Rate>();
  for (const one of now.interfaces) {
    const last = known.get(keyOf(one.id, one.lan));
    const rate = rateOf((name) => ((one[name] - (last?.[name] ?? 0)) * 1000) / lengthMs);
    const isNewer = names.every((name) => rate[name] >= 0); // a machine that has booted counts from 0
    if (isNewer && rate.inBytes + rate.outBytes >= quietBytes) rates.set(keyOf(one.id, one.lan), rate);
  }
  return rates.size === 0 ? noRates : rates;
}

const rateOf = (of: (name: (typeof names)[number]) => number): Rate => ({
  inBytes: of('inBytes'),
  inPackets: of('inPackets'),
  outBytes: of('outBytes'),
  outPackets: of('outPackets'),
});

const sumOf = (rates: readonly Rate[]): Rate | undefined =>
  rates.length === 0 ? undefined : rateOf((name) => rates.reduce((sum, rate) => sum + rate[name], 0));

export interface EdgeTraffic extends Rate {
  isAtEnd: boolean; // the server or device is at the end of the edge, and the LAN at its beginning
}

// The traffic of each edge between a LAN and a server, cluster or device, by the key of the edge.
export function trafficOfEdges(rates: Rates, { servers }: Landscape, graph: Graph): ReadonlyMap<string, EdgeTraffic> {
  const traffic = new Map<string, EdgeTraffic>();
  if (rates.size === 0) return traffic;
  const byServer = nodesOfServers(graph);
  const nodeOf = new Map(
    servers.flatMap(({ id, nics }) => nics.map((nic) => [nic.id, byServer.get(id) ?? ''] as const)),
  );
  const edges = new Map(
    graph.edges.flatMap((edge) => [edge.from, edge.to].map((end) => [otherEnd(edge, end), edge] as const)),
  );
  for (const [key, rate] of rates) {
    const [id = '', lan = ''] = key.split(' ');
    const node = nodeOf.get(id) ?? deviceKey(id);
    const edge = edges.get(`${lanKey(lan)} - ${node}`);
    if (!edge) continue;
    const known = traffic.get(edge.key);
    const sum = sumOf(known ? [known, rate] : [rate]) as Rate;
    traffic.set(edge.key, { ...sum, isAtEnd: edge.to === node });
  }
  return traffic;
}

const otherEnd = ({ from, to }: Edge, first: string): string => `${first} - ${first === from ? to : from}`;

export const rateOfInterfaces = (rates: Rates, interfaces: readonly { id: string; lan: string }[]): Rate | undefined =>
  sumOf(interfaces.flatMap(({ id, lan }) => rates.get(keyOf(id, lan)) ?? []));

export const bytesText = ({ inBytes, outBytes }: Rate): string =>
  formatValue(Math.round(inBytes + outBytes), 'byteRate');

export const packetsText = ({ inPackets, outPackets }: Rate): string =>
  `${formatValue(Math.max(1, Math.round(inPackets + outPackets)), 'number')} packets/s`;

export function rateText(rate: Rate): string {
  const way = (bytes: number, packets: number): string =>
    `${formatValue(Math.round(bytes), 'byteRate')} (${formatValue(Math.round(packets * 10) / 10, 'number')} packets/s)`;
  return `in ${way(rate.inBytes, rate.inPackets)}, out ${way(rate.outBytes, rate.outPackets)}`;
}
