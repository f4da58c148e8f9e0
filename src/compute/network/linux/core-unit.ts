// The core routes between public LANs, NAT gateways and the world outside. Private LANs have only bridges there, so
// they never meet.
import type { Endpoint } from '../topology/endpoint.ts';
import { internet } from '../topology/topology.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import { bridgeName, natUplink } from './names.ts';
import { gatewayRouters } from './nat-unit.ts';
import { outsideChains, outsideDevice } from './outside.ts';
import { filterTable, unroutedRules } from './packet-rules.ts';
import { coreKey, routers, servicesAddress, type Unit, versionOf } from './unit.ts';

export interface Uplink {
  device: string; // of the core, to the world outside
  isMasked: boolean; // packets leave with the address of that device, because the world has no route to the region
}

export function coreUnit(index: TopologyIndex, ranges: readonly string[], uplink: Uplink): Unit {
  const owners = [...index.endpointsOn(internet)].flatMap(([address, endpoint]) => {
    const way = wayTo(endpoint, versionOf(address));
    return way === undefined ? [] : [{ address, ...way }];
  });
  const devices = [...new Set(owners.map(({ device }) => device))];
  const all = (address: string): string => `${address}/${versionOf(address) === 4 ? 32 : 128}`;
  return {
    key: coreKey,
    links: [],
    addresses: [
      { device: 'lo', address: `${servicesAddress}/32` },
      ...devices.flatMap((device) => [
        { device, address: `${routers[4]}/32` },
        { device, address: `${routers[6]}/64` },
      ]),
    ],
    routes: owners.map(({ address, ...way }) => ({ target: all(address), ...way })),
    sourceRules: [],
    filter: filterOf(owners, ranges, uplink),
  };
}

interface Way {
  device: string;
  via?: string;
}

function wayTo(endpoint: Endpoint, version: 4 | 6): Way | undefined {
  if (endpoint.kind === 'natgateway') return { device: natUplink(endpoint.datacenterId), via: gatewayRouters[version] };
  return endpoint.lan && { device: bridgeName(endpoint.lan.segment) };
}

interface Owner extends Way {
  address: string;
}

// Name resolution and the relay to the region, which alone listen at that address, for the owners of public addresses.
function serviceRules(owners: readonly Owner[]): string[] {
  const sources = owners
    .filter(({ address }) => versionOf(address) === 4)
    .map(({ device, address }) => `"${device}" . ${address}`);
  if (sources.length === 0) return [];
  const from = `iifname . ip saddr { ${sources.join(', ')} } ip daddr ${servicesAddress}`;
  return [`${from} udp dport 53 accept`, `${from} meta l4proto tcp accept`];
}

function filterOf(owners: readonly Owner[], ranges: readonly string[], { device, isMasked }: Uplink): string {
  const version =
    (v: 4 | 6) =>
    (text: string): boolean =>
      versionOf(text) === v;
  const outside = `{ "${device}", "${outsideDevice}" }`;
  const family = (v: 4 | 6): string[] => {
    const ip = v === 4 ? 'ip' : 'ip6';
    const list = (texts: readonly string[]): string => `{ ${texts.join(', ')} }`;
    const mine = owners.filter(({ address }) => version(v)(address));
    const own = ranges.filter(version(v));
    const inside = `meta nfproto ipv${v} iifname != ${outside}`;
    const sources = mine.map((one) => `"${one.device}" . ${one.address}`);
    return [
      `iifname ${outside} ${ip} saddr ${list(own)} counter drop comment "not an outside address"`,
      sources.length > 0
        ? `${inside} iifname . ${ip} saddr != ${list(sources)} counter drop comment "no route"`
        : `${inside} counter drop comment "no route"`,
      ...(mine.length > 0
        ? [`${ip} daddr ${list(mine.map(({ address }) => address))} counter accept comment "public address"`]
        : []),
      `${ip} daddr ${list(own)} counter drop comment "no such address"`,
    ];
  };
  return filterTable([
    'chain input {',
    'type filter hook input priority 0; policy drop;',
    'iif lo accept',
    'ct state established,related accept',
    ...serviceRules(owners),
    'meta l4proto { 1, 58 } accept',
    '}',
    'chain forward {',
    'type filter hook forward priority 0; policy drop;',
    'ct state established,related accept',
    ...family(4),
    ...family(6),
    ...unroutedRules(),
    `oifname "${device}" counter accept comment "internet"`,
    '}',
    ...outsideChains,
    ...(isMasked
      ? ['chain translate {', 'type nat hook postrouting priority srcnat;', `oifname "${device}" masquerade`, '}']
      : []),
  ]);
}
