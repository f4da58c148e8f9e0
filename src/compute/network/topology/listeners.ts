// The forwarding rules and target groups of load balancers, parsed for the topology.
import { addressOf } from '../ip.ts';
import type {
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
    id: rule.id,
    decision: { rule: rule.id, of: 'networkloadbalancer', ownerId: id },
    pool: parsePool({ algorithm: rule.algorithm, targets: rule.targets.map(asGroupTarget) }),
  }));

export const parseApplicationListeners = ({
  id,
  forwardingRules,
}: ApplicationLoadBalancer): Map<string, ApplicationListener> =>
  byListener(forwardingRules, (rule) => ({
    id: rule.id,
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

const asGroupTarget = ({ healthCheck, ...target }: NetworkForwardingRule['targets'][number]): GroupTarget => ({
  ...target,
  healthCheckEnabled: healthCheck?.check ?? true,
  maintenanceEnabled: healthCheck?.maintenance ?? false,
});

export const parsePool = ({ algorithm, targets }: Pick<TargetGroup, 'algorithm' | 'targets'>): Pool => ({
  algorithm,
  targets: targets.flatMap(({ ip, port, weight, healthCheckEnabled, maintenanceEnabled }) => {
    const address = addressOf(ip);
    if (!address || weight <= 0 || maintenanceEnabled) return [];
    return { address, port, weight, isChecked: healthCheckEnabled ?? true };
  }),
});
