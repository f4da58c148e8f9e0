// How often a resource was changed inside, such as a datacenter by changes of its LANs. A separate counter
// is increased at the end of each change, because concurrent changes inside the resource would race for its row. The
// row is only marked, once, so that an empty resource costs no look-up.
import type { Model } from '../model.ts';
import type { Draft, Resource } from '../resource.ts';
import type { Row, Write } from '../state/engine.ts';
import type { Reader } from '../tree.ts';
import type { Journal } from './journal.ts';

// In the hidden part of a row that was marked.
export interface Marked {
  inside?: boolean;
}

export const insideScope = 'inside '; // the prefix of the names of these counters
const nameOf = (path: string): string => insideScope + path;

// The writes that count a change, which belong into the set that ends it.
export function revisionWrites(model: Model, { contract, changes }: Pick<Journal, 'contract' | 'changes'>): Write[] {
  const name = countedBy(model, changes[0]);
  return name === undefined ? [] : [{ op: 'count', contract, name, add: 1 }];
}

// The counter of a change: that of the uppermost resource above it, if that one counts.
function countedBy(model: Model, change: Journal['changes'][number] | undefined): string | undefined {
  if (!change) return undefined;
  let top: Resource = model.get(change.kind);
  if (top.parents.length === 0) return undefined;
  while (top.parents[0]) top = top.parents[0];
  const [collection, id] = change.path.split('/');
  return top.usage.countsInside && collection === top.plural ? nameOf(`${collection}/${id}`) : undefined;
}

export const revisionsIn = (store: Reader, { contract, place, id }: Row): Promise<number> =>
  store.counted(contract, nameOf(`${place}/${id}`));

// The counter is deleted with its resource.
export async function forgetRevisions(store: Reader, row: Row): Promise<Write[]> {
  const add = -(await revisionsIn(store, row));
  return add === 0 ? [] : [{ op: 'count', contract: row.contract, name: nameOf(`${row.place}/${row.id}`), add }];
}

// A creation: from now on the counter of the uppermost resource above it is looked up.
export function markInside(model: Model, draft: Draft): void {
  if (draft.children.length && draft.resource.usage.countsInside) draft.hidden.inside = true;
  const [top] = draft.parents;
  if (draft.top || !top || draft.resource.lifecycle.synchronous || !model.get(top.kind).usage.countsInside) return;
  if (top.state === '' || isMarked(top)) return; // '': made in the same request
  const hidden = JSON.stringify({ ...(top.hidden ? (JSON.parse(top.hidden) as object) : {}), inside: true });
  draft.extraWrites.push({ op: 'update', table: 'resource', row: { ...top, hidden } });
}

const isMarked = ({ hidden }: Row): boolean => hidden !== '' && (JSON.parse(hidden) as Marked).inside === true;
