// Shared by network and application load balancers: a listener LAN, a target LAN, and forwarding rules that listen at
// the balancer's addresses, each at its own address and port.
import { Fault } from '../../base/fault.ts';
import { equalJson, type Json } from '../../base/json.ts';
import { busy } from '../../core/operation/busy.ts';
import { type DecisionContext, type Draft, pathOf, type Report, type Task } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { refused, releaseAddress, type Segment } from '../lan/address-claims.ts';
import type { ComputeTools } from '../tools.ts';
import { bare, checkDistinct, checkPrivate, textsOf, withLength } from './balancer-properties.ts';
import { decideAddressList, joinLans, refuseDuplicateClaims, requireLan } from './lan-membership.ts';

export function balancerRules({ values, previous, way }: Draft, report: Report): void {
  if (way === 'replace') for (const name of ['ips', 'lbPrivateIps']) values[name] ??= previous[name] ?? null;
  if (values.listenerLan !== null && values.listenerLan === values.targetLan)
    report('targetLan', 'The listener LAN and the target LAN must differ');
  const [ips, own] = [textsOf(values.ips), textsOf(values.lbPrivateIps)];
  checkDistinct(ips, 'ips', 'The address', report);
  checkDistinct(own.map(bare), 'lbPrivateIps', 'The address', report);
  checkPrivate(own, 'lbPrivateIps', report);
  if (Array.isArray(values.lbPrivateIps)) values.lbPrivateIps = own.map(withLength);
}

const placed = ['listenerLan', 'targetLan', 'ips', 'lbPrivateIps'];

// `hidesChosen`: an address in the target LAN is shown only if the client chose it. The generated address of an
// application load balancer stays hidden, because Terraform would report it as a difference.
export async function decideBalancer(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  { hidesChosen = false } = {},
): Promise<void> {
  const { values, previous, way, hidden } = draft;
  if (way === 'remove' || placed.every((name) => equalJson(values[name], previous[name]))) return;
  const listener = await requireLan(draft, context, Number(values.listenerLan), 'listenerLan');
  const target = await requireLan(draft, context, Number(values.targetLan), 'targetLan');
  joinLans(draft, [
    ['listener', listener],
    ['target', target],
  ]);
  values.ips = await decideAddresses(draft, context, listener);
  const own = await decideAddressList(draft, context, {
    name: 'lbPrivateIps',
    at: 'lbPrivateIps',
    sent: values.lbPrivateIps,
    stored: hidden.lbPrivateIps ?? previous.lbPrivateIps,
    isMoved: values.targetLan !== previous.targetLan,
    segment: target,
    hasLength: true,
    isHidden: hidesChosen,
  });
  delete hidden.lbPrivateIps;
  if (hidesChosen && textsOf(hidden.chosen).includes('lbPrivateIps')) hidden.lbPrivateIps = own;
  values.lbPrivateIps = hidden.lbPrivateIps ? [] : own;
  refuseDuplicateClaims(draft, 'ips');
  if (way === 'create') return;
  const left = await leftBehind(context.store, draft.contract, pathOf(draft), values.ips);
  if (left !== undefined) throw refused(draft, 'ips', left);
}

// On a public LAN it has only the addresses that the client chose: Terraform would report others as a difference.
async function decideAddresses(draft: Draft, context: DecisionContext<ComputeTools>, segment: Segment): Promise<Json> {
  const { values, previous } = draft;
  if (segment.public && textsOf(values.ips).length === 0) {
    for (const address of textsOf(previous.ips)) releaseAddress(draft, address);
    return [];
  }
  const isMoved = values.listenerLan !== previous.listenerLan;
  return decideAddressList(draft, context, {
    name: 'ips',
    at: 'ips',
    sent: values.ips,
    stored: previous.ips,
    isMoved,
    segment,
  });
}

// The decision does not know a rule that was created at the same moment.
export async function stillListening({ contract, path, values, context }: Task): Promise<void> {
  const left = await leftBehind(context.store, contract, path, values.ips);
  if (left !== undefined) throw new Fault('refused', left);
}

// The error for a rule that would listen at none of these addresses any more.
async function leftBehind(
  store: Store,
  contract: number,
  path: string,
  ips: Json | undefined,
): Promise<string | undefined> {
  for await (const rule of store.each({ contract, place: `${path}/forwardingrules` })) {
    const { listenerIp } = JSON.parse(rule.body) as { listenerIp: string };
    if (!textsOf(ips).includes(listenerIp)) return `Forwarding rule ${rule.id} listens at ${listenerIp}`;
  }
  return undefined;
}

// A forwarding rule listens at an address of its balancer, and not where another one does.
export async function decideListener(draft: Draft, { store }: DecisionContext): Promise<void> {
  const { values, previous, reservations } = draft;
  if (['listenerIp', 'listenerPort', 'protocol'].every((name) => values[name] === previous[name])) return;
  const balancer = draft.parents.at(-1) as Row;
  const { ips } = JSON.parse(balancer.body) as { ips: string[] };
  const { listenerIp, listenerPort, protocol } = values;
  if (!ips.includes(String(listenerIp)))
    throw refused(
      draft,
      'listenerIp',
      `${listenerIp} is not an address of the load balancer. It has ${ips.join(', ')}`,
    );
  if (draft.way !== 'create') holdParent(draft, balancer);
  const claim = `${pathOf(balancer)} ${protocol} ${listenerIp}:${listenerPort}`;
  const other = (await store.claimed(claim))?.path.split('/').at(-1);
  if (other !== undefined && other !== draft.id)
    throw refused(draft, 'listenerPort', `Forwarding rule ${other} already listens at ${listenerIp}:${listenerPort}`);
  reservations.claims = [claim];
  refuseDuplicateClaims(draft, 'listenerPort');
}

// A rule is checked against its parent, so the parent's version is guarded.
export function holdParent(draft: Draft, parent: Row): void {
  const { contract, place, id, version, state } = parent;
  if (state !== 'AVAILABLE') throw busy(parent);
  draft.extraWrites.push({ op: 'guard', table: 'resource', key: { contract, place, id }, version });
}
