// Target groups of application load balancers. They belong to the contract and can't be deleted while they are used.
import { Fault } from '../../base/fault.ts';
import { isObject } from '../../base/json.ts';
import { type Draft, pathOf, type Report, resource, step } from '../../core/resource.ts';
import { flag, integer, list, shape, text } from '../../core/schema.ts';
import type { Store } from '../../core/store.ts';
import type { ComputeTools } from '../tools.ts';
import { checkPattern } from './alb-http-rules.ts';
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
  shown: { title: 'Target group', type: 'target-group', columns: ['name', 'algorithm', 'protocol'] },
  plural: 'targetgroups',
  rights: { create: 'createDataCenter' },
  actions: 'net.targetgroup',
  properties: {
    name: title(),
    algorithm: algorithm(),
    protocol: text({ required: true, oneOf: ['HTTP'], example: 'HTTP' }),
    protocolVersion: text({ oneOf: ['HTTP1', 'HTTP2'], default: 'HTTP1' }),
    targets: list(target, { default: [] }),
    healthCheck: shape({
      checkTimeout: milliseconds(),
      checkInterval: milliseconds({ description: `Default: ${healthCheck.checkInterval}` }),
      retries: retries({ description: `Default: ${healthCheck.retries}` }),
    }),
    httpHealthCheck: shape({
      path: text({ default: '/', pattern: /^\.{0,2}\//, says: 'Expected a path, such as /health' }),
      method: text({ oneOf: ['HEAD', 'PUT', 'POST', 'GET', 'TRACE', 'PATCH', 'OPTIONS'], default: 'GET' }),
      matchType: text({ required: true, oneOf: ['STATUS_CODE', 'RESPONSE_BODY'], example: 'STATUS_CODE' }),
      response: text({ required: true, min: 1, example: '200' }),
      regex: flag({ default: false }),
      negate: flag({ default: false }),
    }),
  },
  sample: { change: { name: 'changed', targets: [] } },
  lifecycle: {
    create: [step('provision')],
    change: [step('reconfigure')],
    remove: [step('release', ({ contract, path, context: { store } }) => demandUnused(store, contract, path))],
  },
  rules,
  decide: (draft, { store }) =>
    draft.way === 'remove' ? demandUnused(store, draft.contract, pathOf(draft)) : undefined,
});

function rules(draft: Draft, report: Report): void {
  fillHealthCheck(draft, healthCheck);
  const { httpHealthCheck } = draft.values;
  if (!isObject(httpHealthCheck)) return;
  const { matchType, response, regex } = httpHealthCheck;
  const at = 'httpHealthCheck.response';
  if (typeof response !== 'string') return;
  if (regex === true) checkPattern(response, at, report);
  else if (matchType === 'STATUS_CODE' && !statusForm.test(response))
    report(at, `'${response.slice(0, 60)}' is not a status code or a list of them, such as 200 or 200-299,304`);
}

const statusForm = /^[1-5]\d\d(?:[-,][1-5]\d\d)*$/;

async function demandUnused(store: Store, contract: number, path: string): Promise<void> {
  const [link] = await store.range({ contract, below: `${path} < ${forwardsTo}`, limit: 1 }, 'link');
  if (!link) return;
  const [balancer, , rule] = link.id.split('/').slice(3);
  const what = `forwarding rule ${rule} of application load balancer ${balancer} forwards to it`;
  throw new Fault('refused', `Target group ${path.split('/')[1]} can't be deleted: ${what}.`, { code: '200' });
}
