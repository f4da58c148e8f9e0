// The network of a machine: an interface for each NIC, with its addresses, its routes and its firewall. The machine has
// no right to change them.
import { type Address, addressAt, addressOf, contains, type Range } from '../ip.ts';
import type { NicEndpoint } from '../topology/endpoint.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import type { BalancerAddresses } from './balancers/balancer-addresses.ts';
import { bridgeName, nicDevice, nicPort } from './names.ts';
import { discovery, filterTable, firewallRules } from './packet-rules.ts';
import { type DeviceAddress, type Link, machineKey, type Route, routers, type SourceRule, type Unit } from './unit.ts';

const firstTable = 1000;
const firstMetric = 100;
const lastMetric = 100_000;

export function machineUnit(
  serverId: string,
  nics: readonly NicEndpoint[],
  index: TopologyIndex,
  balancers: BalancerAddresses,
): Unit {
  const used = nics.toSorted((a, b) => a.slot - b.slot);
  const parts = used.map((nic, at) => interfaceOf(nic, at, index, balancers));
  return {
    key: machineKey(serverId),
    links: parts.map(({ link }) => link),
    addresses: parts.flatMap(({ addresses }) => addresses),
    routes: parts.flatMap(({ routes }) => routes),
    sourceRules: parts.flatMap(({ sourceRules }) => sourceRules),
    filter: filterOf(used),
  };
}

interface Interface {
  link: Link;
  addresses: DeviceAddress[];
  routes: Route[];
  sourceRules: SourceRule[];
}

function interfaceOf(
  nic: NicEndpoint,
  at: number,
  index: TopologyIndex,
  { ofNics, ofSegments }: BalancerAddresses,
): Interface {
  const balanced = ofNics.get(nic.id) ?? [];
  const device = nicDevice(nic.slot);
  const link = { device, port: nicPort(nic.id), bridge: nic.lan ? bridgeName(nic.lan.segment) : null, mac: nic.mac };
  const table = firstTable + at;
  const addresses = nic.addresses.map((address) => ({ address, network: networkOf(nic, address) }));
  const routes = routesOf(nic, addresses, index, ofSegments).map((route) => ({ device, ...route }));
  return {
    link,
    addresses: [
      ...addresses.map(({ address, network }) => ({
        device,
        address: `${address.text}/${network?.length ?? all(address)}`,
      })),
      ...balanced.map((address) => ({ device: 'lo', address: `${address}/32` })),
    ],
    routes: [
      ...routes.flatMap((route) => [
        { ...route, metric: firstMetric + at },
        { ...route, table },
      ]),
      // Otherwise a packet from an address of this NIC could leave by another one.
      ...['0.0.0.0/0', '::/0'].map((target) => ({ target, device: null, table, metric: lastMetric })),
    ],
    sourceRules: [
      { device, table },
      ...[...nic.addresses.map(({ text }) => text), ...balanced].map((from) => ({ from, table })),
    ],
  };
}

interface Network {
  range: Range;
  text: string;
  length: number;
}

// The network whose addresses are on the LAN. A private address outside of the LAN's own range gets the usual size.
function networkOf({ lan }: NicEndpoint, address: Address): Network | undefined {
  const range = lan?.ranges.find((one) => contains(one, address)) ?? (lan?.isPublic ? undefined : usualRange(address));
  if (!range) return undefined;
  const length = all(address) - (range.last - range.first).toString(2).replace(/^0$/, '').length;
  return { range, length, text: `${addressAt(range.version, range.first)}/${length}` };
}

function usualRange({ version, value }: Address): Range {
  const host = version === 4 ? 0xffn : 0xffff_ffff_ffff_ffffn;
  return { version, first: value & ~host, last: value | host };
}

const all = ({ version }: Address): number => (version === 4 ? 32 : 128);

function routesOf(
  nic: NicEndpoint,
  addresses: readonly { address: Address; network: Network | undefined }[],
  index: TopologyIndex,
  balancers: BalancerAddresses['ofSegments'],
): Omit<Route, 'device'>[] {
  const routes = new Map<string, Omit<Route, 'device'>>();
  const add = (route: Omit<Route, 'device'>): void => {
    if (!routes.has(route.target)) routes.set(route.target, route);
  };
  for (const { address, network } of addresses) if (network) add({ target: network.text, source: address.text });
  const own = new Set(addresses.map(({ address }) => address.text));
  for (const version of [4, 6] as const) {
    const source = addresses.find(({ address }) => address.version === version)?.address.text;
    if (!nic.lan || source === undefined) continue;
    const near = [...index.endpointsOn(nic.lan.segment)].map(([target]) => target);
    const sending = (balancers.get(nic.lan.segment) ?? []).map(({ text }) => text);
    for (const target of [...near, ...sending])
      if (isVersion(target, version) && !own.has(target) && !isInside(target, addresses))
        add({ target: `${target}/${version === 4 ? 32 : 128}`, source });
    const via = nic.lan.isPublic ? routers[version] : gatewayOf(nic, version, index);
    if (via !== undefined) add({ target: version === 4 ? '0.0.0.0/0' : '::/0', via, source });
  }
  return [...routes.values()];
}

const isVersion = (address: string, version: 4 | 6): boolean => address.includes(':') === (version === 6);

function isInside(target: string, addresses: readonly { network: Network | undefined }[]): boolean {
  return addresses.some(({ network }) => network && containsText(network.range, target));
}

function containsText(range: Range, text: string): boolean {
  const address = addressOf(text);
  return address !== undefined && contains(range, address);
}

// The address of the LAN's NAT gateway.
function gatewayOf({ lan, datacenterId }: NicEndpoint, version: 4 | 6, index: TopologyIndex): string | undefined {
  if (!lan || lan.gateways.length === 0) return undefined;
  for (const [address, endpoint] of index.endpointsOn(lan.segment))
    if (endpoint.kind === 'natgateway' && endpoint.datacenterId === datacenterId && isVersion(address, version))
      return address;
  return undefined;
}

// Replies of accepted connections pass, other packets are decided by the chain of their interface.
function filterOf(nics: readonly NicEndpoint[]): string {
  const chains = nics.flatMap((nic) => {
    const device = nicDevice(nic.slot);
    return [
      `chain in-${device} {`,
      ...firewallRules(nic, 'INGRESS'),
      '}',
      `chain out-${device} {`,
      ...firewallRules(nic, 'EGRESS'),
      '}',
    ];
  });
  const entry = (hook: 'input' | 'output', match: 'iifname' | 'oifname', prefix: 'in' | 'out'): string[] => [
    `chain ${hook} {`,
    `type filter hook ${hook} priority 0; policy drop;`,
    `${hook === 'input' ? 'iif' : 'oif'} lo accept`,
    `${discovery} accept`,
    'ct state established,related accept',
    'ct state invalid counter drop comment "invalid"',
    ...nics.map(({ slot }) => `${match} "${nicDevice(slot)}" jump ${prefix}-${nicDevice(slot)}`),
    '}',
  ];
  return filterTable([
    ...chains,
    ...entry('input', 'iifname', 'in'),
    ...entry('output', 'oifname', 'out'),
    'chain forward {',
    'type filter hook forward priority 0; policy drop;',
    '}',
  ]);
}
