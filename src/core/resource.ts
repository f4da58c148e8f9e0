// The declaration of a managed resource, as data. Routes, validation, OpenAPI, privileges, audit actions, operations
// and sweeps derive from it. It may answer two questions in code: `decide` (rules beyond the schema, and what it
// reserves) and `derive` (properties that can only be known when it is read).
import { isUuid, uuid } from '../base/ids.ts';
import type { Values } from '../base/json.ts';
import type { Caller, Privilege } from './access.ts';
import { core, type Dialect } from './dialect.ts';
import type { Reservations } from './operation/reservations.ts';
import type { Properties, Way } from './schema.ts';
import type { Row, Write } from './state/engine.ts';
import type { Store } from './store.ts';
import type { Reader } from './tree.ts';

type MaybePromise<T> = T | Promise<T>; // callers await it

export type Verb = 'list' | 'get' | 'create' | 'replace' | 'change' | 'remove';

export interface Resource<Tools = unknown> {
  readonly name: string;
  readonly plural: string; // as in the path
  readonly type: string; // as in `type`
  readonly typeIsKind?: boolean; // it shows rows of several kinds, and the type of each is its kind
  readonly parents: readonly Resource[];
  readonly dialect: Dialect; // how it is called and shown
  readonly root: string; // in front of the plural, for resources without a parent: `um/`; of regional ones, the service
  readonly verbs: readonly Verb[];
  readonly privilege: Privilege | 'none'; // to create one
  readonly adminOnly: boolean; // to change anything of it
  readonly shareable?: boolean; // with a group; only what has no parent
  readonly properties: Properties;
  readonly columns?: readonly string[]; // the properties that a table shows
  // The states in which something can be done with it, as clients see them; whoever offers it and whoever does it ask.
  readonly can: Readonly<Record<string, readonly string[]>>;
  readonly sample?: Sample;
  readonly ids: IdScheme;
  readonly metadata: 'full' | 'stateless' | 'none';
  readonly synchronous: boolean; // 201/200 without a request, as labels are
  readonly unique?: boolean; // another one of its name is a conflict; where a dialect has a status for that
  readonly replies?: Partial<Record<Verb, number>>; // other statuses than the dialect's, with the Location all the same
  readonly newestFirst?: boolean; // in the lists of the auto scaling dialect
  readonly title?: string; // with its article, where the name does not say it: `an action of a group`
  readonly paged: boolean; // offset, limit and _links in its collections
  readonly inside: boolean; // shown among its parent's entities
  readonly composite: boolean; // may be created inside its parent's creation
  readonly hasSecrets: boolean; // answers that show it are never kept
  readonly entities: readonly Entity[]; // shown in it after its own children, though their rows are elsewhere
  readonly actions: string; // the audit's dotted verb, without its last word: `vdc.datacenter`
  readonly pace?: number;
  readonly flags?: readonly string[]; // what a removal may be told by the query: `deleteVolumes=true`
  readonly counted?: Readonly<Record<string, string>>; // which property counts against a limit, by the counter's name
  readonly countsInside?: boolean; // how often something in it was changed (revisions.ts)
  readonly create: readonly Step<Tools>[];
  readonly change: readonly Step<Tools>[];
  readonly remove: readonly Step<Tools>[];
  readonly acts: Readonly<Record<string, Act<Tools>>>; // by the word that audit and faults know them by
  // Beyond the schema, of one body alone: told together with what the schema finds, so types may be wrong still.
  rules?(draft: Draft, report: Report): void;
  decide?(draft: Draft, context: DecisionContext<Tools>): MaybePromise<void>;
  conclude?(draft: Draft, context: DecisionContext<Tools>): MaybePromise<void>; // when all parts of it are decided
  // Of `derived` properties. `href`: the address of a path. `caller`: who reads it; absent where nobody does.
  derive?(
    row: Row,
    values: () => Values,
    context: ReadContext<Tools>,
    href: Href,
    caller?: Caller,
  ): MaybePromise<Values>;
  // Metadata that may change without it. A `state` in it is shown where it would be AVAILABLE.
  noted?(row: Row, store: Reader, tools: Tools): MaybePromise<Values>;
  readonly notedSchema?: Values; // the schemas of it, and of what `once` tells
  meter?(values: Values): Record<string, number>; // what it uses, from now until it changes or goes
}

// What sample.ts makes a creation of, besides the examples of the properties.
export interface Sample {
  readonly needs?: Readonly<Record<string, string>>; // what has to be there before: the name of a resource by its role
  // `near`: what is needed, by its role; `parent` is what it is made in. `unique`: letters and digits.
  readonly properties?: (near: (role: string) => Neighbour, unique: string) => Values;
  readonly change?: Values; // what a PATCH may send
}

export interface Neighbour {
  readonly id: string;
  readonly properties: Values;
}

export interface Entity {
  readonly name: string;
  // `find`: by name, for declarations that can't import each other.
  readonly of: (find: (name: string) => Resource) => Resource;
  readonly reach?: boolean; // it can be listed and read below its owner
  readonly composite?: boolean; // may be created beside its owner, by the same request
  readonly shallow?: boolean; // shown without what is in it and beside it, which may lead back here
  members(row: Row, store: Reader, all: readonly Resource[]): MaybePromise<Row[]>; // all: that are declared
}

export type Href = (path: string) => string;
export type Report = (name: string, message: string, code?: string) => void; // name: of the property

// What can be done with a thing besides changing its properties: start, attach …
export interface Act<Tools = unknown> {
  readonly steps: readonly Step<Tools>[];
  decide?(draft: Draft, context: DecisionContext<Tools>): MaybePromise<void>;
}

export interface IdScheme {
  readonly example: string;
  parse(text: string): string | undefined; // as it is kept, or undefined where no such id can exist
  show(id: string): string;
  make?(draft: Draft, context: DecisionContext<never>): Promise<string> | string;
  release?(contract: number, place: string, id: string, context: DecisionContext<never>): void; // an unused id
}

// Each step can run twice; each has an undo or needs none. A step without `run` only takes its time.
export interface Step<Tools = unknown> {
  readonly name: string;
  readonly late?: boolean; // after those of all other parts of the operation: a machine boots when its disks are there
  run?(task: Task<Tools>): Promise<void>;
  undo?(task: Task<Tools>): Promise<void>;
}

export interface Task<Tools = unknown> {
  readonly contract: number;
  readonly path: string;
  readonly values: Values; // of the resource as it will be (as it was, for a removal)
  readonly memo: Values; // kept with the journal between steps
  readonly parts: readonly string[]; // the paths of all parts of the operation
  readonly context: DecisionContext<Tools>;
}

// The context of those who only read: rows may have been read before.
export type ReadContext<Tools = unknown> = Omit<DecisionContext<Tools>, 'store'> & { readonly store: Reader };

export interface DecisionContext<Tools = unknown> {
  readonly store: Store;
  readonly now: () => number;
  readonly tools: Tools;
  readonly resource: (name: string) => Resource; // for declarations that can't import each other
}

// What a creation, a change or a removal is about to do. `decide` completes it or throws a Fault; it may run again.
export interface Draft {
  readonly resource: Resource;
  readonly way: Way | 'remove';
  readonly caller: Caller;
  readonly contract: number;
  readonly place: string;
  readonly at: string; // the place in the body, for messages: `(root).properties`
  readonly parents: readonly Row[]; // uppermost first
  readonly before: Row | undefined;
  readonly previous: Values; // the values before the change
  readonly sealed: Values; // write-only properties as they were sent
  readonly values: Values;
  readonly reservations: Reservations;
  readonly hidden: Values;
  readonly extraWrites: Write[]; // of other rows, in the same write set
  readonly children: Draft[]; // of a composite creation
  readonly related: Draft[]; // other resources that are made, changed or removed with it
  readonly act?: string;
  readonly flags: ReadonlySet<string>; // those of a removal
  top?: Draft; // the whole that it is a part of
  atOnce?: boolean; // a change that is made with the acceptance, whatever else is pending: nobody sees it BUSY
  lockPath?: string; // the path that its journal row locks, if not its own: everything above that is BUSY
  id: string;
  owner?: string; // who counts as its maker, where that is not the caller
  once?: Values; // metadata that the answer to its creation tells and nobody keeps, such as a key
}

export const step = <Tools>(
  name: string,
  run?: (task: Task<Tools>) => Promise<void>,
  undo?: (task: Task<Tools>) => Promise<void>,
): Step<Tools> => ({ name, ...(run && { run }), ...(undo && { undo }) });

export const byUuid: IdScheme = {
  example: '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  parse: (text) => (isUuid(text) ? text : undefined),
  show: (id) => id,
  make: () => uuid(),
};

// Small numbers, padded so that key order is their order.
export const byOrdinal: IdScheme = {
  example: '1',
  parse: (text) => (/^[1-9]\d{0,9}$/.test(text) ? text.padStart(10, '0') : undefined),
  show: (id) => id.replace(/^0+/, ''),
};

type Declared<Tools> = Pick<Resource<Tools>, 'name' | 'plural' | 'properties' | 'privilege'> & Partial<Resource<Tools>>;

export function resource<Tools = unknown>(declared: Declared<Tools>): Resource<Tools> {
  return {
    type: declared.name,
    parents: [],
    dialect: core,
    root: '',
    verbs: ['list', 'get', 'create', 'replace', 'change', 'remove'],
    adminOnly: false,
    ids: byUuid,
    metadata: 'full',
    synchronous: false,
    paged: true,
    inside: true,
    composite: true,
    entities: [],
    actions: `${declared.name}.${declared.name}`,
    create: [],
    change: [],
    remove: [],
    acts: {},
    hasSecrets: Object.values(declared.properties).some((property) => property.secret),
    ...declared,
    can: {
      ...canUsually,
      ...Object.fromEntries(Object.keys(declared.acts ?? {}).map((act) => [act, ready])),
      ...declared.can,
    },
  };
}

const ready = ['AVAILABLE'];
const canUsually = { replace: ready, change: ready, remove: ['AVAILABLE', 'BUSY'] }; // a removal waits for its turn

// The resources above it and itself, uppermost first; of several parents the first.
export function chainOf(resource: Resource): Resource[] {
  const above = resource.parents[0];
  return above ? [...chainOf(above), resource] : [resource];
}

export const pathOf = (row: Pick<Row, 'place' | 'id'>): string => `${row.place}/${row.id}`;

// The path as clients write it: `datacenters/D/lans/1` for the kept `datacenters/D/lans/0000000001`.
export const shownPath = (path: string): string =>
  path.includes('/0000') ? path.replace(/\/0+(?=[1-9]\d*(?:\/|$))/g, '/') : path;
