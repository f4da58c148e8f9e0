// Classic load balancers: NICs of one LAN behind one address. A NIC holds the link to its balancer, so the link ends
// with either. Without NICs, the balancer is in no LAN. Changes are instant, because Terraform does not wait for the
// previous call.
import { isPrivate } from '../../base/outbound/outbound-address.ts';
import { busy } from '../../core/operation/busy.ts';
import { changeOf } from '../../core/operation/draft.ts';
import { type DecisionContext, type Draft, pathOf, resource, step } from '../../core/resource.ts';
import { flag, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Reader } from '../../core/tree.ts';
import { datacenter } from '../datacenter.ts';
import {
  heldAddresses,
  leaseAddress,
  releaseAddress,
  type Segment,
  useReservedAddress,
} from '../lan/address-claims.ts';
import { nic } from '../lan/nic.ts';
import type { ComputeTools } from '../tools.ts';
import { ipv4, optional } from './balancer-properties.ts';
import { claimListener, joinLans, refuseDuplicateClaims, requireLan } from './lan-membership.ts';

export const balancedBy = 'balancedby'; // the role of the link from the NIC

export const loadBalancer = resource<ComputeTools>({
  name: 'loadbalancer',
  plural: 'loadbalancers',
  ownCreation: true,
  relations: [{ name: 'balancednics', by: 'add' }],
  parents: [datacenter],
  rights: { create: 'none' },
  actions: 'net.loadbalancer',
  verbs: ['list', 'get', 'replace', 'change', 'remove'], // a creation names existing NICs: balanced-nic-routes.ts
  properties: {
    name: text({ max: 255, example: 'example' }),
    ip: optional(ipv4({ description: 'If absent, an address in the LAN of its NICs is assigned' })),
    dhcp: flag({ default: true, description: 'The NICs get their addresses by DHCP' }),
  },
  shown: { title: 'Load balancer', columns: ['name', 'ip', 'dhcp'] },
  sample: { change: { name: 'changed' } },
  // Terraform imports a balancer's NICs from a response without depth.
  entities: [{ name: 'balancednics', of: () => nic, reach: true, listed: true, members: balancedNics }],
  lifecycle: { create: [step('provision')], change: [], remove: [step('release')] },
  rules({ values, previous, way }) {
    if (values.ip === '') values.ip = null;
    if (way === 'replace') values.ip ??= previous.ip ?? null;
  },
  async decide(draft, context) {
    if (draft.way === 'remove') return releaseAll(draft, context);
    if (draft.values.ip === (draft.previous.ip ?? null)) return;
    draft.hidden.chosen = false;
    await decideAddress(draft, context, await segmentOf(draft, context));
  },
});

export function balancedNics(row: Row, store: Reader): Promise<Row[]> {
  return store.linkedRows(row.contract, pathOf(row), '<', balancedBy);
}

export const lanOf = ({ reservations }: Draft): number | undefined => {
  const path = reservations.links.find(([role]) => role === 'balanced')?.[1];
  return path === undefined ? undefined : Number(path.slice(-10));
};

async function segmentOf(draft: Draft, context: DecisionContext<ComputeTools>): Promise<Segment | undefined> {
  const lan = lanOf(draft);
  return lan === undefined ? undefined : requireLan(draft, context, lan, 'ip');
}

export async function enterLan(draft: Draft, context: DecisionContext<ComputeTools>, segment: Segment): Promise<void> {
  if (draft.reservations.links.some(([, to]) => to === segment.path)) return;
  leaveLan(draft);
  joinLans(draft, [['balanced', segment]]);
  await decideAddress(draft, context, segment);
}

export function leaveLan(draft: Draft): void {
  joinLans(draft, []);
  if (!draft.hidden.chosen) return;
  for (const address of heldAddresses(draft)) releaseAddress(draft, address);
  Object.assign(draft.values, { ip: null });
  draft.hidden.chosen = false;
}

// The address that the client chose, or one of the LAN. A private address is claimed only within a LAN.
async function decideAddress(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  segment: Segment | undefined,
): Promise<void> {
  const { values, hidden } = draft;
  for (const address of heldAddresses(draft)) if (address !== values.ip) releaseAddress(draft, address);
  if (typeof values.ip === 'string') {
    if (heldAddresses(draft).includes(values.ip) && (segment?.public ?? true)) return;
    if (segment) await claimListener(draft, context, segment, values.ip, 'ip');
    else if (!isPrivate(values.ip)) await useReservedAddress(draft, context, values.ip, 'ip');
    refuseDuplicateClaims(draft, 'ip');
  } else if (segment) {
    values.ip = await leaseAddress(draft, context, segment);
    hidden.chosen = true;
  }
}

async function releaseAll(draft: Draft, { store, resource: find }: DecisionContext<ComputeTools>): Promise<void> {
  for (const row of await balancedNics(draft.before as Row, store)) {
    requireAvailable(row);
    const change = changeOf(find('nic'), draft.caller, draft.parents, row, 'unbalance');
    unlink(change);
    draft.related.push(change);
  }
}

export function unlink({ reservations }: Draft): void {
  reservations.links = reservations.links.filter(([role]) => role !== balancedBy);
}

export function requireAvailable(row: Row): void {
  if (row.state !== 'AVAILABLE') throw busy(row);
}
