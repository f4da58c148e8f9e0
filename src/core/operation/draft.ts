// From a request body to the rows to write: the schema's check and the resource's decision, for one resource or for a
// composite (a datacenter with its LANs), gathered into one tree of drafts.
import { Fault, mostProblems, type Problem } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { type Caller, demandAdmin, demandPrivilege } from '../access.ts';
import { lenient } from '../lenient-values.ts';
import type { Model } from '../model.ts';
import { type DecisionContext, type Draft, pathOf, type Resource } from '../resource.ts';
import { check, report, type Way } from '../schema.ts';
import { type Row, rowOf } from '../state/engine.ts';
import { TimeSlice } from '../threads/time-slice.ts';
import { noReservations, reservationsOf } from './reservations.ts';
import { markInside } from './revisions.ts';

const budgetMs = 20_000; // three seconds were too few for hundreds of servers with passwords to hash

export interface Sent {
  id?: Json | undefined; // of a copy
  properties: Json | undefined;
  entities?: Json | undefined;
  problems?: Problem[]; // of other keys of the body
}

export interface DraftInput {
  resource: Resource;
  way: Way;
  caller: Caller;
  parents: readonly Row[];
  before?: Row | undefined;
  place?: string | undefined; // of the new resource, if its parents do not determine it
  sent: Sent;
  at: string;
}

// The schema and the rules of a body report everything that they find; only a clean draft is decided upon.
export function draftOf(model: Model, input: DraftInput): Draft {
  const problems: Problem[] = [];
  if (input.way === 'create' && countParts(input.sent.entities, 0) > mostParts)
    throw new Fault('refused', `[${input.at}.entities] A request creates at most ${mostParts} resources`);
  const draft = compose(model, input, problems);
  if (problems.length > 0) throw new Fault('refused', 'The request body is not acceptable.', { problems });
  return draft;
}

const mostParts = 2000;

// Of all collections in a body, whatever is wrong with them; stops above the limit.
function countParts(entities: Json | undefined, counted: number): number {
  let parts = counted;
  for (const collection of isObject(entities) ? Object.values(entities) : []) {
    const items = isObject(collection) && Array.isArray(collection.items) ? collection.items : [];
    parts += items.length;
    for (const item of items) {
      if (parts > mostParts) return parts;
      if (isObject(item)) parts = countParts(item.entities, parts);
    }
  }
  return parts;
}

// Completes a draft with values that depend on the state, or throws the reasons why the resource refuses it.
export async function decide(model: Model, draft: Draft, slice = new TimeSlice({ budgetMs })): Promise<void> {
  const context = model.context(draft.resource);
  const isNumbered = draft.way === 'create' && !draft.id && draft.resource.ids.release !== undefined;
  if (!isNumbered) return settle(model, draft, context, slice);
  // The number of a refused draft can be used by the next draft, which waits until the outcome is known.
  await context.store.runExclusive(`number ${draft.contract} ${draft.place}`, async () => {
    try {
      await settle(model, draft, context, slice);
    } catch (error) {
      releaseId(draft, context);
      throw error;
    }
  });
}

export function releaseId({ resource, way, contract, place, id }: Draft, context: DecisionContext): void {
  if (way === 'create' && id) resource.ids.release?.(contract, place, id, context as never);
}

async function settle(model: Model, draft: Draft, context: DecisionContext, slice: TimeSlice): Promise<void> {
  const { resource, act } = draft;
  if (draft.caller.copies && draft.id) await demandNew(draft, context);
  if (draft.way === 'create' && !draft.id) draft.id = (await resource.ids.make?.(draft, context as never)) ?? '';
  await (act === undefined
    ? resource.decide?.(draft, context)
    : resource.lifecycle.acts[act]?.decide?.(draft, context));
  if (draft.way === 'create') markInside(model, draft);
  await decideParts(model, draft, slice);
  await resource.conclude?.(draft, context);
}

async function demandNew(draft: Draft, { store }: DecisionContext): Promise<void> {
  const { way, contract, place, id } = draft;
  if (way === 'create' && (await store.get(contract, place, id))) throw takenId(draft);
}

export const takenId = ({ resource: { name, ids }, id }: Draft): Fault =>
  new Fault('refused', `A ${name} with the id ${ids.show(id)} exists already.`);

// Each part may add parts outside the whole, which come last.
async function decideParts(model: Model, draft: Draft, slice: TimeSlice): Promise<void> {
  if (draft.children.length + draft.related.length === 0) return;
  const parents = [...draft.parents, standIn(draft)];
  for (const child of draft.children) {
    Object.assign(child, { place: `${pathOf(draft)}/${child.resource.plural}`, parents });
    await decide(model, child, slice);
    await slice.pause();
  }
  for (const other of draft.related) {
    if (other.way !== 'create') continue; // already decided
    const above = draft.parents.slice(0, 1 + draft.parents.findIndex(({ kind }) => isBelow(other.resource, kind)));
    const top = above.at(-1);
    // Without a parent among those of the whole, it keeps its place.
    if (top) Object.assign(other, { place: `${pathOf(top)}/${other.resource.plural}`, parents: above });
    other.top = draft.top ?? draft;
    await decide(model, other, slice);
    await slice.pause();
  }
}

const isBelow = (resource: Resource, kind: string): boolean => resource.parents.some(({ name }) => name === kind);

export function removalOf(
  resource: Resource,
  caller: Caller,
  parents: readonly Row[],
  before: Row,
  flags: ReadonlySet<string> = noFlags,
): Draft {
  if (resource.rights.adminOnly) demandAdmin(caller);
  const values = JSON.parse(before.body) as Values;
  return draftWith(resource, 'remove', caller, parents, before, { flags, values });
}

const noFlags: ReadonlySet<string> = new Set();

// An act on an existing resource, or a change of it because another one changes. The values are those that it has; the
// decision may change them.
export function changeOf(
  resource: Resource,
  caller: Caller,
  parents: readonly Row[],
  before: Row,
  act?: string,
): Draft {
  const draft = draftWith(resource, 'change', caller, parents, before, {
    values: JSON.parse(before.body) as Values,
    reservations: reservationsOf(before),
    hidden: before.hidden ? (JSON.parse(before.hidden) as Values) : {},
  });
  return act === undefined ? draft : { ...draft, act };
}

// A creation without its own body: a LAN that a NIC names.
export function creationOf(
  resource: Resource,
  caller: Caller,
  parents: readonly Row[],
  values: Values,
  id = '',
): Draft {
  demandPrivilege(caller, resource.rights.create);
  return draftWith(resource, 'create', caller, parents, undefined, { values, id });
}

function compose(model: Model, input: DraftInput, problems: Problem[], top?: Draft): Draft {
  const { resource, way, caller, parents, before, place, sent, at } = input;
  if (resource.rights.adminOnly) demandAdmin(caller);
  if (way === 'create') demandPrivilege(caller, resource.rights.create);
  const previous = before ? (JSON.parse(before.body) as Values) : undefined;
  const inner = way === 'change' ? at : `${at}.properties`;
  if (sent.problems) problems.push(...sent.problems);
  const { isLenient } = resource.dialect;
  const properties = isLenient && sent.properties ? lenient(resource.properties, sent.properties) : sent.properties;
  const copies = way === 'create' && caller.copies === true;
  const checkedAs = copies ? 'copy' : isLenient && way === 'replace' ? 'update' : way;
  const { values, sealed } = check(resource.properties, properties, checkedAs, inner, previous, problems);
  const draft = draftWith(resource, way, caller, parents, before, {
    place,
    id: copies ? idOfCopy(resource, sent.id, at, problems) : undefined,
    at: inner,
    sealed,
    values,
    reservations: before ? reservationsOf(before) : noReservations(),
    hidden: before?.hidden ? (JSON.parse(before.hidden) as Values) : {},
  });
  if (top) draft.top = top;
  if (sent.entities !== undefined && sent.entities !== null)
    composeChildren(model, draft, sent.entities, `${at}.entities`, problems);
  resource.rules?.(draft, (name, message, code = '100') => report(problems, `${inner}.${name}`, message, code));
  return draft;
}

function composeChildren(model: Model, draft: Draft, entities: Json, at: string, problems: Problem[]): void {
  if (!isObject(entities)) {
    report(problems, at, 'An object is expected', '100');
    return;
  }
  const order = model.children(draft.resource);
  for (const [name, collection] of Object.entries(entities)) {
    if (problems.length >= mostProblems) return;
    const here = `${at}.${name}`;
    const child = order.find((one) => one.plural === name && one.lifecycle.composite);
    const entity = child ? undefined : draft.resource.entities.find((one) => one.name === name && one.composite);
    const part = child ?? entity?.of((kind) => model.get(kind));
    if (!part || draft.way !== 'create') {
      if (draft.way === 'create') report(problems, here, 'Attribute is unknown', '106');
      continue; // a PUT that sends the entities back changes none of them
    }
    for (const [index, item] of itemsOf(collection, here, problems).entries()) {
      const made = composePart(model, draft, part, item, `${here}.items.[${index}]`, problems);
      if (made) (child ? draft.children : draft.related).push(made);
    }
  }
  // The keys of a body have no order: LANs come before the resources that use them.
  draft.children.sort((one, other) => order.indexOf(one.resource) - order.indexOf(other.resource));
}

function itemsOf(collection: Json, at: string, problems: Problem[]): Json[] {
  const items = isObject(collection) ? collection.items : undefined;
  if (Array.isArray(items) && items.length <= 1000) return items;
  if (Array.isArray(items)) report(problems, `${at}.items`, 'Expected at most 1000 elements', '100');
  else if (items !== undefined || !isObject(collection)) report(problems, `${at}.items`, 'A list is expected', '100');
  return [];
}

function composePart(
  model: Model,
  draft: Draft,
  resource: Resource,
  item: Json,
  at: string,
  problems: Problem[],
): Draft | undefined {
  if (!isObject(item)) {
    report(problems, at, 'An object is expected', '100');
    return undefined;
  }
  const { caller } = draft;
  for (const key in item) {
    if (problems.length >= mostProblems) return undefined;
    const isKnown = key === 'properties' || key === 'entities' || (key === 'id' && caller.copies);
    if (!isKnown) report(problems, `${at}.${key}`, 'Attribute is read-only', '105');
  }
  const sent = { properties: item.properties, entities: item.entities, id: item.id };
  const input = { resource, way: 'create' as const, caller, parents: [], sent, at };
  return compose(model, input, problems, draft.top ?? draft);
}

// The id that a copy keeps; absent: the region chooses one.
function idOfCopy(resource: Resource, id: Json | undefined, at: string, problems: Problem[]): string | undefined {
  if (id === undefined) return undefined;
  const stored = resource.ids.parse(String(id));
  if (stored === undefined) report(problems, `${at}.id`, `'${String(id)}' is not the id of a ${resource.name}`, '100');
  return stored;
}

type Known = Partial<Pick<Draft, 'at' | 'sealed' | 'values' | 'reservations' | 'hidden' | 'flags'>>;

function draftWith(
  resource: Resource,
  way: Draft['way'],
  caller: Caller,
  parents: readonly Row[],
  before: Row | undefined,
  known: Known & { place?: string | undefined; id?: string | undefined },
): Draft {
  return {
    resource,
    way,
    caller,
    contract: caller.contract,
    place: known.place ?? before?.place ?? placeIn(resource, parents),
    at: known.at ?? '(root)',
    parents,
    before,
    previous: before ? (JSON.parse(before.body) as Values) : {},
    sealed: known.sealed ?? {},
    values: known.values ?? {},
    reservations: known.reservations ?? noReservations(),
    hidden: known.hidden ?? {},
    extraWrites: [],
    children: [],
    related: [],
    flags: known.flags ?? noFlags,
    id: known.id ?? before?.id ?? '',
  };
}

function placeIn(resource: Resource, parents: readonly Row[]): string {
  const above = parents.at(-1);
  return above ? `${pathOf(above)}/${resource.plural}` : resource.dialect.rootPlace(resource, '');
}

// A parent that is being created in the same request, as its children's decisions see it.
const standIn = (draft: Draft): Row =>
  rowOf({
    contract: draft.contract,
    place: draft.place,
    id: draft.id,
    kind: draft.resource.name,
    owner: draft.caller.user,
    body: JSON.stringify(draft.values),
  });
