// The default security group of a datacenter, which every server created later joins. A server does not show it among
// its groups until a client assigns groups to it: Terraform would remove it. The datacenter stores its id; the id of a
// deleted group is ignored.
import type { Fault } from '../../base/fault.ts';
import { isUuid } from '../../base/ids.ts';
import type { Values } from '../../base/json.ts';
import { creationOf } from '../../core/operation/draft.ts';
import { type DecisionContext, type Draft, pathOf, type Report } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import { type Reader, reservedRows } from '../../core/tree.ts';
import { refused } from '../lan/address-claims.ts';
import type { ComputeTools } from '../tools.ts';
import { claimSlots, groupSlots } from './limit-slots.ts';

export const member = 'securitygroup'; // the role of the link from a server or a NIC to its group

export const groupPath = (datacenterPath: string, id: string): string => `${datacenterPath}/securitygroups/${id}`;

// The groups that a server or a NIC shows.
export const shownGroups = async (row: Row, store: Reader): Promise<Row[]> =>
  row.hidden.includes('"groupsByDefault":true') ? [] : reservedRows(store, row, member);

interface Chosen {
  defaultGroup?: string;
}

const chosenIn = ({ hidden }: Pick<Row, 'hidden'>): string | undefined =>
  hidden ? (JSON.parse(hidden) as Chosen).defaultGroup : undefined;

export async function defaultGroupOf(store: Reader, datacenter: Row): Promise<string | null> {
  const id = chosenIn(datacenter);
  const row = id === undefined ? undefined : await store.at(datacenter.contract, groupPath(pathOf(datacenter), id));
  return row && row.state !== 'DELETING' ? row.id : null;
}

export function defaultGroupRules({ way, sealed }: Draft, report: Report): void {
  const { defaultSecurityGroupId: id, createDefaultSecurityGroup: isMade } = sealed;
  if (id && way === 'create')
    report(
      'defaultSecurityGroupId',
      'Not allowed on creation, because the group does not exist yet. createDefaultSecurityGroup creates one',
    );
  else if (id && isMade)
    report(
      'createDefaultSecurityGroup',
      'Only one of createDefaultSecurityGroup and defaultSecurityGroupId is allowed',
    );
}

// Applies the settings of the body for the default group.
export async function decideDefaultGroup(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  const { defaultSecurityGroupId: id, createDefaultSecurityGroup: isMade } = draft.sealed;
  if (typeof id === 'string' && id !== '') await choose(draft, context.store, id);
  else if (id !== undefined) delete draft.hidden.defaultGroup; // Terraform sends an empty text
  if (isMade === true) await make(draft, context);
  const groups = draft.children.filter(({ resource: { name } }) => name === 'securitygroup');
  await claimSlots(groups, context, groupSlots(pathOf(draft)));
}

async function choose(draft: Draft, store: Store, id: string): Promise<void> {
  const { contract } = draft;
  const path = groupPath(pathOf(draft), id);
  const row = isUuid(id) ? await store.at(contract, path) : undefined;
  const refuse = (message: string): Fault => refused(draft, 'defaultSecurityGroupId', message);
  if (!row || row.state === 'DELETING') throw refuse(`Security group ${id} does not exist in this datacenter`);
  if (row.state !== 'AVAILABLE' || (await store.creating(contract, path)))
    throw refuse(`Security group ${id} is BUSY. Wait until its request is DONE`);
  draft.hidden.defaultGroup = id;
  draft.extraWrites.push({ op: 'guard', table: 'resource', key: row, version: row.version });
}

async function make(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  if (draft.before && (await defaultGroupOf(context.store, draft.before)) !== null)
    throw refused(draft, 'createDefaultSecurityGroup', 'The datacenter already has a default security group');
  const group = context.resource('securitygroup');
  const values = { name: 'Default', description: 'For all servers of the datacenter' };
  const made = creationOf(group, draft.caller, [], values);
  made.id = String(await group.ids.make?.(made, context as never));
  for (const rule of firstRules(draft.values.ipv6CidrBlock))
    made.children.push(creationOf(context.resource('securitygrouprule'), draft.caller, [], rule));
  draft.children.push(made);
  Object.assign(draft.hidden, { defaultGroup: made.id, inside: true });
  // In an existing datacenter the group is a part of the operation, BUSY until it ends; so the journal is below it.
  if (draft.before) draft.lockPath = `${groupPath(pathOf(draft), made.id)}/rules/${made.id}`;
}

// All outgoing traffic is allowed; incoming traffic is allowed from private ranges.
function firstRules(ipv6: Values[string] | undefined): Values[] {
  const rule = (name: string, type: string, ipVersion: string, sourceIp: string | null): Values => ({
    name,
    protocol: 'ANY',
    sourceMac: null,
    ipVersion,
    sourceIp,
    targetIp: null,
    icmpCode: null,
    icmpType: null,
    portRangeStart: null,
    portRangeEnd: null,
    type,
  });
  return [
    rule('Outgoing IPv4', 'EGRESS', 'IPv4', null),
    rule('Outgoing IPv6', 'EGRESS', 'IPv6', null),
    rule('Incoming IPv4 from private networks', 'INGRESS', 'IPv4', '10.0.0.0/8'),
    ...(typeof ipv6 === 'string' ? [rule('Incoming IPv6 from the datacenter', 'INGRESS', 'IPv6', ipv6)] : []),
  ];
}

// For a new server, created alone or together with its datacenter.
export async function joinDefaultGroup(draft: Draft, { store }: DecisionContext<ComputeTools>): Promise<void> {
  const top = draft.parents[0] as Row;
  const isNew = top.state === '';
  const id = isNew ? draft.top?.hidden.defaultGroup : await defaultGroupOf(store, top);
  if (typeof id !== 'string') return;
  const path = groupPath(pathOf(top), id);
  const row = isNew ? undefined : await store.at(draft.contract, path);
  if (row) draft.extraWrites.push({ op: 'guard', table: 'resource', key: row, version: row.version });
  draft.reservations.links.push([member, path]);
  draft.hidden.groupsByDefault = true;
}
