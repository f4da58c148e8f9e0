// Forwarding rules of application load balancers: HTTP rules that forward to a target group, redirect or respond.
import { isUuid } from '../../base/ids.ts';
import { isObject, type Values } from '../../base/json.ts';
import { maySee } from '../../core/access.ts';
import type { Link } from '../../core/operation/reservations.ts';
import { type DecisionContext, type Draft, pathOf, resource, step } from '../../core/resource.ts';
import { list, text } from '../../core/schema.ts';
import type { Row, Write } from '../../core/state/engine.ts';
import { refused } from '../lan/address-claims.ts';
import type { ComputeTools } from '../tools.ts';
import { httpRule, httpRules } from './alb-http-rules.ts';
import { applicationLoadBalancer } from './applicationloadbalancer.ts';
import { ipv4, milliseconds, port, textsOf, title } from './balancer-properties.ts';
import { decideListener } from './listener.ts';
import { forwardsTo, targetGroup } from './targetgroup.ts';

export const applicationForwardingRule = resource<ComputeTools>({
  name: 'applicationforwardingrule',
  plural: 'forwardingrules',
  shown: {
    title: 'Forwarding rule',
    type: 'forwarding-rule',
    columns: ['name', 'protocol', 'listenerIp', 'listenerPort'],
  },
  parents: [applicationLoadBalancer],
  rights: { create: 'none' },
  actions: 'net.applicationforwardingrule',
  properties: {
    name: title(),
    protocol: text({ required: true, oneOf: ['HTTP'], example: 'HTTP' }),
    listenerIp: ipv4({ required: true, example: '10.1.2.3', description: 'One of the addresses of the load balancer' }),
    listenerPort: port({ required: true }),
    clientTimeout: milliseconds({ default: 50_000 }),
    serverCertificates: list(text({ max: 255 }), {
      max: 100,
      default: [],
      description: 'The IDs of certificates. With at least one, the listener uses HTTPS',
    }),
    httpRules: list(httpRule, { default: [], description: 'FORWARD rules are evaluated after the others' }),
  },
  sample: {
    needs: { group: 'targetgroup' },
    properties: (near) => ({
      listenerIp: textsOf(near('parent').properties.ips)[0] ?? '',
      httpRules: [{ name: 'all', type: 'FORWARD', targetGroup: near('group').id }],
    }),
    change: { name: 'changed', httpRules: [] },
  },
  lifecycle: { create: [step('provision')], change: [step('reconfigure')], remove: [step('release')] },
  rules: httpRules,
  async decide(draft, context) {
    if (draft.way === 'remove') return;
    await decideListener(draft, context);
    await decideGroups(draft, context);
    await decideCertificates(draft, context);
  },
});

// The rule links to every target group that it forwards to, so that those can't be deleted.
async function decideGroups(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  const before = linkedBefore(draft, forwardsTo);
  const paths = new Set<string>();
  for (const [index, rule] of (draft.values.httpRules as Values[]).entries()) {
    if (!isObject(rule) || rule.type !== 'FORWARD') continue;
    const id = String(rule.targetGroup);
    const path = `${targetGroup.plural}/${id}`;
    if (!before.includes(path) && !paths.has(path))
      await holdGroup(draft, context, id, `httpRules.[${index}].targetGroup`);
    paths.add(path);
  }
  setLinks(draft, forwardsTo, paths);
}

// It also links to its certificates.
async function decideCertificates(draft: Draft, { tools }: DecisionContext<ComputeTools>): Promise<void> {
  const before = linkedBefore(draft, presents);
  const paths = new Set<string>();
  for (const [index, id] of (draft.values.serverCertificates as string[]).entries()) {
    const row = await tools.certificate(draft.contract, id);
    if (row === undefined || row.state === 'DELETING' || !maySee(draft.caller, row))
      throw refused(draft, `serverCertificates.[${index}]`, `Certificate ${id.slice(0, 40)} does not exist`);
    if (!before.includes(pathOf(row)) && !paths.has(pathOf(row))) draft.extraWrites.push(guardOf(row));
    paths.add(pathOf(row));
  }
  setLinks(draft, presents, paths);
}

const presents = 'presents';

const linkedBefore = ({ reservations }: Draft, role: string): string[] =>
  reservations.links.filter(([one]) => one === role).map(([, to]) => to);

function setLinks(draft: Draft, role: string, paths: ReadonlySet<string>): void {
  const others = draft.reservations.links.filter(([one]) => one !== role);
  draft.reservations.links = [...others, ...[...paths].map((path): Link => [role, path])];
}

// The linked resource must still exist when this is written.
const guardOf = ({ contract, place, id, version }: Row): Write => ({
  op: 'guard',
  table: 'resource',
  key: { contract, place, id },
  version,
});

async function holdGroup(draft: Draft, { store }: DecisionContext, id: string, at: string): Promise<void> {
  const row = isUuid(id) ? await store.get(draft.contract, targetGroup.plural, id) : undefined;
  if (!row || row.state === 'DELETING' || !maySee(draft.caller, row))
    throw refused(draft, at, `Target group ${id.slice(0, 40)} does not exist`);
  if (await store.creating(row.contract, pathOf(row)))
    throw refused(draft, at, `Target group ${id} is BUSY. Wait until its request is DONE`);
  draft.extraWrites.push(guardOf(row));
}
