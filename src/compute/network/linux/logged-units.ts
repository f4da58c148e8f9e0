// Which interfaces of which units have a flow log, and which of their packets it counts.
import { unroutedNetworks } from '../ip.ts';
import { internet } from '../topology/topology.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import { balancerDevices, balancersOf } from './balancers/balancer-unit.ts';
import { deviceMeters, type FlowMeter, type LoggedInterface } from './flow-table.ts';
import { nicDevice } from './names.ts';
import { lanDevice, uplinkDevice } from './nat-unit.ts';
import { balancerKey, machineKey, natKey, versionOf } from './unit.ts';

export type LoggedUnits = ReadonlyMap<string, readonly LoggedInterface[]>; // by the key of the unit

// `logged`: the ids of interfaces with a flow log.
export function loggedUnits(index: TopologyIndex, logged: ReadonlySet<string>): LoggedUnits {
  const units = new Map<string, LoggedInterface[]>();
  const add = (unit: string, id: string, meters: readonly FlowMeter[]): void => {
    if (logged.has(id)) units.set(unit, [...(units.get(unit) ?? []), { id, meters }]);
  };
  for (const { id, serverId, slot } of index.nics()) add(machineKey(serverId), id, deviceMeters([nicDevice(slot)]));
  for (const gateway of gatewaysOf(index)) add(natKey(gateway.datacenterId), gateway.id, gatewayMeters(gateway));
  for (const { id } of balancersOf(index)) add(balancerKey(id), id, deviceMeters(balancerDevices));
  return units;
}

interface LoggedGateway {
  id: string;
  datacenterId: string;
  publicIps: string[];
  lanIps: string[];
  lanIds: Set<string>; // of the LANs whose packets without a SNAT rule it rejects
}

function gatewaysOf(index: TopologyIndex): Iterable<LoggedGateway> {
  const gateways = new Map<string, LoggedGateway>();
  for (const segment of index.segments())
    for (const [address, endpoint] of index.endpointsOn(segment)) {
      if (endpoint.kind !== 'natgateway') continue;
      const { id, datacenterId, lan } = endpoint;
      const empty = { id, datacenterId, publicIps: [], lanIps: [], lanIds: new Set<string>() };
      const gateway = gateways.get(id) ?? empty;
      gateways.set(id, gateway);
      if (segment === internet) gateway.publicIps.push(address);
      else gateway.lanIps.push(address);
      if (lan?.gateways[0]?.id === id) gateway.lanIds.add(lan.id);
    }
  return gateways.values();
}

// At its uplink, where its packets have public addresses, and at its addresses in LANs. A packet that no rule allows is
// not translated.
function gatewayMeters({ publicIps, lanIps, lanIds }: LoggedGateway): FlowMeter[] {
  const byVersion = (match: (ip: string, list: string) => string, addresses: readonly string[]): FlowMeter['match'] =>
    Object.fromEntries(
      ([4, 6] as const).flatMap((version) => {
        const own = addresses.filter((address) => versionOf(address) === version);
        return own.length > 0 ? [[version, match(version === 4 ? 'ip' : 'ip6', `{ ${own.join(', ')} }`)]] : [];
      }),
    );
  const incoming = byVersion((ip, list) => `iifname "${uplinkDevice}" ${ip} daddr ${list}`, publicIps);
  const replies = byVersion(
    (ip, list) => `iifname "${uplinkDevice}" ct state established,related ${ip} daddr ${list}`,
    publicIps,
  );
  const translated = byVersion((ip, list) => `oifname "${uplinkDevice}" ${ip} saddr ${list}`, publicIps);
  const toLans = byVersion((ip, list) => `${ip} daddr ${list}`, lanIps);
  const fromLans = byVersion((ip, list) => `${ip} saddr ${list}`, lanIps);
  const lans = `iifname { ${[...lanIds].map((id) => `"${lanDevice(id)}"`).join(', ')} }`;
  const outgoing = byVersion((ip, list) => `${lans} ${ip} daddr != ${list}`, unroutedNetworks);
  return [
    { direction: 'EGRESS', hook: 'postrouting', reports: 'ACCEPT', match: translated },
    { direction: 'EGRESS', hook: 'forward', reports: 'REJECT', match: lanIds.size > 0 ? outgoing : {} },
    { direction: 'INGRESS', hook: 'prerouting', reports: 'ACCEPT', match: replies },
    { direction: 'INGRESS', hook: 'forward', reports: 'REJECT', match: incoming },
    { direction: 'INGRESS', hook: 'input', reports: 'both', match: toLans },
    { direction: 'EGRESS', hook: 'output', reports: 'both', match: fromLans },
  ];
}
