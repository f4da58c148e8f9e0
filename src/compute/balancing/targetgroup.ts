// Target groups: where application load balancers forward to. They stand for themselves, and stay while they are used.
import { Fault } from '../../base/fault.ts';
import { pathOf, resource, step } from '../../core/resource.ts';
import { flag, integer, list, shape, text } from '../../core/schema.ts';
import type { Store } from '../../core/store.ts';
import type { ComputeTools } from '../tools.ts';
import {
  algorithm,
  fillHealthCheck,
  ipv4,
  milliseconds,
  port,
  proxyProtocol,
  retries,
  title,
} from './balancer-properties.ts';

export const forwardsTo = 'targetgroup'; // the role of the link from a forwarding rule

const healthCheck = { checkTimeout: null, checkInterval: 2000, retries: 3 };

const target = shape({
  ip: ipv4({ required: true, example: '10.1.2.3' }),
  port: port({ required: true }),
  weight: integer({ min: 0, max: 256, default: 1 }),
  proxyProtocol: proxyProtocol(),
  healthCheckEnabled: flag({ default: true }),
  maintenanceEnabled: flag({ default: false }),
});

export const targetGroup = resource<ComputeTools>({
  name: 'targetgroup',
  type: 'target-group',
  plural: 'targetgroups',
  privilege: 'createDataCenter',
  actions: 'net.targetgroup',
  properties: {
    name: title(),
    algorithm: algorithm(),
    protocol: text({ required: true, oneOf: ['HTTP'], example: 'HTTP' }),
    protocolVersion: text({ oneOf: ['HTTP1', 'HTTP2'], default: 'HTTP1' }),
    targets: list(target, { default: [] }),
    healthCheck: shape({
      checkTimeout: milliseconds(),
      checkInterval: milliseconds({ description: `Milliseconds; ${healthCheck.checkInterval} unless told` }),
      retries: retries({ description: `${healthCheck.retries} unless told` }),
    }),
    httpHealthCheck: shape({
      path: text({ default: '/' }),
      method: text({ oneOf: ['HEAD', 'PUT', 'POST', 'GET', 'TRACE', 'PATCH', 'OPTIONS'], default: 'GET' }),
      matchType: text({ required: true, oneOf: ['STATUS_CODE', 'RESPONSE_BODY'], example: 'STATUS_CODE' }),
      response: text({ required: true, min: 1, example: '200' }),
      regex: flag({ default: false }),
      negate: flag({ default: false }),
    }),
  },
  create: [step('provision')],
  change: [step('reconfigure')],
  remove: [step('release', ({ contract, path, desk: { store } }) => demandUnused(store, contract, path))],
  rules: (draft) => fillHealthCheck(draft, healthCheck),
  decide: (draft, { store }) =>
    draft.way === 'remove' ? demandUnused(store, draft.contract, pathOf(draft)) : undefined,
});

async function demandUnused(store: Store, contract: number, path: string): Promise<void> {
  const [link] = await store.range({ contract, below: `${path} < ${forwardsTo}`, limit: 1 }, 'link');
  if (!link) return;
  const [balancer, , rule] = link.id.split('/').slice(3);
  const what = `the forwarding rule ${rule} of the application load balancer ${balancer} forwards to it`;
  throw new Fault('refused', `The target group ${path.split('/')[1]} can not be deleted: ${what}.`, { code: '200' });
}
