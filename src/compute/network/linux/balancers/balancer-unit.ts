// A network or application load balancer: a namespace with an interface in its listener LAN and one in its target LAN,
// where HAProxy runs.
import type { ApplicationBalancer, LanSegment, NetworkBalancer } from '../../topology/endpoint.ts';
import type { TopologyIndex } from '../../topology/topology-index.ts';
import { bridgeName, listenerPort, targetPort } from '../names.ts';
import { filterTable } from '../packet-rules.ts';
import { balancerKey, type Route, routers, type Unit } from '../unit.ts';
import { type Certificates, proxyFiles } from './proxy-config.ts';
import { proxyFolder } from './proxy-script.ts';

export type ProxiedBalancer = NetworkBalancer | ApplicationBalancer;

export const balancerDevices = ['listener', 'target'] as const;

const tables = { listener: 1000, target: 1001 } as const;

export function balancersOf(index: TopologyIndex): ProxiedBalancer[] {
  const found = new Map<string, ProxiedBalancer>();
  for (const segment of index.segments())
    for (const [, endpoint] of index.endpointsOn(segment))
      if (endpoint.kind === 'networkloadbalancer' || endpoint.kind === 'applicationloadbalancer')
        found.set(endpoint.id, endpoint);
  return [...found.values()];
}

export function balancerUnit(balancer: ProxiedBalancer, index: TopologyIndex, certificates: Certificates): Unit {
  const { id, lan, targetLan } = balancer;
  const listeners = addressesOf(balancer, index);
  const key = balancerKey(id);
  const proxy = proxyFiles(balancer, proxyFolder(key), certificates);
  const sides: Side[] = [
    { device: 'listener', port: listenerPort(id), lan, addresses: listeners },
    ...(targetLan
      ? [
          {
            device: 'target' as const,
            port: targetPort(id),
            lan: targetLan,
            addresses: balancer.addresses.filter(({ version }) => version === 4).map(({ text }) => text),
          },
        ]
      : []),
  ];
  return {
    key,
    links: sides.map(({ device, port, lan: { segment } }) => ({
      device,
      port,
      bridge: bridgeName(segment),
      mac: null,
    })),
    addresses: sides.flatMap(({ device, addresses }) => addresses.map((one) => ({ device, address: `${one}/32` }))),
    routes: sides.flatMap((side) => routesOf(side, index)),
    sourceRules: sides.flatMap(({ device, addresses }) => addresses.map((from) => ({ from, table: tables[device] }))),
    filter: filterOf(balancer),
    ...(proxy && { proxy }),
  };
}

interface Side {
  device: (typeof balancerDevices)[number];
  port: string;
  lan: LanSegment;
  addresses: string[];
}

// Those that no NIC has, which comes first.
function addressesOf({ id, lan }: ProxiedBalancer, index: TopologyIndex): string[] {
  const found: string[] = [];
  for (const [address, endpoint] of index.endpointsOn(lan.segment)) if (endpoint.id === id) found.push(address);
  return found;
}

// Each side has its own table, because both LANs may have the same addresses.
function routesOf({ device, lan, addresses }: Side, index: TopologyIndex): Route[] {
  const table = tables[device];
  const source = addresses[0];
  if (source === undefined) return [];
  const own = new Set(addresses);
  const near = [...index.endpointsOn(lan.segment)].flatMap(([address]) =>
    address.includes(':') || own.has(address) ? [] : { target: `${address}/32`, device, table },
  );
  const outside =
    device === 'listener' && lan.isPublic ? [{ target: '0.0.0.0/0', device, via: routers[4], table }] : [];
  return [...near, ...outside];
}

function filterOf(balancer: ProxiedBalancer): string {
  const rules = [...balancer.rules.values()].map(
    ({ rule, id }) =>
      `ip daddr ${rule.listenerIp} tcp dport ${rule.listenerPort} iifname "listener" counter accept comment "${id}"`,
  );
  return filterTable([
    'chain input {',
    'type filter hook input priority 0; policy drop;',
    'iif lo accept',
    'ct state established,related accept',
    ...rules,
    'iifname "listener" counter drop comment "no forwarding rule"',
    '}',
    'chain forward {',
    'type filter hook forward priority 0; policy drop;',
    '}',
  ]);
}
