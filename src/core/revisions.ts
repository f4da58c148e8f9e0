// How often something was changed inside, such as a datacenter by its LANs. The count is kept below the thing, written
// with the end of each change; it is no part of the thing's own row, which those who work side by side inside of it
// would else fight for. Who loses that fight for the count leaves a row beside it, and the next one adds them up.
// The thing itself is only marked, once, so that what has nothing inside costs no look-up.
import type { Model } from './model.ts';
import type { Journal } from './operation.ts';
import type { Draft, Resource } from './resource.ts';
import { type Row, rowOf, type Write } from './state/engine.ts';
import type { Store } from './store.ts';

// What the hidden part of a thing tells, once it was marked.
export interface Marked {
  inside?: boolean;
}

const total = '0'; // its id; before those of requests
const mostAtOnce = 1000;

const placeIn = (path: string): string => `${path}/revisions`;

// The writes that count a change, which belong into the set that ends it. `raced`: others were faster.
export async function revisionWrites(store: Store, model: Model, journal: Journal, raced: boolean): Promise<Write[]> {
  const { contract, request, changes } = journal;
  const place = countedBy(model, changes[0]);
  if (place === undefined) return [];
  if (raced) return [{ op: 'insert', table: 'resource', row: rowOf({ contract, place, id: request, kind }) }];
  const rows = await store.range({ contract, place, limit: mostAtOnce });
  const before = rows[0]?.id === total ? rows[0] : undefined;
  const row = {
    ...(before ?? rowOf({ contract, place, id: total, kind })),
    body: String(rows.reduce((all, one) => all + worth(one), 1)),
  };
  return [
    { op: before ? 'update' : 'insert', table: 'resource', row },
    ...rows
      .filter((one) => one !== before)
      .map((key): Write => ({ op: 'remove', table: 'resource', key, loose: true })),
  ];
}

const kind = 'revision';

const worth = ({ id, body }: Row): number => (id === total ? Number(body) : 1);

// Where a change is counted: in what it stands in uppermost, if that counts.
function countedBy(model: Model, change: Journal['changes'][number] | undefined): string | undefined {
  if (!change) return undefined;
  let top: Resource = model.get(change.kind);
  if (top.parents.length === 0) return undefined;
  while (top.parents[0]) top = top.parents[0];
  const [collection, id] = change.path.split('/');
  return top.countsInside && collection === top.plural ? placeIn(`${collection}/${id}`) : undefined;
}

export async function revisionsIn(store: Store, { contract, place, id }: Row): Promise<number> {
  let count = 0;
  for await (const row of store.each({ contract, place: placeIn(`${place}/${id}`) })) count += worth(row);
  return count;
}

// Something is created: from now on the count of what it stands in uppermost is looked up.
export function markInside(model: Model, draft: Draft): void {
  if (draft.children.length && draft.resource.countsInside) draft.hidden.inside = true;
  const [top] = draft.parents;
  if (!top || draft.resource.synchronous || !model.get(top.kind).countsInside) return;
  if (top.state === '' || isMarked(top)) return; // '': made in the same request
  const hidden = JSON.stringify({ ...(top.hidden ? (JSON.parse(top.hidden) as object) : {}), inside: true });
  draft.also.push({ op: 'update', table: 'resource', row: { ...top, hidden } });
}

const isMarked = ({ hidden }: Row): boolean => hidden !== '' && (JSON.parse(hidden) as Marked).inside === true;
