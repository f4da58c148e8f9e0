// The forwarding rules and target groups of load balancers, parsed for the topology.
import { addressOf } from '../ip.ts';
import type {
  Algorithm,
  ApplicationLoadBalancer,
  GroupTarget,
  NetworkForwardingRule,
  NetworkLoadBalancer,
  TargetGroup,
} from '../spec.ts';
import type { ApplicationListener, NetworkListener, Pool } from './endpoint.ts';
import { parseHttpRules } from './http-rules.ts';

export const parseNetworkListeners = ({ id, forwardingRules }: NetworkLoadBalancer): Map<string, NetworkListener> =>
  byListener(forwardingRules, (rule) => ({
    ...{ id: rule.id, rule },
    decision: { rule: rule.id, of: 'networkloadbalancer', ownerId: id },
    pool: poolOf(rule.algorithm, rule.targets.map(asGroupTarget), null),
  }));

export const parseApplicationListeners = ({
  id,
  forwardingRules,
}: ApplicationLoadBalancer): Map<string, ApplicationListener> =>
  byListener(forwardingRules, (rule) => ({
    ...{ id: rule.id, rule },
    decision: { rule: rule.id, of: 'applicationloadbalancer', ownerId: id },
    httpRules: parseHttpRules(rule.httpRules),
  }));

function byListener<Rule extends { listenerIp: string; listenerPort: number }, Listener>(
  rules: readonly Rule[],
  parse: (rule: Rule) => Listener,
): Map<string, Listener> {
  const listeners = new Map<string, Listener>();
  for (const rule of rules) {
    const key = `${addressOf(rule.listenerIp)?.text} ${rule.listenerPort}`;
    if (!listeners.has(key)) listeners.set(key, parse(rule));
  }
  return listeners;
}

type PoolTarget = GroupTarget & { checkInterval?: number | null };

const asGroupTarget = ({ healthCheck, ...target }: NetworkForwardingRule['targets'][number]): PoolTarget => ({
  ...target,
  healthCheckEnabled: healthCheck?.check ?? true,
  maintenanceEnabled: healthCheck?.maintenance ?? false,
  checkInterval: healthCheck?.checkInterval ?? null,
});

export const parsePool = (group: TargetGroup): Pool => poolOf(group.algorithm, group.targets, group);

const poolOf = (algorithm: Algorithm, targets: readonly PoolTarget[], group: TargetGroup | null): Pool => ({
  ...{ algorithm, group },
  targets: targets.flatMap(({ ip, port, weight, healthCheckEnabled, maintenanceEnabled, ...more }) => {
    const address = addressOf(ip);
    if (!address || weight <= 0 || maintenanceEnabled) return [];
    return {
      ...{ address, port, weight },
      isChecked: healthCheckEnabled ?? true,
      checkInterval: more.checkInterval ?? null,
      proxyProtocol: more.proxyProtocol ?? 'none',
    };
  }),
});
