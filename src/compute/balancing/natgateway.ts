// NAT gateways: private LANs reach the internet through them, from reserved public addresses.
import { Fault } from '../../base/fault.ts';
import { equalJson, isObject, type Json, type Values } from '../../base/json.ts';
import { isPrivate } from '../../base/outbound/outbound-address.ts';
import {
  type DecisionContext,
  type Draft,
  pathOf,
  type Report,
  resource,
  step,
  type Task,
} from '../../core/resource.ts';
import { integer, list, shape } from '../../core/schema.ts';
import type { Store } from '../../core/store.ts';
import { datacenter } from '../datacenter.ts';
import { refused, type Segment } from '../lan/address-claims.ts';
import type { ComputeTools } from '../tools.ts';
import {
  bare,
  checkDistinct,
  checkPrivate,
  hostAddress,
  ipv4,
  textsOf,
  title,
  withLength,
} from './balancer-properties.ts';
import {
  decideAddressList,
  joinLans,
  refuseDuplicateClaims,
  requireLan,
  setReservedAddresses,
} from './lan-membership.ts';

const lan = shape({
  id: integer({ required: true, min: 1, example: 1, description: 'The number of a private LAN' }),
  gatewayIps: list(hostAddress(), { max: 100, description: 'One is assigned if empty' }),
});

export const natGateway = resource<ComputeTools>({
  name: 'natgateway',
  plural: 'natgateways',
  parents: [datacenter],
  rights: { create: 'none' },
  actions: 'net.natgateway',
  properties: {
    name: title(),
    publicIps: list(ipv4(), {
      required: true,
      min: 1,
      max: 100,
      example: ['198.18.0.1'],
      description: 'Addresses of IP blocks in the same location',
    }),
    lans: list(lan, { max: 100, default: [] }),
  },
  shown: { title: 'NAT gateway', columns: ['name', 'publicIps'] },
  sample: {
    needs: { lan: 'lan', otherLan: 'lan', block: 'ipblock' },
    properties: (near) => ({
      publicIps: near('block').properties.ips ?? [],
      lans: [{ id: Number(near('lan').id) }],
    }),
    change: { name: 'changed', lans: [{ id: 2, gatewayIps: ['10.202.0.3/24'] }] },
  },
  lifecycle: { create: [step('provision')], change: [step('reconfigure', stillTranslated)], remove: [step('release')] },
  usage: { meter: () => ({ natGateway: 1 }) },
  rules,
  async decide(draft, context) {
    const { values, previous, way } = draft;
    if (way === 'remove') return;
    draft.reservations.counts.natGatewayProvisioned = 1;
    if (!equalJson(values.publicIps, previous.publicIps)) {
      await setReservedAddresses(draft, context, textsOf(values.publicIps), 'publicIps');
      const left =
        way === 'create' ? undefined : await leftBehind(context.store, draft.contract, pathOf(draft), values);
      if (left !== undefined) throw refused(draft, 'publicIps', left);
    }
    if (!equalJson(values.lans, previous.lans)) await decideLans(draft, context);
    refuseDuplicateClaims(draft, 'publicIps');
  },
});

interface Gate {
  id: number;
  gatewayIps: Json;
}

const gatesOf = (value: Json | undefined): Values[] =>
  Array.isArray(value) ? value.filter((one) => isObject(one)) : [];

function rules({ values }: Draft, report: Report): void {
  const publicIps = textsOf(values.publicIps);
  checkDistinct(publicIps, 'publicIps', 'The address', report);
  for (const [index, ip] of publicIps.entries())
    if (isPrivate(ip)) report(`publicIps.[${index}]`, `${ip} is a private address`);
  const gates = gatesOf(values.lans);
  checkDistinct(
    gates.map(({ id }) => Number(id)),
    'lans',
    'The LAN',
    report,
  );
  for (const [index, gate] of gates.entries()) {
    const ips = textsOf(gate.gatewayIps);
    checkDistinct(ips.map(bare), `lans.[${index}].gatewayIps`, 'The address', report);
    checkPrivate(ips, `lans.[${index}].gatewayIps`, report);
    if (Array.isArray(gate.gatewayIps)) gate.gatewayIps = ips.map(withLength);
  }
}

async function decideLans(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  const gates = draft.values.lans as unknown as Gate[];
  const before = gatesOf(draft.previous.lans) as unknown as Gate[];
  const segments: Segment[] = [];
  for (const [index, { id }] of gates.entries()) {
    const segment = await requireLan(draft, context, id, `lans.[${index}].id`);
    if (segment.public)
      throw refused(draft, `lans.[${index}].id`, `LAN ${id} is public. A NAT gateway needs private LANs`);
    segments.push(segment);
  }
  joinLans(
    draft,
    segments.map((segment) => ['gateway', segment]),
  );
  for (const [index, gate] of gates.entries()) {
    const previous = before.find(({ id }) => id === gate.id);
    gate.gatewayIps = await decideAddressList(draft, context, {
      name: `lan ${gate.id}`,
      at: `lans.[${index}].gatewayIps`,
      sent: gate.gatewayIps,
      stored: previous?.gatewayIps,
      isMoved: previous === undefined,
      segment: segments[index] as Segment,
      hasLength: true,
    });
  }
}

// The decision does not know a rule that was created at the same moment.
async function stillTranslated({ contract, path, values, context }: Task<ComputeTools>): Promise<void> {
  const left = await leftBehind(context.store, contract, path, values);
  if (left !== undefined) throw new Fault('refused', left);
}

// The error for a rule that would translate to none of these addresses any more.
async function leftBehind(
  store: Store,
  contract: number,
  path: string,
  { publicIps }: Values,
): Promise<string | undefined> {
  for await (const rule of store.each({ contract, place: `${path}/rules` })) {
    const { publicIp } = JSON.parse(rule.body) as { publicIp: string };
    if (!textsOf(publicIps).includes(publicIp)) return `Rule ${rule.id} translates to ${publicIp}`;
  }
  return undefined;
}
