// Reads the network spec of a datacenter from its rows. No decision is made here: each property of the spec is the
// property of the same name of a resource, or a link between two resources.
import type { Json, Values } from '../../base/json.ts';
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { textsOf } from '../balancing/balancer-properties.ts';
import { balancedBy } from '../balancing/loadbalancer.ts';
import { member } from '../firewall/default-group.ts';
import { type CommittedRows, readCommittedRows } from './committed-rows.ts';
import type {
  ApplicationForwardingRule,
  DatacenterSpec,
  FirewallRule,
  HttpRule,
  Lan,
  LoadBalancer,
  NatGateway,
  NatRule,
  NetworkForwardingRule,
  NetworkTarget,
  Nic,
  TargetGroup,
} from './spec.ts';

// Undefined: the datacenter does not exist.
export async function readDatacenterSpec(
  store: Store,
  contract: number,
  datacenterId: string,
): Promise<DatacenterSpec | undefined> {
  const rows = await readCommittedRows(store, contract, `datacenters/${datacenterId}`);
  return rows && specFromRows(store, contract, datacenterId, rows);
}

export async function specFromRows(
  store: Store,
  contract: number,
  datacenterId: string,
  rows: CommittedRows,
): Promise<DatacenterSpec> {
  const path = `datacenters/${datacenterId}`;
  const servers = rows.in(`${path}/servers`);
  const nicRows = servers.flatMap((server) => rows.in(`${pathOf(server)}/nics`).map((nic) => ({ nic, server })));
  const applicationLoadBalancers = rows
    .in(`${path}/applicationloadbalancers`)
    .map((row) => ({ ...balancerOf(row), forwardingRules: children(rows, row, 'forwardingrules', applicationRuleOf) }));
  return {
    id: datacenterId,
    lans: rows.in(`${path}/lans`).map(lanOf),
    servers: servers.map((row) => ({
      id: row.id,
      vmState: String(valuesOf(row).vmState),
      securityGroups: rows.linked(row, member),
    })),
    nics: nicRows.map(({ nic, server }) => nicOf(nic, server, rows)),
    securityGroups: rows
      .in(`${path}/securitygroups`)
      .map((row) => ({ id: row.id, rules: children(rows, row, 'rules', firewallRuleOf) })),
    natGateways: rows.in(`${path}/natgateways`).map((row) => gatewayOf(row, rows)),
    networkLoadBalancers: rows
      .in(`${path}/networkloadbalancers`)
      .map((row) => ({ ...balancerOf(row), forwardingRules: children(rows, row, 'forwardingrules', networkRuleOf) })),
    applicationLoadBalancers,
    targetGroups: await targetGroupsOf(store, contract, applicationLoadBalancers),
    loadBalancers: classicOf(
      rows.in(`${path}/loadbalancers`),
      nicRows.map(({ nic }) => nic),
      rows,
    ),
  };
}

const valuesOf = ({ body }: Row): Values => JSON.parse(body) as Values;
const hiddenOf = ({ hidden }: Row): Values => (hidden ? (JSON.parse(hidden) as Values) : {});

const children = <Item>(rows: CommittedRows, above: Row, plural: string, read: (row: Row) => Item): Item[] =>
  rows.in(`${pathOf(above)}/${plural}`).map(read);

// These properties, typed as their use declares them. Properties that rows of earlier versions lack are null.
const pick = <Name extends string>(values: Values, names: readonly Name[]): Record<Name, never> =>
  Object.fromEntries(names.map((name) => [name, values[name] ?? null])) as Record<Name, never>;

const listOf = (value: Json | undefined): Values[] => (Array.isArray(value) ? (value as Values[]) : []);

function lanOf(row: Row): Lan {
  const values = valuesOf(row);
  return {
    id: Number(row.id),
    public: values.public === true,
    ...pick(values, ['ipv4CidrBlock', 'ipv6CidrBlock', 'pcc']),
    ipFailover: listOf(values.ipFailover).map((one) => pick(one, ['ip', 'nicUuid'])),
  };
}

function nicOf(row: Row, server: Row, rows: CommittedRows): Nic {
  const values = valuesOf(row);
  return {
    id: row.id,
    server: server.id,
    lan: Number(values.lan),
    mac: String(values.mac),
    ips: textsOf(values.ips),
    ipv6Ips: textsOf(values.ipv6Ips),
    firewallActive: values.firewallActive === true,
    ...pick(values, ['firewallType']),
    ...(typeof values.pciSlot === 'number' && { pciSlot: values.pciSlot }),
    firewallRules: children(rows, row, 'firewallrules', firewallRuleOf),
    securityGroups: rows.linked(row, member),
  };
}

const firewallRuleOf = (row: Row): FirewallRule => ({
  ...pick(valuesOf(row), [
    'protocol',
    'type',
    'sourceMac',
    'ipVersion',
    'sourceIp',
    'targetIp',
    'icmpType',
    'icmpCode',
    'portRangeStart',
    'portRangeEnd',
  ]),
  id: row.id,
});

function gatewayOf(row: Row, rows: CommittedRows): NatGateway {
  const values = valuesOf(row);
  return {
    id: row.id,
    publicIps: textsOf(values.publicIps),
    lans: listOf(values.lans).map(({ id, gatewayIps }) => ({ id: Number(id), gatewayIps: textsOf(gatewayIps) })),
    rules: children(rows, row, 'rules', natRuleOf),
  };
}

function natRuleOf(row: Row): NatRule {
  const values = valuesOf(row);
  const range = values.targetPortRange as Values | null | undefined;
  return {
    ...pick(values, ['protocol', 'sourceSubnet', 'publicIp', 'targetSubnet']),
    id: row.id,
    targetPortRange: range ? pick(range, ['start', 'end']) : null,
  };
}

function balancerOf(row: Row) {
  const values = valuesOf(row);
  return {
    id: row.id,
    listenerLan: Number(values.listenerLan),
    targetLan: Number(values.targetLan),
    ips: textsOf(values.ips),
    lbPrivateIps: textsOf(hiddenOf(row).lbPrivateIps ?? values.lbPrivateIps),
    centralLogging: values.centralLogging === true,
  };
}

function networkRuleOf(row: Row): NetworkForwardingRule {
  const values = valuesOf(row);
  return {
    ...pick(values, ['algorithm', 'protocol', 'listenerIp', 'listenerPort', 'healthCheck']),
    id: row.id,
    targets: listOf(values.targets).map(networkTargetOf),
  };
}

function networkTargetOf(values: Values): NetworkTarget {
  const check = values.healthCheck as Values | null | undefined;
  return {
    ...pick(values, ['ip', 'port', 'weight', 'proxyProtocol']),
    healthCheck: check ? pick(check, ['check', 'checkInterval', 'maintenance']) : null,
  };
}

function applicationRuleOf(row: Row): ApplicationForwardingRule {
  const values = valuesOf(row);
  return {
    ...pick(values, ['protocol', 'listenerIp', 'listenerPort', 'clientTimeout']),
    id: row.id,
    serverCertificates: textsOf(values.serverCertificates),
    httpRules: listOf(values.httpRules).map(httpRuleOf),
  };
}

const httpRuleOf = (values: Values): HttpRule => ({
  ...pick(values, [
    'name',
    'type',
    'targetGroup',
    'dropQuery',
    'location',
    'statusCode',
    'responseMessage',
    'contentType',
  ]),
  conditions: listOf(values.conditions).map((one) => pick(one, ['type', 'condition', 'negate', 'key', 'value'])),
});

// The target groups that rules name; deleted ones are omitted.
async function targetGroupsOf(
  store: Store,
  contract: number,
  balancers: DatacenterSpec['applicationLoadBalancers'],
): Promise<TargetGroup[]> {
  const rules = balancers.flatMap(({ forwardingRules }) => forwardingRules.flatMap(({ httpRules }) => httpRules));
  const ids = new Set(rules.flatMap(({ targetGroup }) => targetGroup ?? []));
  const rows = await Promise.all([...ids].sort().map((id) => store.get(contract, 'targetgroups', id)));
  return rows.filter((row) => row !== undefined).map(targetGroupOf);
}

function targetGroupOf(row: Row): TargetGroup {
  const values = valuesOf(row);
  return {
    ...pick(values, ['algorithm', 'protocolVersion', 'healthCheck', 'httpHealthCheck']),
    id: row.id,
    targets: listOf(values.targets).map((one) =>
      pick(one, ['ip', 'port', 'weight', 'proxyProtocol', 'healthCheckEnabled', 'maintenanceEnabled']),
    ),
  };
}

function classicOf(balancers: readonly Row[], nics: readonly Row[], rows: CommittedRows): LoadBalancer[] {
  const balanced = new Map<string, string[]>();
  for (const nic of balancers.length > 0 ? nics : [])
    for (const id of rows.linked(nic, balancedBy)) balanced.set(id, [...(balanced.get(id) ?? []), nic.id]);
  return balancers.map((row) => ({
    ...pick(valuesOf(row), ['ip']),
    id: row.id,
    balancedNics: balanced.get(row.id) ?? [],
  }));
}
