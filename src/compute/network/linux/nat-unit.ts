// All NAT gateways of a datacenter: they have an interface in each of their LANs and one to the core. The first rule
// that matches translates a packet, as in packet/nat.ts.
import { addressOf } from '../ip.ts';
import { fits } from '../packet/nat.ts';
import type { Gateway, LanSegment } from '../topology/endpoint.ts';
import { internet } from '../topology/topology.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import type { Connection } from './cut-connections.ts';
import { bridgeName, natPort, natUplink } from './names.ts';
import { filterTable, natConditions, unroutedRules } from './packet-rules.ts';
import { natKey, routers, servicesAddress, type Unit, versionOf } from './unit.ts';

export const gatewayRouters = { 4: '169.254.0.2', 6: 'fe80::2' } as const; // at the uplink
export const uplinkDevice = 'uplink';

interface GatewayLan {
  lan: LanSegment;
  addresses: string[];
}

export const natUnits = (index: TopologyIndex): Unit[] =>
  [...gatewayLans(index)].map(([id, lans]) => natUnit(id, [...lans.values()], index));

function gatewayLans(index: TopologyIndex): Map<string, Map<string, GatewayLan>> {
  const lans = new Map<string, Map<string, GatewayLan>>(); // by datacenter and LAN
  for (const segment of index.segments())
    for (const [address, endpoint] of index.endpointsOn(segment)) {
      if (endpoint.kind !== 'natgateway' || !endpoint.lan) continue;
      const { lan, datacenterId } = endpoint;
      const known = lans.get(datacenterId) ?? new Map<string, GatewayLan>();
      lans.set(datacenterId, known);
      const entry = known.get(lan.id) ?? { lan, addresses: [] };
      known.set(lan.id, { ...entry, addresses: [...entry.addresses, address] });
    }
  return lans;
}

// Whether a rule of the datacenter's gateways still translates the connection.
export function isTranslated(unitKey: string, connection: Connection, index: TopologyIndex): boolean {
  const [source, target] = [addressOf(connection.source), addressOf(connection.target)];
  if (!source || !target || target.text === servicesAddress) return true;
  const lans = gatewayLans(index).get(unitKey.slice(natKey('').length)) ?? new Map<string, GatewayLan>();
  return [...lans.values()].some(({ lan }) =>
    lan.gateways.some(({ rules }) => rules.some((rule) => fits(rule, { ...connection, source, target }))),
  );
}

export const lanDevice = (lanId: string): string => `lan${lanId}`;
const deviceOf = (lan: LanSegment): string => lanDevice(lan.id);

function natUnit(id: string, lans: readonly GatewayLan[], index: TopologyIndex): Unit {
  const all = (address: string): string => `${address}/${versionOf(address) === 4 ? 32 : 128}`;
  return {
    key: natKey(id),
    links: [
      { device: uplinkDevice, port: natUplink(id), bridge: null, mac: null },
      ...lans.map(({ lan }) => ({
        device: deviceOf(lan),
        port: natPort(id, lan.id),
        bridge: bridgeName(lan.segment),
        mac: null,
      })),
    ],
    addresses: [
      { device: uplinkDevice, address: `${gatewayRouters[4]}/32` },
      { device: uplinkDevice, address: `${gatewayRouters[6]}/64` },
      ...lans.flatMap(({ lan, addresses }) => addresses.map((one) => ({ device: deviceOf(lan), address: all(one) }))),
    ],
    routes: [
      { target: '0.0.0.0/0', device: uplinkDevice, via: routers[4] },
      { target: '::/0', device: uplinkDevice, via: routers[6] },
      ...lans.flatMap(({ lan }) =>
        [...index.endpointsOn(lan.segment)]
          .filter(([, endpoint]) => endpoint.kind === 'nic' && endpoint.lan === lan)
          .map(([address]) => ({ target: all(address), device: deviceOf(lan) })),
      ),
    ],
    sourceRules: [],
    filter: filterOf(lans, publicAddress(id, index)),
  };
}

// The first IPv4 address of the datacenter's gateways.
function publicAddress(id: string, index: TopologyIndex): string | undefined {
  for (const [address, endpoint] of index.endpointsOn(internet))
    if (endpoint.kind === 'natgateway' && endpoint.datacenterId === id && versionOf(address) === 4) return address;
  return undefined;
}

// `outside`: the source of connections to the region's own services, which need no rule.
function filterOf(lans: readonly GatewayLan[], outside: string | undefined): string {
  const each = (verdict: (rule: Gateway['rules'][number]) => string): string[] =>
    lans.flatMap(({ lan }) =>
      lan.gateways.flatMap(({ rules }) =>
        rules.map((rule) => `iifname "${deviceOf(lan)}" ${natConditions(rule).join(' ')} ${verdict(rule)}`),
      ),
    );
  const passing = each(({ decision }) => `counter accept comment "${decision.rule}"`);
  const translating = each(
    ({ publicIp, decision }) =>
      `snat ${publicIp.version === 6 ? 'ip6' : 'ip'} to ${publicIp.text} comment "${decision.rule}"`,
  );
  return filterTable([
    'chain input {',
    'type filter hook input priority 0; policy drop;',
    'meta l4proto { 1, 58 } accept',
    '}',
    'chain forward {',
    'type filter hook forward priority 0; policy drop;',
    'ct state established,related accept',
    `iifname "${uplinkDevice}" counter drop comment "no inbound"`,
    ...(outside === undefined ? [] : [`ip daddr ${servicesAddress} accept`]),
    ...unroutedRules(),
    ...passing,
    'counter drop comment "no SNAT rule"',
    '}',
    'chain translate {',
    'type nat hook postrouting priority srcnat;',
    ...(outside === undefined ? [] : [`ip daddr ${servicesAddress} snat to ${outside}`]),
    ...translating,
    '}',
  ]);
}
