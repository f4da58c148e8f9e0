// Application load balancers: like network load balancers, but the HTTP request decides where it is forwarded.
import { resource, step } from '../../core/resource.ts';
import { datacenter } from '../datacenter.ts';
import type { ComputeTools } from '../tools.ts';
import { balancerProperties, balancerSample } from './balancer-properties.ts';
import { balancerRules, decideBalancer, stillListening } from './listener.ts';

export const applicationLoadBalancer = resource<ComputeTools>({
  name: 'applicationloadbalancer',
  plural: 'applicationloadbalancers',
  parents: [datacenter],
  rights: { create: 'none' },
  actions: 'net.applicationloadbalancer',
  shown: {
    title: 'Application load balancer',
    inside: false, // the platform does not show them among the entities of a datacenter
    columns: ['name', 'listenerLan', 'targetLan', 'ips'],
  },
  properties: balancerProperties,
  sample: balancerSample('10.200.0.6'),
  lifecycle: { create: [step('provision')], change: [step('reconfigure', stillListening)], remove: [step('release')] },
  usage: { meter: () => ({ applicationLoadBalancer: 1 }) },
  rules: balancerRules,
  decide: (draft, context) => decideBalancer(draft, context, { hidesChosen: true }),
});
