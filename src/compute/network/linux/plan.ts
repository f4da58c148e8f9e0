// The units and bridges of a region, from its topology.
import type { NicEndpoint } from '../topology/endpoint.ts';
import type { TopologyIndex } from '../topology/topology-index.ts';
import { balancerAddresses } from './balancers/balancer-addresses.ts';
import { balancersOf, balancerUnit } from './balancers/balancer-unit.ts';
import { classicBalancersOf, classicUnit } from './balancers/classic-unit.ts';
import type { Certificates } from './balancers/proxy-config.ts';
import { coreUnit, type Uplink } from './core-unit.ts';
import { type Connection, isAllowed } from './cut-connections.ts';
import { type LoggedUnits, loggedUnits } from './logged-units.ts';
import { machineUnit } from './machine-unit.ts';
import { isTranslated, natUnits } from './nat-unit.ts';
import { balancerKey, machineKey, type Unit } from './unit.ts';

export interface Plan {
  bridges: readonly string[]; // in the core, one for each LAN or cross connect
  core: Unit;
  gateways: readonly Unit[];
  balancers: readonly Unit[];
  machines: readonly Unit[];
  logged: LoggedUnits;
  allows(unitKey: string, connection: Connection): boolean; // whether an established connection may continue
}

export interface PlanOptions {
  ranges: readonly string[]; // the region's own public addresses
  uplink: Uplink;
  machines: Iterable<string>; // the ids of the servers whose machines run
  certificates?: Certificates;
  logged?: ReadonlySet<string>; // the ids of interfaces with a flow log
}

export function planOf(
  index: TopologyIndex,
  { ranges, uplink, machines, certificates = new Map(), logged = new Set() }: PlanOptions,
): Plan {
  const nics = new Map<string, NicEndpoint[]>();
  for (const nic of index.nics()) nics.set(nic.serverId, [...(nics.get(nic.serverId) ?? []), nic]);
  const [proxied, classic] = [balancersOf(index), classicBalancersOf(index)];
  const near = balancerAddresses(proxied, classic);
  const units = [...machines].map((id) => machineUnit(id, nics.get(id) ?? [], index, near));
  const gateways = natUnits(index);
  const balancers = [...proxied.map((one) => balancerUnit(one, index, certificates)), ...classic.map(classicUnit)];
  const core = coreUnit(index, ranges, uplink);
  const ports = [...units, ...gateways, ...balancers].flatMap(({ links }) =>
    links.flatMap(({ bridge }) => bridge ?? []),
  );
  const routed = core.addresses.map(({ device }) => device).filter((device) => device.startsWith('br'));
  const bridges = [...new Set([...ports, ...routed])].sort();
  const nicsOf = new Map([...nics].map(([id, all]) => [machineKey(id), all]));
  const allows: Plan['allows'] = (key, connection) => {
    if (key.startsWith(balancerKey(''))) return true; // the proxy ends its own connections
    const nics = nicsOf.get(key);
    return nics ? isAllowed(connection, nics, index) : isTranslated(key, connection, index);
  };
  const used = loggedUnits(index, logged);
  return { bridges, core, gateways, balancers, machines: units, logged: used, allows };
}
