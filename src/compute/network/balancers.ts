// Load balancers of all three kinds: which rule takes a packet, and to which target it goes on.
import { answerOf, httpRuleFor, readHttpRules } from './http-rules.ts';
import { addressOf } from './ip.ts';
import type {
  ApplicationLoadBalancer,
  GroupTarget,
  NetworkForwardingRule,
  NetworkLoadBalancer,
  TargetGroup,
} from './landscape.ts';
import type {
  ApplicationBalancer,
  ApplicationListener,
  ClassicBalancer,
  NetworkBalancer,
  NetworkListener,
  Pool,
  Target,
} from './station.ts';
import { accept, arriveAtNic, byDefault, overLan, reject, rejectUnsent, stopAt, type Trip } from './trip.ts';
import type { Arrival, RuleDecision } from './verdict.ts';

export function arriveAtNetworkBalancer(trip: Trip, balancer: NetworkBalancer): Arrival | null {
  const rule = balancer.rules.get(listenedAt(trip));
  if (!rule || trip.protocol !== 'TCP') return reject(trip, balancer, 'INGRESS', byDefault('no forwarding rule'));
  accept(trip, balancer, 'INGRESS', rule.decision);
  return forward(trip, balancer, rule.pool, rule.id, rule.decision);
}

export function arriveAtApplicationBalancer(trip: Trip, balancer: ApplicationBalancer): Arrival | null {
  const rule = balancer.rules.get(listenedAt(trip));
  if (!rule || trip.protocol !== 'TCP') return reject(trip, balancer, 'INGRESS', byDefault('no forwarding rule'));
  if (!trip.http) return reject(trip, balancer, 'INGRESS', byDefault('no http request'));
  const httpRule = httpRuleFor(rule.httpRules, trip.http, trip.source);
  if (!httpRule) return reject(trip, balancer, 'INGRESS', byDefault('no http rule matches'));
  const decision: RuleDecision = { ...rule.decision, httpRule: httpRule.name };
  accept(trip, balancer, 'INGRESS', decision);
  if (httpRule.type !== 'FORWARD') return answerOf(httpRule, trip.http.query, balancer);
  const pool = balancer.pools.get(httpRule.targetGroup ?? '');
  if (!pool) return rejectUnsent(trip, balancer, byDefault('no such target group'));
  return forward(trip, balancer, pool, `${rule.id} ${httpRule.targetGroup}`, decision);
}

export function arriveAtClassicBalancer(trip: Trip, balancer: ClassicBalancer): Arrival | null {
  const running = balancer.nics.filter(({ isRunning }) => isRunning);
  const nic = running[trip.choose(balancer.id) % running.length];
  if (!nic) return reject(trip, balancer, 'INGRESS', byDefault('no healthy target'));
  accept(trip, balancer, 'INGRESS', byDefault('balanced'));
  trip.sourceMac = null;
  return arriveAtNic(trip, nic);
}

function forward(
  trip: Trip,
  balancer: NetworkBalancer | ApplicationBalancer,
  pool: Pool,
  key: string,
  decision: RuleDecision,
): Arrival | null {
  const { targetLan } = balancer;
  const holder = ({ address }: Target) => targetLan && trip.atlas.nicOnSegment(targetLan.segment, address);
  const ready = pool.targets.filter((target) => !target.isChecked || holder(target)?.isRunning);
  const chosen = chooseFrom(ready, pool, key, trip);
  if (!chosen) return rejectUnsent(trip, balancer, byDefault('no healthy target'));
  trip.target = chosen.address;
  trip.targetPort = chosen.port;
  const own = balancer.addresses.find(({ version }) => version === chosen.address.version);
  if (!own) return rejectUnsent(trip, balancer, byDefault('no source address'));
  trip.source = own;
  trip.sourceMac = null;
  accept(trip, balancer, 'EGRESS', decision);
  const nic = holder(chosen);
  const lan = targetLan ? stopAt(targetLan) : { ...balancer, kind: 'lan' as const, id: balancer.targetLanId };
  if (!targetLan || !nic) return reject(trip, lan, 'EGRESS', byDefault('no such address'));
  overLan(trip, targetLan, nic.lan);
  return arriveAtNic(trip, nic);
}

function chooseFrom(ready: Target[], { algorithm }: Pool, key: string, trip: Trip): Target | undefined {
  const sum = ready.reduce((total, { weight }) => total + weight, 0);
  if (sum === 0) return undefined;
  let rest = turnOf(algorithm, key, trip) % sum;
  return ready.find(({ weight }) => {
    rest -= weight;
    return rest < 0;
  });
}

function turnOf(algorithm: Pool['algorithm'], key: string, { choose, source }: Trip): number {
  if (algorithm === 'SOURCE_IP') return fnv1a(source.text);
  return algorithm === 'RANDOM' ? fnv1a(String(choose(key))) : choose(key);
}

function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
}

const listenedAt = ({ target, targetPort }: Trip): string => `${target.text} ${targetPort}`;

export const networkListenersOf = ({ id, forwardingRules }: NetworkLoadBalancer): Map<string, NetworkListener> =>
  byListener(forwardingRules, (rule) => ({
    id: rule.id,
    decision: { rule: rule.id, of: 'networkloadbalancer', ownerId: id },
    pool: poolOf({ algorithm: rule.algorithm, targets: rule.targets.map(asGroupTarget) }),
  }));

export const listenersOf = ({ id, forwardingRules }: ApplicationLoadBalancer): Map<string, ApplicationListener> =>
  byListener(forwardingRules, (rule) => ({
    id: rule.id,
    decision: { rule: rule.id, of: 'applicationloadbalancer', ownerId: id },
    httpRules: readHttpRules(rule.httpRules),
  }));

function byListener<Rule extends { listenerIp: string; listenerPort: number }, Listener>(
  rules: readonly Rule[],
  read: (rule: Rule) => Listener,
): Map<string, Listener> {
  const listeners = new Map<string, Listener>();
  for (const rule of rules) {
    const key = `${addressOf(rule.listenerIp)?.text} ${rule.listenerPort}`;
    if (!listeners.has(key)) listeners.set(key, read(rule));
  }
  return listeners;
}

const asGroupTarget = ({ healthCheck, ...target }: NetworkForwardingRule['targets'][number]): GroupTarget => ({
  ...target,
  healthCheckEnabled: healthCheck?.check ?? true,
  maintenanceEnabled: healthCheck?.maintenance ?? false,
});

export const poolOf = ({ algorithm, targets }: Pick<TargetGroup, 'algorithm' | 'targets'>): Pool => ({
  algorithm,
  targets: targets.flatMap(({ ip, port, weight, healthCheckEnabled, maintenanceEnabled }) => {
    const address = addressOf(ip);
    if (!address || weight <= 0 || maintenanceEnabled) return [];
    return { address, port, weight, isChecked: healthCheckEnabled ?? true };
  }),
});
