// From what a client sent to what will be written: the schema's check and the resource's decision, for one
// resource or for a composite (a datacenter with its LANs), gathered into one draft tree.
import { Fault, type Problem } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { after, type Soon } from '../../base/soon.ts';
import { type Caller, demandAdmin, demandPrivilege } from '../access.ts';
import type { Model } from '../model.ts';
import { type Desk, type Draft, pathOf, type Resource } from '../resource.ts';
import { type Checked, check, type Properties, report, type Way } from '../schema.ts';
import { type Row, rowOf } from '../state/engine.ts';
import { holdsOf, noHolds } from './reservations.ts';
import { markInside } from './revisions.ts';

export interface Sent {
  properties: Json | undefined;
  entities?: Json | undefined;
  problems?: Problem[]; // with what stands beside them
}

export interface Wish {
  resource: Resource;
  way: Way;
  caller: Caller;
  parents: readonly Row[];
  before?: Row | undefined;
  place?: string; // of what is made, where its parents do not tell
  sent: Sent;
  at: string;
}

// Problems of the schema come all together; only a clean draft is decided upon. `less` takes what is known to be wrong
// out of the values, for those who look for more (gather.ts): they know the problems already.
export function draftOf(model: Model, wish: Wish, less?: Less): Draft {
  const problems: Problem[] = [];
  const draft = compose(model, wish, problems, less);
  if (problems.length > 0 && !less) throw new Fault('refused', 'The request body is not acceptable.', { problems });
  return draft;
}

export function decide(model: Model, draft: Draft): Soon<void> {
  const desk = model.desk(draft.resource);
  const isNumbered = draft.way === 'create' && !draft.id && draft.resource.ids.spare !== undefined;
  if (!isNumbered) return settle(model, draft, desk);
  const lane = `number ${draft.contract} ${draft.place}`;
  return desk.store.inTurn(lane, () => sparing(draft, desk, () => settle(model, draft, desk)));
}

// A number that was given to what is refused can be had by the next one, which waits until that is known.
async function sparing(draft: Draft, desk: Desk, work: () => Soon<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    spare(draft, desk);
    throw error;
  }
}

export function spare({ resource, way, contract, place, id }: Draft, desk: Desk): void {
  if (way === 'create' && id) resource.ids.spare?.(contract, place, id, desk as never);
}

function settle(model: Model, draft: Draft, desk: Desk): Soon<void> {
  const { resource, act } = draft;
  return after(identify(draft, desk), () =>
    after(act === undefined ? resource.decide?.(draft, desk) : resource.acts[act]?.decide?.(draft, desk), () => {
      if (draft.way === 'create') markInside(model, draft);
      const parts = draft.children.length + draft.beside.length ? decideParts(model, draft) : undefined;
      return resource.conclude ? after(parts, () => resource.conclude?.(draft, desk)) : parts;
    }),
  );
}

function identify(draft: Draft, desk: Desk): Soon<void> {
  if (draft.way !== 'create' || draft.id) return;
  return after(draft.resource.ids.make?.(draft, desk as never), (id) => {
    draft.id = id ?? '';
  });
}

// Each may add others beside the whole, which come last.
async function decideParts(model: Model, draft: Draft): Promise<void> {
  const parents = [...draft.parents, standIn(draft)];
  for (const child of draft.children) {
    Object.assign(child, { place: `${pathOf(draft)}/${child.resource.plural}`, parents });
    await decide(model, child);
  }
  for (const other of draft.beside) {
    if (other.way !== 'create') continue; // whoever drafted it has decided it
    const above = draft.parents.slice(0, 1 + draft.parents.findIndex(({ kind }) => isBelow(other.resource, kind)));
    const top = above.at(-1);
    const place = top ? `${pathOf(top)}/${other.resource.plural}` : other.place;
    Object.assign(other, { place, parents: above, top: draft.top ?? draft });
    await decide(model, other);
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
  if (resource.adminOnly) demandAdmin(caller);
  const values = JSON.parse(before.body) as Values;
  return draftWith(resource, 'remove', caller, parents, before, { flags, values });
}

const noFlags: ReadonlySet<string> = new Set();

// Something is done with a thing that stands, or it is changed because something else is. The values are those it has,
// for whoever decides to change.
export function changeOf(
  resource: Resource,
  caller: Caller,
  parents: readonly Row[],
  before: Row,
  act?: string,
): Draft {
  const draft = draftWith(resource, 'change', caller, parents, before, {
    values: JSON.parse(before.body) as Values,
    holds: holdsOf(before),
    hidden: before.hidden ? (JSON.parse(before.hidden) as Values) : {},
  });
  return act === undefined ? draft : { ...draft, act };
}

// Something comes to be without a body of its own: a snapshot of a volume, a LAN that a NIC names.
export function creationOf(
  resource: Resource,
  caller: Caller,
  parents: readonly Row[],
  values: Values,
  id = '',
): Draft {
  demandPrivilege(caller, resource.privilege);
  return draftWith(resource, 'create', caller, parents, undefined, { values, id });
}

function compose(model: Model, wish: Wish, problems: Problem[], less: Less | undefined, top?: Draft): Draft {
  const { resource, way, caller, parents, before, place, sent, at } = wish;
  if (resource.adminOnly) demandAdmin(caller);
  if (way === 'create') demandPrivilege(caller, resource.privilege);
  const stood = before ? (JSON.parse(before.body) as Values) : undefined;
  const inner = way === 'change' ? at : `${at}.properties`;
  if (sent.problems) problems.push(...sent.problems);
  const checked = check(resource.properties, sent.properties, way, inner, stood);
  if (checked.problems.length > 0) problems.push(...checked.problems);
  less?.(checked, resource.properties, stood, inner);
  const draft = draftWith(resource, way, caller, parents, before, {
    place,
    at: inner,
    sealed: checked.sealed,
    values: checked.values,
    holds: before ? holdsOf(before) : noHolds(),
    hidden: before?.hidden ? (JSON.parse(before.hidden) as Values) : {},
  });
  if (top) draft.top = top;
  if (sent.entities !== undefined && sent.entities !== null)
    composeChildren(model, draft, sent.entities, `${at}.entities`, problems, less);
  resource.rules?.(draft, (name, message, code = '100') => report(problems, `${inner}.${name}`, message, code));
  return draft;
}

export type Less = (checked: Checked, properties: Properties, stood: Values | undefined, at: string) => void;

function composeChildren(
  model: Model,
  draft: Draft,
  entities: Json,
  at: string,
  problems: Problem[],
  less: Less | undefined,
): void {
  if (!isObject(entities)) {
    report(problems, at, 'An object is expected', '100');
    return;
  }
  for (const [name, collection] of Object.entries(entities)) {
    const here = `${at}.${name}`;
    const child = model.children(draft.resource).find((one) => one.plural === name && one.composite);
    const entity = child ? undefined : draft.resource.entities.find((one) => one.name === name && one.composite);
    const other = entity?.of((kind) => model.get(kind));
    const part = child ?? other;
    if (!part || draft.way !== 'create') {
      if (draft.way === 'create') report(problems, here, 'Attribute is unknown', '106');
      continue; // a PUT that sends the entities back changes none of them
    }
    const items = isObject(collection) ? collection.items : undefined;
    if (!Array.isArray(items)) {
      if (items !== undefined || !isObject(collection)) report(problems, `${here}.items`, 'A list is expected', '100');
      continue;
    }
    if (items.length > 1000) {
      report(problems, `${here}.items`, 'Expected at most 1000 elements', '100');
      continue;
    }
    for (const [index, item] of items.entries()) {
      const made = composePart(model, draft, part, item, `${here}.items.[${index}]`, problems, less);
      if (made) (child ? draft.children : draft.beside).push(made);
    }
  }
  // The keys of a body have no order: LANs come before what stands in them.
  if (draft.children.length > 1) {
    const order = model.children(draft.resource);
    draft.children.sort((one, other) => order.indexOf(one.resource) - order.indexOf(other.resource));
  }
}

function composePart(
  model: Model,
  draft: Draft,
  resource: Resource,
  item: Json,
  at: string,
  problems: Problem[],
  less: Less | undefined,
): Draft | undefined {
  if (!isObject(item)) {
    report(problems, at, 'An object is expected', '100');
    return undefined;
  }
  for (const key of Object.keys(item))
    if (key !== 'properties' && key !== 'entities') report(problems, `${at}.${key}`, 'Attribute is read-only', '105');
  const sent = { properties: item.properties, entities: item.entities };
  const { caller } = draft;
  const wish = { resource, way: 'create' as const, caller, parents: [], sent, at };
  return compose(model, wish, problems, less, draft.top ?? draft);
}

type Known = Partial<Pick<Draft, 'at' | 'sealed' | 'values' | 'holds' | 'hidden' | 'flags' | 'id'>>;

// Written out, so that all drafts have one shape.
function draftWith(
  resource: Resource,
  way: Draft['way'],
  caller: Caller,
  parents: readonly Row[],
  before: Row | undefined,
  known: Known & { place?: string | undefined },
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
    stood: before ? (JSON.parse(before.body) as Values) : {},
    sealed: known.sealed ?? {},
    values: known.values ?? {},
    holds: known.holds ?? noHolds(),
    hidden: known.hidden ?? {},
    also: [],
    children: [],
    beside: [],
    flags: known.flags ?? noFlags,
    id: known.id ?? before?.id ?? '',
  };
}

function placeIn(resource: Resource, parents: readonly Row[]): string {
  const above = parents.at(-1);
  return above ? `${pathOf(above)}/${resource.plural}` : resource.root + resource.plural;
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
