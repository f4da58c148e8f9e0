// Limits on the number of children of a resource: each child holds a claim on a numbered slot of its parent. There are
// as many slots as the limit allows, and a slot can be claimed once, so concurrent creations can't exceed the limit.
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import type { DecisionContext, Draft } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { ComputeTools } from '../tools.ts';

export interface SlotLimit {
  path: string; // of the parent
  word: string; // the prefix of the claims
  limit: string; // the name of the contract's limit
}

export const groupSlots = (datacenterPath: string): SlotLimit => ({
  path: datacenterPath,
  word: 'securitygroup',
  limit: 'securityGroupsPerVdc',
});

export const ruleSlots = (groupPath: string): SlotLimit => ({
  path: groupPath,
  word: 'rule',
  limit: 'rulesPerSecurityGroup',
});

// `leaving`: children whose slots the same request releases.
export async function claimSlots(
  drafts: readonly Draft[],
  { store, tools }: DecisionContext<ComputeTools>,
  { path, word, limit }: SlotLimit,
  leaving: readonly Row[] = [],
): Promise<void> {
  const contract = drafts[0]?.contract;
  if (contract === undefined) return;
  const taken = new Set<string>();
  for await (const { id } of store.each({ contract: 0, place: path, from: `${word} `, to: `${word}~` }, 'claim'))
    taken.add(id);
  const most = (await tools.limits(contract))[limit] ?? Number.POSITIVE_INFINITY;
  if (taken.size - leaving.length + drafts.length > most) {
    const more = `${drafts.length} more would exceed it`;
    throw new Fault('refused', `The limit ${limit} of the contract is ${most}: ${more}.`, { code: '200' });
  }
  for (const { reservations } of drafts) {
    const place = freeSlot(taken, word, most + leaving.length);
    taken.add(place);
    reservations.claims.push(`${path} ${place}`);
  }
}

// Searches from a random slot, so that concurrent creations seldom collide.
function freeSlot(taken: ReadonlySet<string>, word: string, most: number): string {
  const count = Math.min(most, maxSlots);
  let number = Number.parseInt(uuid().slice(-6), 16) % count;
  while (taken.has(`${word} ${number}`)) number = (number + 1) % count;
  return `${word} ${number}`;
}

const maxSlots = 1_000_000;
