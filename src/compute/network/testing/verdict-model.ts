// A second implementation of docs/network.md, for verdicts.test.ts: sentence by sentence, with loops over plain lists,
// and no code of the engine except its input and output types. Slow and plain on purpose.
import type {
  ApplicationLoadBalancer,
  DatacenterSpec,
  FirewallRule,
  HttpRule,
  Lan,
  NatGateway,
  NatRule,
  NetworkLoadBalancer,
  NetworkSpec,
  Nic,
} from '../spec.ts';
import type { Arrival, Choose, Decision, Default, Hop, Packet, Verdict } from '../verdict.ts';
import { hash, inside, isIPv4, isPublic, same } from './model-addresses.ts';
import { holds } from './model-conditions.ts';

type Datacenter = DatacenterSpec;
type Owner =
  | { kind: 'nic'; datacenter: Datacenter; lan: Lan; nic: Nic }
  | { kind: 'networkloadbalancer'; datacenter: Datacenter; lan: Lan; balancer: NetworkLoadBalancer }
  | { kind: 'applicationloadbalancer'; datacenter: Datacenter; lan: Lan; balancer: ApplicationLoadBalancer }
  | { kind: 'loadbalancer'; datacenter: Datacenter; lan: Lan; id: string; nics: Nic[] }
  | { kind: 'natgateway'; datacenter: Datacenter; lan: Lan | null; id: string };

interface Now {
  source: string | null;
  sourcePort: number | null;
  target: string;
  targetPort: number | null;
  mac: string | null;
}

export function expectedVerdict(landscape: NetworkSpec, packet: Packet, choose: Choose): Verdict {
  const hops: Hop[] = [];
  const owners = allOwners();
  const now: Now = {
    source: packet.from.ip === undefined ? null : same(packet.from.ip),
    sourcePort: packet.sourcePort ?? null,
    target: same(packet.to),
    targetPort: packet.targetPort ?? null,
    mac: null,
  };
  const arrived = 'nicId' in packet.from ? leave(packet.from.nicId) : enter();
  const last = hops[hops.length - 1] as Hop;
  return { accepted: arrived !== null, decidedBy: last.decidedBy, arrived, hops };

  function hop(
    at: Pick<Hop, 'kind' | 'id' | 'datacenterId'>,
    direction: Hop['direction'],
    action: Hop['action'],
    why: Decision | Default,
  ): null {
    const addresses = { sourceIp: now.source, sourcePort: now.sourcePort };
    const targets = { targetIp: now.target, targetPort: now.targetPort };
    const decidedBy = typeof why === 'string' ? { default: why } : why;
    const { kind, id, datacenterId } = at;
    hops.push({ kind, id, datacenterId, direction, ...addresses, ...targets, action, decidedBy });
    return null;
  }

  function unsent(at: Pick<Hop, 'kind' | 'id' | 'datacenterId'>, why: Default): null {
    now.source = null;
    return hop(at, 'EGRESS', 'REJECT', why);
  }

  function leave(nicId: string): Arrival | null {
    let datacenter: Datacenter | undefined;
    let nic: Nic | undefined;
    for (const each of landscape.datacenters)
      for (const one of each.nics) if (one.id === nicId) [datacenter, nic] = [each, one];
    if (!datacenter || !nic) throw new Error('the packet has no such NIC');
    const at = { kind: 'nic' as const, id: nic.id, datacenterId: datacenter.id };
    if (!runs(datacenter, nic)) return unsent(at, 'server is not running');
    const own = ownAddresses(datacenter, nic);
    now.source ??= own.find((ip) => isIPv4(ip) === isIPv4(now.target)) ?? null;
    if (now.source === null || !own.includes(now.source) || isIPv4(now.source) !== isIPv4(now.target))
      return unsent(at, 'no source address');
    now.mac = nic.mac.toLowerCase();
    if (own.includes(now.target)) {
      hop(at, 'INGRESS', 'ACCEPT', 'own address');
      return reached(datacenter, nic);
    }
    if (!firewall(datacenter, nic, 'EGRESS')) return null;
    return crossLan(datacenter, nic);
  }

  function crossLan(datacenter: Datacenter, nic: Nic): Arrival | null {
    const lan = datacenter.lans.find(({ id }) => id === nic.lan);
    const at = { kind: 'lan' as const, id: String(nic.lan), datacenterId: datacenter.id };
    if (!lan) return hop(at, 'EGRESS', 'REJECT', 'no route');
    const owner = ownersOnSegment(datacenter, lan).find(({ ip }) => ip === now.target)?.owner;
    if (owner) {
      hop(at, 'EGRESS', 'ACCEPT', owner.lan === lan ? 'same LAN' : 'cross connect');
      return arrive(owner);
    }
    for (const range of [lan.ipv4CidrBlock, lan.ipv6CidrBlock])
      if (range !== null && inside(now.target, range)) return hop(at, 'EGRESS', 'REJECT', 'no such address');
    if (lan.public) {
      if (!isPublic(now.source as string) || !isPublic(now.target)) return hop(at, 'EGRESS', 'REJECT', 'no route');
      return overInternet();
    }
    const gateways = datacenter.natGateways.filter(({ lans }) => lans.some(({ id }) => id === lan.id));
    if (!isPublic(now.target) || gateways.length === 0) return hop(at, 'EGRESS', 'REJECT', 'no route');
    return translate(datacenter, gateways) ? overInternet() : null;
  }

  function translate(datacenter: Datacenter, gateways: NatGateway[]): boolean {
    for (const gateway of gateways)
      for (const rule of gateway.rules) {
        if (!natMatches(rule)) continue;
        now.source = same(rule.publicIp);
        now.mac = null;
        const at = { kind: 'natgateway' as const, id: gateway.id, datacenterId: datacenter.id };
        hop(at, 'EGRESS', 'ACCEPT', { rule: rule.id, of: 'natgateway', ownerId: gateway.id });
        return true;
      }
    const at = { kind: 'natgateway' as const, id: gateways[0]?.id as string, datacenterId: datacenter.id };
    hop(at, 'EGRESS', 'REJECT', 'no SNAT rule');
    return false;
  }

  function natMatches(rule: NatRule): boolean {
    const source = now.source as string;
    if (rule.protocol !== null && rule.protocol !== 'ALL' && rule.protocol !== packet.protocol) return false;
    if (!inside(source, rule.sourceSubnet)) return false;
    if (rule.targetSubnet !== null && !inside(now.target, rule.targetSubnet)) return false;
    const range = rule.targetPortRange;
    if (range && (rule.protocol === 'TCP' || rule.protocol === 'UDP') && !inPorts(range.start, range.end)) return false;
    return isIPv4(rule.publicIp) === isIPv4(source);
  }

  function overInternet(): Arrival | null {
    const at = { kind: 'internet' as const, id: '', datacenterId: null };
    const owner = publicOwners().find(({ ip }) => ip === now.target)?.owner;
    if (owner) {
      hop(at, 'EGRESS', 'ACCEPT', 'public address');
      now.mac = null;
      return arrive(owner);
    }
    if (landscape.ranges.some((range) => inside(now.target, range)))
      return hop(at, 'EGRESS', 'REJECT', 'no such address');
    hop(at, 'EGRESS', 'ACCEPT', 'internet');
    return { kind: 'internet', ip: now.target, port: now.targetPort };
  }

  function enter(): Arrival | null {
    const at = { kind: 'internet' as const, id: '', datacenterId: null };
    const source = now.source as string;
    const isOwn = landscape.ranges.some((range) => inside(source, range));
    if (isIPv4(source) !== isIPv4(now.target) || !isPublic(source) || isOwn)
      return hop(at, 'INGRESS', 'REJECT', 'not an outside address');
    const owner = publicOwners().find(({ ip }) => ip === now.target)?.owner;
    if (!owner) return hop(at, 'INGRESS', 'REJECT', 'no such address');
    hop(at, 'INGRESS', 'ACCEPT', 'public address');
    return arrive(owner);
  }

  function arrive(owner: Owner): Arrival | null {
    const datacenterId = owner.datacenter.id;
    if (owner.kind === 'nic') return arriveAtNic(owner.datacenter, owner.nic);
    if (owner.kind === 'networkloadbalancer') return networkBalancer(owner.datacenter, owner.balancer);
    if (owner.kind === 'applicationloadbalancer') return applicationBalancer(owner.datacenter, owner.balancer);
    const at = { kind: owner.kind, id: owner.id, datacenterId };
    if (owner.kind === 'natgateway') return hop(at, 'INGRESS', 'REJECT', 'no inbound');
    const running = owner.nics.filter((nic) => runs(owner.datacenter, nic));
    if (running.length === 0) return hop(at, 'INGRESS', 'REJECT', 'no healthy target');
    hop(at, 'INGRESS', 'ACCEPT', 'balanced');
    now.mac = null;
    return arriveAtNic(owner.datacenter, running[choose(owner.id) % running.length] as Nic);
  }

  function arriveAtNic(datacenter: Datacenter, nic: Nic): Arrival | null {
    const at = { kind: 'nic' as const, id: nic.id, datacenterId: datacenter.id };
    if (!runs(datacenter, nic)) return hop(at, 'INGRESS', 'REJECT', 'server is not running');
    return firewall(datacenter, nic, 'INGRESS') ? reached(datacenter, nic) : null;
  }

  function reached(datacenter: Datacenter, nic: Nic): Arrival {
    const place = { nicId: nic.id, serverId: nic.server, datacenterId: datacenter.id };
    return { kind: 'nic', ...place, ip: now.target, port: now.targetPort };
  }

  function firewall(datacenter: Datacenter, nic: Nic, direction: 'INGRESS' | 'EGRESS'): boolean {
    const at = { kind: 'nic' as const, id: nic.id, datacenterId: datacenter.id };
    const server = datacenter.servers.find(({ id }) => id === nic.server);
    const groups = [...new Set([...nic.securityGroups, ...(server?.securityGroups ?? [])])]
      .map((id) => datacenter.securityGroups.find((group) => group.id === id))
      .filter((group) => group !== undefined);
    const type = nic.firewallType ?? 'INGRESS';
    const nicFilters = nic.firewallActive && (type === 'BIDIRECTIONAL' || type === direction);
    if (!nicFilters && groups.length === 0) {
      hop(at, direction, 'ACCEPT', nic.firewallActive ? 'direction not filtered' : 'no firewall');
      return true;
    }
    if (nicFilters)
      for (const rule of nic.firewallRules)
        if (ruleMatches(rule, direction)) {
          hop(at, direction, 'ACCEPT', { rule: rule.id, of: 'nic', ownerId: nic.id });
          return true;
        }
    for (const group of groups)
      for (const rule of group.rules)
        if (ruleMatches(rule, direction)) {
          hop(at, direction, 'ACCEPT', { rule: rule.id, of: 'securitygroup', ownerId: group.id });
          return true;
        }
    hop(at, direction, 'REJECT', nicFilters ? 'firewall default deny' : 'security group default deny');
    return false;
  }

  function ruleMatches(rule: FirewallRule, direction: 'INGRESS' | 'EGRESS'): boolean {
    if ((rule.type ?? 'INGRESS') !== direction) return false;
    if (rule.protocol !== 'ANY' && rule.protocol !== packet.protocol) return false;
    if (versionOf(rule) !== (isIPv4(now.target) ? 'IPv4' : 'IPv6')) return false;
    if (rule.sourceMac !== null && rule.sourceMac.toLowerCase() !== now.mac) return false;
    if (rule.sourceIp !== null && !inside(now.source as string, rule.sourceIp)) return false;
    if (rule.targetIp !== null && !inside(now.target, rule.targetIp)) return false;
    if (rule.protocol === 'TCP' || rule.protocol === 'UDP') return inPorts(rule.portRangeStart, rule.portRangeEnd);
    if (rule.protocol !== 'ICMP' && rule.protocol !== 'ICMPv6') return true;
    if (rule.icmpType !== null && rule.icmpType !== packet.icmpType) return false;
    return rule.icmpCode === null || rule.icmpCode === packet.icmpCode;
  }

  function inPorts(start: number | null, end: number | null): boolean {
    if (start === null && end === null) return true;
    const port = now.targetPort;
    return port !== null && port >= Number(start ?? end) && port <= Number(end ?? start);
  }

  function networkBalancer(datacenter: Datacenter, balancer: NetworkLoadBalancer): Arrival | null {
    const at = { kind: 'networkloadbalancer' as const, id: balancer.id, datacenterId: datacenter.id };
    for (const rule of balancer.forwardingRules) {
      if (packet.protocol !== 'TCP') continue;
      if (same(rule.listenerIp) !== now.target || rule.listenerPort !== now.targetPort) continue;
      const decision: Decision = { rule: rule.id, of: 'networkloadbalancer', ownerId: balancer.id };
      hop(at, 'INGRESS', 'ACCEPT', decision);
      const targets = rule.targets.map(({ ip, port, weight, healthCheck }) => {
        const isChecked = healthCheck?.check !== false;
        return { ip, port, weight, isChecked, rests: healthCheck?.maintenance === true };
      });
      return goOn(datacenter, balancer, at, targets, rule.algorithm, rule.id, decision);
    }
    return hop(at, 'INGRESS', 'REJECT', 'no forwarding rule');
  }

  function applicationBalancer(datacenter: Datacenter, balancer: ApplicationLoadBalancer): Arrival | null {
    const at = { kind: 'applicationloadbalancer' as const, id: balancer.id, datacenterId: datacenter.id };
    const rule = balancer.forwardingRules.find(
      ({ listenerIp, listenerPort }) => same(listenerIp) === now.target && listenerPort === now.targetPort,
    );
    if (!rule || packet.protocol !== 'TCP') return hop(at, 'INGRESS', 'REJECT', 'no forwarding rule');
    const { http } = packet;
    if (!http) return hop(at, 'INGRESS', 'REJECT', 'no http request');
    let met: HttpRule | undefined;
    for (const isForward of [false, true])
      for (const each of rule.httpRules)
        if ((each.type === 'FORWARD') === isForward && !met)
          if (each.conditions.every((condition) => holds(condition, http, now.source as string))) met = each;
    if (!met) return hop(at, 'INGRESS', 'REJECT', 'no http rule matches');
    const ownerId = balancer.id;
    const decision: Decision = { rule: rule.id, of: 'applicationloadbalancer', ownerId, httpRule: met.name };
    hop(at, 'INGRESS', 'ACCEPT', decision);
    const common = { kind: 'answer' as const, balancerId: balancer.id, datacenterId: datacenter.id };
    const { statusCode, contentType, responseMessage: message } = met;
    if (met.type === 'STATIC')
      return { ...common, statusCode: statusCode ?? 503, location: null, contentType, message };
    if (met.type === 'REDIRECT') {
      let location = met.location ?? '';
      if (!met.dropQuery && http.query !== '') location += (location.includes('?') ? '&' : '?') + http.query;
      return { ...common, statusCode: statusCode ?? 301, location, contentType: null, message: null };
    }
    const groupId = met.targetGroup;
    const group = datacenter.targetGroups.find(({ id }) => id === groupId);
    if (!group) return unsent(at, 'no such target group');
    const targets = group.targets.map(({ ip, port, weight, healthCheckEnabled, maintenanceEnabled }) => {
      return { ip, port, weight, isChecked: healthCheckEnabled !== false, rests: maintenanceEnabled === true };
    });
    return goOn(datacenter, balancer, at, targets, group.algorithm, `${rule.id} ${groupId}`, decision);
  }

  function goOn(
    datacenter: Datacenter,
    balancer: NetworkLoadBalancer | ApplicationLoadBalancer,
    at: Pick<Hop, 'kind' | 'id' | 'datacenterId'>,
    targets: { ip: string; port: number; weight: number; isChecked: boolean; rests: boolean }[],
    algorithm: string,
    key: string,
    decision: Decision,
  ): Arrival | null {
    const lan = datacenter.lans.find(({ id }) => id === balancer.targetLan);
    const there = lan ? ownersOnSegment(datacenter, lan).filter(({ owner }) => owner.kind === 'nic') : [];
    const holder = (ip: string) =>
      there.find((each) => each.ip === same(ip))?.owner as (Owner & { kind: 'nic' }) | undefined;
    const slots: typeof targets = []; // each target as often as it weighs
    for (const target of targets) {
      const nic = holder(target.ip);
      const isHealthy = !target.isChecked || (nic !== undefined && runs(nic.datacenter, nic.nic));
      if (!target.rests && isHealthy) for (let slot = 0; slot < target.weight; slot++) slots.push(target);
    }
    if (slots.length === 0) return unsent(at, 'no healthy target');
    let number = 0;
    if (algorithm === 'SOURCE_IP') number = hash(now.source as string);
    else number = algorithm === 'RANDOM' ? hash(`${choose(key)}`) : choose(key);
    const chosen = slots[number % slots.length] as (typeof slots)[number];
    now.target = same(chosen.ip);
    now.targetPort = chosen.port;
    const own = balancer.lbPrivateIps.map((ip) => same(ip.replace(/\/.*/, '')));
    const source = own.find((ip) => isIPv4(ip) === isIPv4(chosen.ip));
    if (source === undefined) return unsent(at, 'no source address');
    now.source = source;
    now.mac = null;
    hop(at, 'EGRESS', 'ACCEPT', decision);
    const nic = holder(chosen.ip);
    const lanAt = { kind: 'lan' as const, id: String(balancer.targetLan), datacenterId: datacenter.id };
    if (!nic) return hop(lanAt, 'EGRESS', 'REJECT', 'no such address');
    hop(lanAt, 'EGRESS', 'ACCEPT', nic.lan === lan ? 'same LAN' : 'cross connect');
    return arriveAtNic(nic.datacenter, nic.nic);
  }

  // In the order of precedence.
  function allOwners(): { ip: string; owner: Owner }[] {
    const found: { ip: string; owner: Owner }[] = [];
    const datacenters = [...landscape.datacenters].sort((one, other) => (one.id < other.id ? -1 : 1));
    const lanOf = (datacenter: Datacenter, id: number) => datacenter.lans.find((lan) => lan.id === id);
    for (const datacenter of datacenters)
      for (const nic of datacenter.nics) {
        const lan = lanOf(datacenter, nic.lan);
        if (!lan) continue;
        for (const ip of ownAddresses(datacenter, nic))
          found.push({ ip, owner: { kind: 'nic', datacenter, lan, nic } });
      }
    for (const datacenter of datacenters)
      for (const balancer of datacenter.networkLoadBalancers) {
        const lan = lanOf(datacenter, balancer.listenerLan);
        if (!lan) continue;
        const owner: Owner = { kind: 'networkloadbalancer', datacenter, lan, balancer };
        for (const ip of balancer.ips) found.push({ ip: same(ip), owner });
      }
    for (const datacenter of datacenters)
      for (const balancer of datacenter.applicationLoadBalancers) {
        const lan = lanOf(datacenter, balancer.listenerLan);
        if (!lan) continue;
        const owner: Owner = { kind: 'applicationloadbalancer', datacenter, lan, balancer };
        for (const ip of balancer.ips) found.push({ ip: same(ip), owner });
      }
    for (const datacenter of datacenters)
      for (const { id, ip, balancedNics } of datacenter.loadBalancers) {
        const nics = balancedNics.flatMap((nicId) => datacenter.nics.filter((nic) => nic.id === nicId));
        const lan = lanOf(datacenter, nics[0]?.lan ?? 0);
        if (!lan || ip === null) continue;
        const there = nics.filter((nic) => nic.lan === lan.id);
        found.push({ ip: same(ip), owner: { kind: 'loadbalancer', datacenter, lan, id, nics: there } });
      }
    for (const datacenter of datacenters)
      for (const { id, lans, publicIps } of datacenter.natGateways) {
        for (const each of lans) {
          const lan = lanOf(datacenter, each.id);
          if (!lan) continue;
          for (const ip of each.gatewayIps)
            found.push({ ip: same(ip.replace(/\/.*/, '')), owner: { kind: 'natgateway', datacenter, lan, id } });
        }
        for (const ip of publicIps)
          found.push({ ip: same(ip), owner: { kind: 'natgateway', datacenter, lan: null, id } });
      }
    return found;
  }

  function ownersOnSegment(datacenter: Datacenter, lan: Lan): { ip: string; owner: Owner }[] {
    return owners.filter(({ owner }) => {
      if (owner.lan === null) return false;
      if (owner.lan === lan) return true;
      const joined = !lan.public && !owner.lan.public && lan.pcc !== null && lan.pcc === owner.lan.pcc;
      return joined || (owner.datacenter.id === datacenter.id && owner.lan.id === lan.id);
    });
  }

  function publicOwners(): { ip: string; owner: Owner }[] {
    return owners.filter(({ ip, owner }) => isPublic(ip) && (owner.lan === null || owner.lan.public));
  }
}

function ownAddresses(datacenter: Datacenter, nic: Nic): string[] {
  const failovers = datacenter.lans.find(({ id }) => id === nic.lan)?.ipFailover ?? [];
  const firstFor = (ip: string) => failovers.find((each) => same(each.ip) === ip);
  const own = [...nic.ips, ...nic.ipv6Ips].map(same).filter((ip) => (firstFor(ip)?.nicUuid ?? nic.id) === nic.id);
  const given = failovers.map(({ ip }) => same(ip)).filter((ip) => firstFor(ip)?.nicUuid === nic.id);
  return [...new Set([...own, ...given])];
}

const runs = (datacenter: Datacenter, nic: Nic): boolean =>
  datacenter.servers.some(({ id, vmState }) => id === nic.server && vmState === 'RUNNING');

function versionOf({ ipVersion, sourceIp, targetIp, protocol }: FirewallRule): 'IPv4' | 'IPv6' {
  if (ipVersion !== null) return ipVersion;
  const address = sourceIp ?? targetIp;
  if (address !== null) return address.includes(':') ? 'IPv6' : 'IPv4';
  return protocol === 'ICMPv6' ? 'IPv6' : 'IPv4';
}
