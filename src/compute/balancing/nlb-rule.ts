// Forwarding rules of network load balancers: from an address and port of the balancer to targets.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { resource, step } from '../../core/resource.ts';
import { flag, integer, list, shape, text } from '../../core/schema.ts';
import type { ComputeTools } from '../tools.ts';
import {
  algorithm,
  fillHealthCheck,
  ipv4,
  milliseconds,
  port,
  proxyProtocol,
  retries,
  textsOf,
  title,
} from './balancer-properties.ts';
import { decideListener } from './listener.ts';
import { networkLoadBalancer } from './networkloadbalancer.ts';

const healthCheck = { clientTimeout: 50_000, connectTimeout: 5000, targetTimeout: 50_000, retries: 3 };

const target = shape({
  ip: ipv4({ required: true, example: '10.1.2.3' }),
  port: port({ required: true }),
  weight: integer({ required: true, min: 0, max: 256, example: 1 }),
  proxyProtocol: proxyProtocol(),
  healthCheck: shape(
    {
      check: flag({ default: true }),
      checkInterval: milliseconds({ default: 2000 }),
      maintenance: flag({ default: false }),
    },
    { omitNull: true, description: 'Absent if it was not sent; the target is checked anyway' },
  ),
});

export const networkForwardingRule = resource<ComputeTools>({
  name: 'networkforwardingrule',
  plural: 'forwardingrules',
  shown: {
    title: 'Forwarding rule',
    type: 'forwarding-rule',
    columns: ['name', 'protocol', 'listenerIp', 'listenerPort'],
  },
  parents: [networkLoadBalancer],
  rights: { create: 'none' },
  actions: 'net.networkforwardingrule',
  properties: {
    name: title(),
    algorithm: algorithm(),
    protocol: text({ required: true, oneOf: ['HTTP', 'TCP'], example: 'TCP' }),
    listenerIp: ipv4({ required: true, example: '10.1.2.3', description: 'One of the addresses of the load balancer' }),
    listenerPort: port({ required: true }),
    healthCheck: shape({
      clientTimeout: milliseconds({ description: `Default: ${healthCheck.clientTimeout}` }),
      connectTimeout: milliseconds({ description: `Default: ${healthCheck.connectTimeout}` }),
      targetTimeout: milliseconds({ description: `Default: ${healthCheck.targetTimeout}` }),
      retries: retries({ description: `Default: ${healthCheck.retries}` }),
    }),
    targets: list(target, { default: [], example: [{ ip: '10.1.2.3', port: 80, weight: 1 }] }), // ionosctl adds them later
  },
  sample: {
    properties: (near) => ({ listenerIp: textsOf(near('parent').properties.ips)[0] ?? '' }),
    change: { name: 'changed', listenerPort: 81 },
  },
  lifecycle: { create: [step('provision')], change: [step('reconfigure')], remove: [step('release')] },
  rules(draft) {
    fillHealthCheck(draft, healthCheck);
    sortTargets(draft.values);
  },
  decide: (draft, context) => (draft.way === 'remove' ? undefined : decideListener(draft, context)),
});

// By address, then port. The schema reports malformed ones.
function sortTargets({ targets }: Values): void {
  if (!Array.isArray(targets)) return;
  const key = (target: Json): number[] =>
    isObject(target) ? [...String(target.ip).split('.'), String(target.port)].map(Number) : [];
  targets.sort((one, other) => compareNumbers(key(one), key(other)));
}

function compareNumbers(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : (one[at] ?? 0) - (other[at] ?? 0);
}
