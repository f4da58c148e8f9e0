// A verdict in the API's words, as one contract may see it. What another contract's things did with a packet is told by
// its outcome alone: no ids, no rules, no addresses behind the one that was sent to.
import type { Direction } from './landscape.ts';
import type { Arrival, Decision, Hop, HopKind, Packet, RuleDecision, Verdict } from './verdict.ts';

export interface ShownVerdict {
  verdict: 'ACCEPTED' | 'REJECTED';
  reason: string; // of the last hop
  rule: ShownRule | null; // of the last hop
  arrivedAt: ShownArrival | null;
  hops: (ShownHop | ForeignHop)[];
}

export interface ShownRule {
  id: string;
  type: 'firewall-rule' | 'natgateway-rule' | 'forwarding-rule';
  name: string | null;
  of: { id: string; type: string };
  httpRule?: string; // its name
}

interface Passing {
  direction: Direction;
  sourceIp: string | null;
  sourcePort: number | null;
  targetIp: string;
  targetPort: number | null;
  action: Hop['action'];
  reason: string;
}

export interface ShownHop extends Passing {
  type: HopKind;
  id: string | null;
  datacenterId: string | null;
  serverId?: string; // of a NIC
  rule: ShownRule | null;
}

export interface ForeignHop extends Passing {
  foreign: true;
}

interface Answer {
  statusCode: number;
  location: string | null;
  contentType: string | null;
  message: string | null;
}

export type ShownArrival = { ip: string; port: number | null; answer?: Answer } & (
  | { type: 'nic'; id: string; serverId: string; datacenterId: string }
  | { type: 'applicationloadbalancer'; id: string; datacenterId: string }
  | { type: 'internet' }
  | { foreign: true }
);

// What has to be looked up.
export interface Lookup {
  isForeign(datacenterId: string | null): boolean;
  serverOf(datacenterId: string, nicId: string): string | undefined;
  nameOf(rulePath: string): Promise<string | null>;
}

const elsewhere = 'another contract';

export async function shownVerdict(verdict: Verdict, packet: Packet, lookup: Lookup): Promise<ShownVerdict> {
  const hops: ShownVerdict['hops'] = [];
  for (const hop of verdict.hops) {
    const last = hops.at(-1);
    if (!lookup.isForeign(hop.datacenterId)) hops.push(await shownHop(hop, lookup));
    else if (last && 'foreign' in last) last.action = hop.action;
    else hops.push({ foreign: true, ...passingOf(hop), reason: elsewhere });
  }
  const last = hops.at(-1);
  return {
    verdict: verdict.accepted ? 'ACCEPTED' : 'REJECTED',
    reason: last?.reason ?? '',
    rule: last && 'rule' in last ? last.rule : null,
    arrivedAt: verdict.arrived && shownArrival(verdict.arrived, packet, lookup),
    hops,
  };
}

const passingOf = ({ direction, sourceIp, sourcePort, targetIp, targetPort, action }: Hop) => ({
  direction,
  sourceIp,
  sourcePort,
  targetIp,
  targetPort,
  action,
});

async function shownHop(hop: Hop, lookup: Lookup): Promise<ShownHop> {
  const { kind, id, datacenterId, decidedBy } = hop;
  const serverId = kind === 'nic' ? lookup.serverOf(datacenterId ?? '', id) : undefined;
  return {
    type: kind,
    id: id === '' ? null : id,
    datacenterId,
    ...(serverId !== undefined && { serverId }),
    ...passingOf(hop),
    reason: reasonOf(decidedBy),
    rule: 'rule' in decidedBy ? await shownRule(decidedBy, datacenterId ?? '', serverId, lookup) : null,
  };
}

// By whose it is: what it is called, and where it stands in its owner.
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

async function shownRule(
  { rule: id, of, ownerId, httpRule }: RuleDecision,
  datacenterId: string,
  serverId: string | undefined,
  { nameOf }: Lookup,
): Promise<ShownRule> {
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

function shownArrival(arrived: Arrival, packet: Packet, lookup: Lookup): ShownArrival {
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
