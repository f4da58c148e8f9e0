// Application load balancers: as network load balancers, but the HTTP request decides where it is forwarded.
import { resource, step } from '../../core/resource.ts';
import { datacenter } from '../datacenter.ts';
import type { ComputeTools } from '../tools.ts';
import { balancerProperties, balancerSample } from './balancer-properties.ts';
import { balancerRules, decideBalancer, stillListening } from './listener.ts';

export const applicationLoadBalancer = resource<ComputeTools>({
  name: 'applicationloadbalancer',
  plural: 'applicationloadbalancers',
  parents: [datacenter],
  privilege: 'none',
  actions: 'net.applicationloadbalancer',
  inside: false, // the platform does not show them among the entities of a datacenter
  properties: balancerProperties,
  columns: ['name', 'listenerLan', 'targetLan', 'ips'],
  sample: balancerSample('10.200.0.6'),
  create: [step('provision')],
  change: [step('reconfigure', stillListening)],
  remove: [step('release')],
  meter: () => ({ applicationLoadBalancer: 1 }),
  rules: balancerRules,
  decide: (draft, context) => decideBalancer(draft, context, { hidesChosen: true }),
});
