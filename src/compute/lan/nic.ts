// Network interfaces of a server, each in one LAN. Naming a LAN that does not exist creates it as a private one.

import { Fault } from '../../base/fault.ts';
import type { Json, Values } from '../../base/json.ts';
import { busy } from '../../core/operation/busy.ts';
import { creationOf } from '../../core/operation/draft.ts';
import { reservationsOf, reservedLinks } from '../../core/operation/reservations.ts';
import { type DecisionContext, type Draft, pathOf, type Report, resource, step } from '../../core/resource.ts';
import { flag, integer, list, text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { shownGroups } from '../firewall/default-group.ts';
import { securityGroup } from '../firewall/security-group.ts';
import { claimSlot, holdsSlot } from '../server/pci-slots.ts';
import { server } from '../server/server.ts';
import type { ComputeTools } from '../tools.ts';
import {
  heldAddresses,
  leaseAddress,
  refused,
  releaseAddress,
  type Segment,
  segmentOf,
  setAddresses,
  unusable,
} from './address-claims.ts';
import { refuseFailoverAddress } from './failover.ts';
import { macClaim, macForm, macOf, macRules } from './mac.ts';
import { ipv6Rules, setNetwork } from './nic-ipv6.ts';

export const nic = resource<ComputeTools>({
  name: 'nic',
  plural: 'nics',
  parents: [server],
  rights: { create: 'none' },
  actions: 'net.nic',
  properties: {
    name: text({ max: 255, example: 'example' }),
    mac: text({
      immutable: true,
      pattern: macForm,
      says: 'Expected six bytes, such as 02:01:ab:cd:ef:01',
      description: 'Assigned if absent',
    }),
    ips: list(text({ max: 60 }), { max: 100, description: 'One is assigned if empty' }),
    dhcp: flag({ default: true, description: 'The machine gets its addresses by DHCP' }),
    lan: integer({
      required: true,
      min: 1,
      example: 1,
      description: 'Number of the LAN. It is created if it does not exist',
    }),
    firewallActive: flag({ default: false, description: 'Only traffic that its rules allow passes' }),
    firewallType: text({
      oneOf: ['INGRESS', 'EGRESS', 'BIDIRECTIONAL'],
      anyCase: true,
      default: 'INGRESS',
      description: 'Direction that the firewall filters',
    }),
    ipv6CidrBlock: text({ max: 60, description: 'A /80 of the network of the LAN' }),
    ipv6Ips: list(text({ max: 60 }), { max: 50 }),
    dhcpv6: flag(),
    deviceNumber: integer({ serverFilled: true }),
    pciSlot: integer({ serverFilled: true }),
    vnet: text({ serverFilled: true }),
  },
  shown: { title: 'NIC', columns: ['name', 'lan', 'ips', 'mac'] },
  sample: { change: { name: 'changed', lan: 23, firewallActive: true } },
  entities: [
    {
      name: 'securitygroups',
      of: () => securityGroup,
      reach: true,
      members: shownGroups,
    },
  ],
  lifecycle: {
    create: [step('connect')],
    change: [step('reconfigure')],
    remove: [step('disconnect')],
    acts: { move: { steps: [step('move')], decide: (draft, context) => decideNic(draft, context) } },
  },
  rules,
  decide: (draft, context) =>
    draft.way === 'remove' ? demandFree(draft, context.store, false) : decideNic(draft, context),
});

function rules(draft: Draft, report: Report): void {
  const { values, previous, way } = draft;
  if (way === 'replace') values.ips ??= previous.ips ?? [];
  const ips = Array.isArray(values.ips) ? values.ips.map(String) : [];
  for (const [index, ip] of ips.entries()) {
    const why = ips.indexOf(ip) < index ? 'The address is in the list twice' : unusable(ip);
    if (why !== undefined) report(`ips.[${index}]`, why);
  }
  if (way === 'create') macRules(values.mac, report);
  ipv6Rules(draft, report);
}

async function decideNic(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  const { values, previous } = draft;
  if (draft.way === 'create') {
    await identify(draft, context);
    values.deviceNumber = null;
  }
  const isMoved = values.lan !== previous.lan;
  if (draft.before && (isMoved || !sameTexts(values.ips, previous.ips)))
    await demandFree(draft, context.store, isMoved);
  const lan = await lanOf(draft, context);
  if (isMoved) {
    for (const address of heldAddresses(draft)) releaseAddress(draft, address);
    const links = draft.reservations.links.filter(([role]) => role !== 'lan');
    draft.reservations.links.splice(0, draft.reservations.links.length, ...links, ['lan', lan.segment.path]);
  }
  await decideAddresses(draft, context, lan.segment, isMoved);
  if (lan.row && sharesAnew(draft)) touch(draft, lan.row);
  const isRequested = asksForNetwork(values);
  setNetwork(draft, lan.values, lan.segment.path, isMoved && draft.before !== undefined);
  if (draft.before || isRequested) await demandOwnNetwork(draft, context.store);
}

async function identify(draft: Draft, { store }: DecisionContext<ComputeTools>): Promise<void> {
  const { values, id, reservations } = draft;
  const above = draft.parents.at(-1) as Row;
  const { type } = JSON.parse(above.body) as { type: string };
  const machine = { path: pathOf(above), isCube: type === 'CUBE', isNew: above.state === '' };
  if (!holdsSlot(draft, machine.path)) values.pciSlot = await claimSlot(draft, store, machine, 'nic');
  const requestedMac = typeof values.mac === 'string' ? values.mac.toLowerCase() : undefined;
  if (requestedMac !== undefined && (await store.claimed(macClaim(requestedMac))))
    throw refused(draft, 'mac', `MAC address ${requestedMac} is already in use by another NIC`);
  values.mac = requestedMac ?? macOf(id);
  reservations.claims.push(macClaim(values.mac));
}

// Whether the client names a network or addresses; otherwise a NIC in a collision gets another id.
const asksForNetwork = ({ ipv6CidrBlock: block, ipv6Ips: ips }: Values): boolean =>
  (typeof block === 'string' && block !== 'AUTO') || (Array.isArray(ips) && ips.length > 0);

// A requested network may belong to another NIC.
async function demandOwnNetwork(draft: Draft, store: Store): Promise<void> {
  const claim = draft.reservations.claims.find((one) => one.endsWith('/80'));
  const holder = claim === undefined ? undefined : await store.claimed(claim);
  const isOwn = holder?.contract === draft.contract && holder.path === pathOf(draft);
  if (holder && !isOwn) throw refused(draft, 'ipv6CidrBlock', `${draft.values.ipv6CidrBlock} is in use by another NIC`);
}

// The removal of a failover group must know all NICs that share its address, so each of them changes the LAN's version.
function touch(draft: Draft, lan: Row): void {
  if (lan.state !== 'AVAILABLE') throw busy(lan);
  draft.extraWrites.push({ op: 'update', table: 'resource', row: lan });
}

function sharesAnew({ reservations, before }: Draft): boolean {
  const previous = before ? reservationsOf(before).links : [];
  return reservations.links.some(
    ([role, to]) => role === 'shares' && !previous.some(([other, path]) => other === role && path === to),
  );
}

interface Named {
  segment: Segment;
  values: Values;
  row?: Row; // if it already exists
}

// The LAN that it names, existing or new.
async function lanOf(draft: Draft, { store, resource: find }: DecisionContext<ComputeTools>): Promise<Named> {
  const top = draft.parents[0] as Row;
  const id = String(draft.values.lan).padStart(10, '0');
  const path = `${pathOf(top)}/lans/${id}`;
  const row = top.state === '' ? undefined : await store.at(draft.contract, path);
  if (row) return existingLan(draft, store, row);
  const whole = draft.top ?? draft;
  const made = whole.related.concat(whole.children).find((one) => one.resource.name === 'lan' && one.id === id);
  if (made) return { segment: segmentOf(path, made.values), values: made.values };
  const lan = find('lan');
  const values: Values = {
    name: null,
    public: false,
    ipFailover: [],
    ipv4CidrBlock: null,
    ipv6CidrBlock: null,
    pcc: null,
  };
  const draftLan = creationOf(lan, draft.caller, [top], values, id);
  draftLan.values.ipv4CidrBlock = privateRange(path);
  whole.related.push(draftLan);
  return { segment: segmentOf(path, values), values };
}

// It must still exist when the NIC is written.
async function existingLan(draft: Draft, store: DecisionContext['store'], row: Row): Promise<Named> {
  const { contract, place, id, version } = row;
  if (row.state === 'DELETING') throw refused(draft, 'lan', `LAN ${Number(id)} is being deleted`);
  if (await store.creating(contract, pathOf(row)))
    throw new Fault('missing', `LAN ${Number(id)} is not ready. Wait until its request is DONE.`);
  draft.extraWrites.push({ op: 'guard', table: 'resource', key: { contract, place, id }, version });
  const values = JSON.parse(row.body) as Values;
  return { segment: segmentOf(pathOf(row), values), values, row };
}

async function decideAddresses(
  draft: Draft,
  context: DecisionContext<ComputeTools>,
  segment: Segment,
  isMoved: boolean,
): Promise<void> {
  const { values, previous } = draft;
  const wanted = Array.isArray(values.ips) ? values.ips.map(String) : [];
  const isExplicit = wanted.length > 0 && !(isMoved && JSON.stringify(wanted) === JSON.stringify(previous.ips ?? null));
  if (isExplicit) {
    await setAddresses(draft, context, segment, wanted, 'ips');
    values.ips = wanted;
    return;
  }
  if (!isMoved && draft.hidden.waits) {
    values.ips = [];
    return;
  }
  for (const address of heldAddresses(draft)) releaseAddress(draft, address);
  values.ips = [await leaseAddress(draft, context, segment)];
}

// It must be removed from a failover group and from a balancer first.
async function demandFree(draft: Draft, store: Store, isMoved: boolean): Promise<void> {
  const row = draft.before as Row;
  const lan = await refuseFailoverAddress(store, row);
  if (lan) draft.extraWrites.push({ op: 'guard', table: 'resource', key: lan, version: lan.version });
  if (isMoved && reservedLinks(row, 'balancedby').length > 0)
    throw new Fault('refused', `NIC ${row.id} is behind a load balancer. Remove it from the balancer first.`, {
      code: '200',
    });
}

const sameTexts = (one: Json | undefined, other: Json | undefined): boolean =>
  JSON.stringify(one ?? []) === JSON.stringify(other ?? []);

// A different range for each LAN of a datacenter, and seldom the same for two datacenters.
export function privateRange(lanPath: string): string {
  const [, datacenterId = '', , ordinal = '1'] = lanPath.split('/');
  const start = Number.parseInt(datacenterId.slice(-2), 16) || 0;
  return `10.${(start + Number(ordinal)) % 256}.0.0/16`;
}
