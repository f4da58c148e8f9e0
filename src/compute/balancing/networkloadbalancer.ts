// Network load balancers: they listen in one LAN and balance to targets in another.
import { resource, step } from '../../core/resource.ts';
import { datacenter } from '../datacenter.ts';
import type { ComputeTools } from '../tools.ts';
import { balancerProperties } from './balancer-properties.ts';
import { balancerRules, decideBalancer, stillListening } from './listener.ts';

export const networkLoadBalancer = resource<ComputeTools>({
  name: 'networkloadbalancer',
  plural: 'networkloadbalancers',
  parents: [datacenter],
  actions: 'net.networkloadbalancer',
  properties: balancerProperties,
  create: [step('provision')],
  change: [step('reconfigure', stillListening)],
  remove: [step('release')],
  meter: () => ({ networkLoadBalancer: 1 }),
  rules: balancerRules,
  decide(draft, context) {
    if (draft.way !== 'remove') draft.reservations.counts.nlbProvisioned = 1;
    return decideBalancer(draft, context);
  },
});
