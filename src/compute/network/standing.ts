// The rows of a datacenter as they count for traffic: what is being made is not there before its request is DONE, what
// is being changed is as it was, what is being removed stands until it is gone. The journal tells which ones those are.

import { journalOf } from '../../core/operation/operation.ts';
import { heldLinks } from '../../core/operation/reservations.ts';
import { pathOf } from '../../core/resource.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';

export interface Standing {
  in(place: string): readonly Row[]; // as the API lists them
  linked(row: Row, role: string): string[]; // the ids of those that it is linked to
}

// Undefined: there is no such datacenter, or it is being made.
export async function standingIn(store: Store, contract: number, path: string): Promise<Standing | undefined> {
  const { made, before } = await underWay(store, contract, path);
  const isMade = made.has(path) || (store.engine.exclusive && (await store.creating(contract, path))); // it may pass
  if (isMade || !(await store.at(contract, path))) return undefined;
  const places = new Map<string, Row[]>();
  for await (const row of store.each({ contract, below: `${path}/` })) {
    if (made.has(pathOf(row))) continue;
    const there = places.get(row.place);
    if (there) there.push(row);
    else places.set(row.place, [row]);
  }
  return {
    in: (place) => places.get(place) ?? [],
    linked: (row, role) => heldLinks({ hidden: before.get(pathOf(row)) ?? row.hidden }, role).map(idIn),
  };
}

interface UnderWay {
  made: Set<string>; // paths of what is not there yet
  before: Map<string, string>; // what stood hidden in the rows that are being changed
}

async function underWay(store: Store, contract: number, path: string): Promise<UnderWay> {
  const made = new Set<string>();
  const before = new Map<string, string>();
  for await (const row of store.each({ contract, below: path }, 'journal'))
    for (const change of journalOf(row).changes) {
      if (change.way === 'create') made.add(change.path);
      else if (change.before !== undefined) before.set(change.path, change.before);
    }
  return { made, before };
}

export const idIn = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
