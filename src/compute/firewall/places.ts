// How many of one kind may be in one thing: each has a numbered place there, held as a claim. There are as many numbers
// as places, and of two who choose the same only one gets it, so no limit is ever passed.
import { Fault } from '../../base/fault.ts';
import { uuid } from '../../base/ids.ts';
import type { DecisionContext, Draft } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { ComputeTools } from '../tools.ts';

export interface Places {
  path: string; // of what they are in
  word: string; // what they are called in the claims
  limit: string; // the contract's
}

export const groupPlaces = (datacenterPath: string): Places => ({
  path: datacenterPath,
  word: 'securitygroup',
  limit: 'securityGroupsPerVdc',
});

export const rulePlaces = (groupPath: string): Places => ({
  path: groupPath,
  word: 'rule',
  limit: 'rulesPerSecurityGroup',
});

// `leaving` give theirs back by the same request.
export async function takePlaces(
  drafts: readonly Draft[],
  { store, tools }: DecisionContext<ComputeTools>,
  { path, word, limit }: Places,
  leaving: readonly Row[] = [],
): Promise<void> {
  const contract = drafts[0]?.contract;
  if (contract === undefined) return;
  const taken = new Set<string>();
  for await (const { id } of store.each({ contract: 0, place: path, from: `${word} `, to: `${word}~` }, 'claim'))
    taken.add(id);
  const most = (await tools.limits(contract))[limit] ?? Number.POSITIVE_INFINITY;
  if (taken.size - leaving.length + drafts.length > most) {
    const more = `${drafts.length} more would pass it`;
    throw new Fault('refused', `The limit ${limit} of the contract is ${most}: ${more}.`, { code: '200' });
  }
  for (const { reservations } of drafts) {
    const place = freePlace(taken, word, most + leaving.length);
    taken.add(place);
    reservations.claims.push(`${path} ${place}`);
  }
}

// Each begins to look somewhere else, so that those of one moment seldom meet.
function freePlace(taken: ReadonlySet<string>, word: string, most: number): string {
  const count = Math.min(most, mostPlaces);
  let number = Number.parseInt(uuid().slice(-6), 16) % count;
  while (taken.has(`${word} ${number}`)) number = (number + 1) % count;
  return `${word} ${number}`;
}

const mostPlaces = 1_000_000;
