// Network load balancers: they listen in one LAN and balance to targets in another.
import { resource, step } from '../../core/resource.ts';
import { datacenter } from '../datacenter.ts';
import type { ComputeTools } from '../tools.ts';
import { balancerProperties, balancerSample } from './balancer-properties.ts';
import { balancerRules, decideBalancer, stillListening } from './listener.ts';

export const networkLoadBalancer = resource<ComputeTools>({
  name: 'networkloadbalancer',
  plural: 'networkloadbalancers',
  parents: [datacenter],
  rights: { create: 'none' },
  actions: 'net.networkloadbalancer',
  properties: balancerProperties,
  shown: { title: 'Network load balancer', columns: ['name', 'listenerLan', 'targetLan', 'ips'] },
  sample: balancerSample('10.200.0.5'),
  lifecycle: { create: [step('provision')], change: [step('reconfigure', stillListening)], remove: [step('release')] },
  usage: { meter: () => ({ networkLoadBalancer: 1 }) },
  rules: balancerRules,
  decide(draft, context) {
    if (draft.way !== 'remove') draft.reservations.counts.nlbProvisioned = 1;
    return decideBalancer(draft, context);
  },
});
