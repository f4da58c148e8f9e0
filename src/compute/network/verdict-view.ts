// A verdict in the API's terms, as one contract may see it. For hops in other contracts only the outcome is shown: no
// ids, no rules, no addresses behind the one that the packet was sent to.
import type { Direction } from './spec.ts';
import type { Arrival, Decision, Hop, HopKind, Packet, RuleDecision, Verdict } from './verdict.ts';

export interface VerdictView {
  verdict: 'ACCEPTED' | 'REJECTED';
  reason: string; // of the last hop
  rule: RuleView | null; // of the last hop
  arrivedAt: ArrivalView | null;
  hops: (HopView | ForeignHop)[];
}

// Of a real packet, next to the verdict.
export interface RealOutcome {
  result: 'ACCEPTED' | 'REJECTED' | 'UNKNOWN';
  detail: string; // a sentence
}

export interface RuleView {
  id: string;
  type: 'firewall-rule' | 'natgateway-rule' | 'forwarding-rule';
  name: string | null;
  of: { id: string; type: string };
  httpRule?: string; // its name
}

interface HopFields {
  direction: Direction;
  sourceIp: string | null;
  sourcePort: number | null;
  targetIp: string;
  targetPort: number | null;
  action: Hop['action'];
  reason: string;
}

export interface HopView extends HopFields {
  type: HopKind;
  id: string | null;
  datacenterId: string | null;
  serverId?: string; // of a NIC
  rule: RuleView | null;
}

export interface ForeignHop extends HopFields {
  foreign: true;
}

interface Answer {
  statusCode: number;
  location: string | null;
  contentType: string | null;
  message: string | null;
}

export type ArrivalView = { ip: string; port: number | null; answer?: Answer } & (
  | { type: 'nic'; id: string; serverId: string; datacenterId: string }
  | { type: 'applicationloadbalancer'; id: string; datacenterId: string }
  | { type: 'internet' }
  | { foreign: true }
);

export interface Lookup {
  isForeign(datacenterId: string | null): boolean;
  serverOf(datacenterId: string, nicId: string): string | undefined;
  nameOf(rulePath: string): Promise<string | null>;
}

const foreignReason = 'another contract';

export async function viewVerdict(verdict: Verdict, packet: Packet, lookup: Lookup): Promise<VerdictView> {
  const hops: VerdictView['hops'] = [];
  for (const hop of verdict.hops) {
    const last = hops.at(-1);
    if (!lookup.isForeign(hop.datacenterId)) hops.push(await viewHop(hop, lookup));
    else if (last && 'foreign' in last) last.action = hop.action;
    else hops.push({ foreign: true, ...fieldsOf(hop), reason: foreignReason });
  }
  const last = hops.at(-1);
  return {
    verdict: verdict.accepted ? 'ACCEPTED' : 'REJECTED',
    reason: last?.reason ?? '',
    rule: last && 'rule' in last ? last.rule : null,
    arrivedAt: verdict.arrived && viewArrival(verdict.arrived, packet, lookup),
    hops,
  };
}

const fieldsOf = ({ direction, sourceIp, sourcePort, targetIp, targetPort, action }: Hop) => ({
  direction,
  sourceIp,
  sourcePort,
  targetIp,
  targetPort,
  action,
});

async function viewHop(hop: Hop, lookup: Lookup): Promise<HopView> {
  const { kind, id, datacenterId, decidedBy } = hop;
  const serverId = kind === 'nic' ? lookup.serverOf(datacenterId ?? '', id) : undefined;
  return {
    type: kind,
    id: id === '' ? null : id,
    datacenterId,
    ...(serverId !== undefined && { serverId }),
    ...fieldsOf(hop),
    reason: reasonOf(decidedBy),
    rule: 'rule' in decidedBy ? await viewRule(decidedBy, datacenterId ?? '', serverId, lookup) : null,
  };
}

// By owner: the reason and type that are shown, and the collection that holds the rule.
const rules = {
  nic: { reason: 'firewall rule', type: 'firewall-rule', plural: 'firewallrules', owner: 'nic' },
  securitygroup: { reason: 'security group rule', type: 'firewall-rule', plural: 'rules', owner: 'security-group' },
  natgateway: { reason: 'SNAT rule', type: 'natgateway-rule', plural: 'rules', owner: 'natgateway' },
  networkloadbalancer: {
    reason: 'forwarding rule',
    type: 'forwarding-rule',
    plural: 'forwardingrules',
    owner: 'networkloadbalancer',
  },
  applicationloadbalancer: {
    reason: 'HTTP rule',
    type: 'forwarding-rule',
    plural: 'forwardingrules',
    owner: 'applicationloadbalancer',
  },
} as const satisfies Record<RuleDecision['of'], object>;

const reasonOf = (decidedBy: Decision): string =>
  'rule' in decidedBy ? rules[decidedBy.of].reason : decidedBy.default;

async function viewRule(
  { rule: id, of, ownerId, httpRule }: RuleDecision,
  datacenterId: string,
  serverId: string | undefined,
  { nameOf }: Lookup,
): Promise<RuleView> {
  const { type, plural, owner } = rules[of];
  const place = `datacenters/${datacenterId}/${of === 'nic' ? `servers/${serverId}/nics` : `${of}s`}/${ownerId}`;
  return {
    id,
    type,
    name: await nameOf(`${place}/${plural}/${id}`),
    of: { id: ownerId, type: owner },
    ...(httpRule !== undefined && { httpRule }),
  };
}

function viewArrival(arrived: Arrival, packet: Packet, lookup: Lookup): ArrivalView {
  const sentTo = { ip: packet.to, port: packet.targetPort ?? null };
  if (arrived.kind === 'internet') return { type: 'internet', ip: arrived.ip, port: arrived.port };
  const { datacenterId } = arrived;
  const isForeign = lookup.isForeign(datacenterId);
  if (arrived.kind === 'nic') {
    const { nicId: id, serverId, ip, port } = arrived;
    return isForeign ? { foreign: true, ...sentTo } : { type: 'nic', id, serverId, datacenterId, ip, port };
  }
  const { balancerId: id, statusCode, location, contentType, message } = arrived;
  const answer = { statusCode, location, contentType, message };
  if (isForeign) return { foreign: true, ...sentTo, answer };
  return { type: 'applicationloadbalancer', id, datacenterId, ...sentTo, answer };
}
