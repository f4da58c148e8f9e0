// Load balancers of all three kinds: which rule takes a packet, and which target it is forwarded to.
import type { ApplicationBalancer, ClassicBalancer, NetworkBalancer, Pool, Target } from '../topology/endpoint.ts';
import { answerOf, findHttpRule } from '../topology/http-rules.ts';
import type { Arrival, RuleDecision } from '../verdict.ts';
import {
  accept,
  arriveAtNic,
  byDefault,
  crossLan,
  lanInterface,
  type PacketPath,
  reject,
  rejectUnsent,
} from './packet-path.ts';

export function arriveAtNetworkBalancer(path: PacketPath, balancer: NetworkBalancer): Arrival | null {
  const rule = balancer.rules.get(listenerKey(path));
  if (!rule || path.protocol !== 'TCP') return reject(path, balancer, 'INGRESS', byDefault('no forwarding rule'));
  accept(path, balancer, 'INGRESS', rule.decision);
  return forward(path, balancer, rule.pool, rule.id, rule.decision);
}

export function arriveAtApplicationBalancer(path: PacketPath, balancer: ApplicationBalancer): Arrival | null {
  const rule = balancer.rules.get(listenerKey(path));
  if (!rule || path.protocol !== 'TCP') return reject(path, balancer, 'INGRESS', byDefault('no forwarding rule'));
  if (!path.http) return reject(path, balancer, 'INGRESS', byDefault('no http request'));
  const httpRule = findHttpRule(rule.httpRules, path.http, path.source);
  if (!httpRule) return reject(path, balancer, 'INGRESS', byDefault('no http rule matches'));
  const decision: RuleDecision = { ...rule.decision, httpRule: httpRule.name };
  accept(path, balancer, 'INGRESS', decision);
  if (httpRule.type !== 'FORWARD') return answerOf(httpRule, path.http.query, balancer);
  const pool = balancer.pools.get(httpRule.targetGroup ?? '');
  if (!pool) return rejectUnsent(path, balancer, byDefault('no such target group'));
  return forward(path, balancer, pool, `${rule.id} ${httpRule.targetGroup}`, decision);
}

export function arriveAtClassicBalancer(path: PacketPath, balancer: ClassicBalancer): Arrival | null {
  const running = balancer.nics.filter(({ isRunning }) => isRunning);
  const nic = running[path.choose(balancer.id) % running.length];
  if (!nic) return reject(path, balancer, 'INGRESS', byDefault('no healthy target'));
  accept(path, balancer, 'INGRESS', byDefault('balanced'));
  path.sourceMac = null;
  return arriveAtNic(path, nic);
}

function forward(
  path: PacketPath,
  balancer: NetworkBalancer | ApplicationBalancer,
  pool: Pool,
  key: string,
  decision: RuleDecision,
): Arrival | null {
  const { targetLan } = balancer;
  const holder = ({ address }: Target) => targetLan && path.topology.nicOnSegment(targetLan.segment, address);
  const ready = pool.targets.filter((target) => !target.isChecked || holder(target)?.isRunning);
  const chosen = chooseFrom(ready, pool, key, path);
  if (!chosen) return rejectUnsent(path, balancer, byDefault('no healthy target'));
  path.target = chosen.address;
  path.targetPort = chosen.port;
  const own = balancer.addresses.find(({ version }) => version === chosen.address.version);
  if (!own) return rejectUnsent(path, balancer, byDefault('no source address'));
  path.source = own;
  path.sourceMac = null;
  accept(path, balancer, 'EGRESS', decision);
  const nic = holder(chosen);
  const lan = targetLan ? lanInterface(targetLan) : { ...balancer, kind: 'lan' as const, id: balancer.targetLanId };
  if (!targetLan || !nic) return reject(path, lan, 'EGRESS', byDefault('no such address'));
  crossLan(path, targetLan, nic.lan);
  return arriveAtNic(path, nic);
}

function chooseFrom(ready: Target[], { algorithm }: Pool, key: string, path: PacketPath): Target | undefined {
  const sum = ready.reduce((total, { weight }) => total + weight, 0);
  if (sum === 0) return undefined;
  let rest = turnOf(algorithm, key, path) % sum;
  return ready.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
}

function turnOf(algorithm: Pool['algorithm'], key: string, { choose, source }: PacketPath): number {
  if (algorithm === 'SOURCE_IP') return fnv1a(source.text);
  return algorithm === 'RANDOM' ? fnv1a(String(choose(key))) : choose(key);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}

const listenerKey = ({ target, targetPort }: PacketPath): string => `${target.text} ${targetPort}`;
