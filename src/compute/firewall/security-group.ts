// Network security groups: rules shared by servers and NICs. Each member holds a link to its group.
import { Fault } from '../../base/fault.ts';
import { busy } from '../../core/operation/busy.ts';
import { changeOf } from '../../core/operation/draft.ts';
import { type DecisionContext, type Draft, pathOf, resource, step, type Task } from '../../core/resource.ts';
import { text } from '../../core/schema.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Reader } from '../../core/tree.ts';
import { datacenter } from '../datacenter.ts';
import type { ComputeTools } from '../tools.ts';
import { member } from './default-group.ts';
import { claimSlots, groupSlots, ruleSlots } from './limit-slots.ts';

export const securityGroup = resource<ComputeTools>({
  name: 'securitygroup',
  shown: { title: 'Security group', type: 'security-group', columns: ['name', 'description'] },
  plural: 'securitygroups',
  parents: [datacenter],
  verbs: ['list', 'get', 'create', 'change', 'remove'], // PUT may replace the rules: security-group-routes.ts
  rights: { create: 'createNetworkSecurityGroups' },
  actions: 'net.securitygroup',
  properties: {
    name: text({ required: true, min: 1, max: 60, example: 'example' }),
    description: text({ max: 300 }),
  },
  sample: { change: { name: 'changed' } },
  entities: [
    { name: 'nics', of: (find) => find('nic'), reach: true, shallow: true, members: membersOf('nic') },
    { name: 'servers', of: (find) => find('server'), reach: true, shallow: true, members: membersOf('server') },
  ],
  lifecycle: {
    create: [step('allocate')],
    change: [step('reconfigure')],
    remove: [step('detach', demandNobody), step('release')],
  },
  decide(draft, context) {
    if (draft.way === 'create') return decideCreation(draft, context);
    return draft.way === 'remove' ? detachAll(draft, context) : undefined;
  },
});

function membersOf(kind: string) {
  return async ({ contract, place, id }: Row, store: Reader): Promise<Row[]> => {
    const rows = await store.linkedRows(contract, `${place}/${id}`, '<', member);
    return rows.filter((row) => row.kind === kind);
  };
}

// Slots of rules that are created together with their group were chosen for all of them at once.
async function decideCreation(draft: Draft, context: DecisionContext<ComputeTools>): Promise<void> {
  const top = draft.parents[0] as Row;
  if (draft.reservations.claims.length === 0) await claimSlots([draft], context, groupSlots(pathOf(top)));
  await claimSlots(draft.children, context, ruleSlots(pathOf(draft)));
}

// The group is removed from all its members: Terraform deletes a group without removing it from a NIC first.
async function detachAll(draft: Draft, { store, resource: find }: DecisionContext<ComputeTools>): Promise<void> {
  const path = pathOf(draft);
  for (const row of await store.linkedRows(draft.contract, path, '<', member)) {
    if (await isLeaving(store, row)) continue;
    if (row.state !== 'AVAILABLE' || (await store.creating(row.contract, pathOf(row)))) throw busy(row);
    const change = changeOf(find(row.kind), draft.caller, draft.parents, row);
    setGroups(
      change,
      groupsHeld(change).filter((one) => one !== path),
    );
    draft.related.push(change);
  }
}

// A NIC is deleted with its server.
async function isLeaving(store: Store, { contract, place, state, kind }: Row): Promise<boolean> {
  if (state === 'DELETING') return true;
  const server = kind === 'nic' ? await store.at(contract, place.slice(0, place.lastIndexOf('/'))) : undefined;
  return server?.state === 'DELETING';
}

// The removal does not know a member that joined at the same moment.
async function demandNobody({ contract, path, parts, context: { store } }: Task<ComputeTools>): Promise<void> {
  for (const row of await store.linkedRows(contract, path, '<', member))
    if (!parts.includes(pathOf(row)) && !(await isLeaving(store, row)))
      throw new Fault('refused', `The ${row.kind} ${row.id} has joined the security group in the meantime.`);
}

export const groupsHeld = ({ reservations }: Draft): string[] =>
  reservations.links.filter(([role]) => role === member).map(([, path]) => path);

export function setGroups({ reservations, hidden }: Draft, paths: readonly string[]): void {
  const others = reservations.links.filter(([role]) => role !== member);
  const links = paths.map((path): [string, string] => [member, path]);
  reservations.links.splice(0, reservations.links.length, ...others, ...links);
  delete hidden.groupsByDefault;
}
