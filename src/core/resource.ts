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
  readonly parents: readonly Resource[];
  readonly dialect: Dialect; // how it is called and shown
  readonly root: string; // in front of the plural, for resources without a parent: `um/`; of regional ones, the service
  readonly verbs: readonly Verb[];
  readonly ownCreation?: boolean; // it can be created, by a route of its product instead of the verb
  readonly actions: string; // the audit's dotted verb, without its last word: `vdc.datacenter`
  readonly ids: IdScheme;
  readonly properties: Properties;
  readonly rights: Rights;
  readonly shown: Appearance;
  readonly entities: readonly Entity[]; // shown in it after its own children, though their rows are elsewhere
  readonly relations?: readonly Relation[];
  readonly seededState?: SeededState;
  readonly sourceValues?: readonly string[]; // properties of the resource that it copies; a seed sets them instead
  // Properties that other values determine: a creation must not send them. `owner`: what it is created with.
  determined?(values: Values, owner?: Values): readonly string[];
  readonly lifecycle: Lifecycle<Tools>;
  readonly usage: Usage;
  readonly noted?: Noted<Tools>;
  readonly sample?: Sample;
  // Checks one body beyond the schema. Its problems are reported with those of the schema, so types may be wrong still.
  rules?(draft: Draft, report: Report): void;
  decide?(draft: Draft, context: DecisionContext<Tools>): MaybePromise<void>;
  conclude?(draft: Draft, context: DecisionContext<Tools>): MaybePromise<void>; // when all parts of it are decided
  // Computes `derived` properties. `href` returns the address of a path. `caller` is the reader, if there is one.
  derive?(
    row: Row,
    values: () => Values,
    context: ReadContext<Tools>,
    href: Href,
    caller?: Caller,
  ): MaybePromise<Values>;
}

export interface Rights {
  readonly create: Privilege | 'none'; // the privilege to create one
  readonly adminOnly?: boolean; // to change anything of it
  readonly shareable?: boolean; // with a group; only a resource without a parent
}

// How answers and the console show it.
export interface Appearance {
  readonly type: string; // as in `type`
  readonly typeIsKind?: boolean; // it shows rows of several kinds, and the type of each is its kind
  readonly title?: string | readonly [one: string, several: string]; // for people; otherwise the name
  readonly phrase?: string; // in summaries, where the name does not say it: `an action of a group`
  readonly columns?: readonly string[]; // the properties that a table shows
  readonly metadata: 'full' | 'stateless' | 'none';
  readonly paged: boolean; // its collections have offset, limit and _links
  readonly inside: boolean; // among its parent's entities
  readonly newestFirst?: boolean; // in the lists of the auto scaling dialect
  readonly hasSecrets: boolean; // answers that show it are never cached
  readonly stateWords: StateWords; // in the regional dialect
}

// Where a regional resource shows its state, and the words for it.
export interface StateWords {
  readonly name: string;
  readonly message: string; // the name of the reason of a failure
  readonly creating: string;
  readonly busy: string; // it or one of its children is being created, changed or removed
  readonly ready?: string; // AVAILABLE, in a derived property `status`
}

// How it is created, changed and removed.
export interface Lifecycle<Tools = unknown> {
  readonly create: readonly Step<Tools>[];
  readonly change: readonly Step<Tools>[];
  readonly remove: readonly Step<Tools>[];
  readonly acts: Readonly<Record<string, Act<Tools>>>; // by the word that the audit and planted faults use
  readonly can: Readonly<Record<string, readonly string[]>>; // the states, as clients see them, that allow an operation
  readonly pace?: number;
  readonly synchronous: boolean; // 201 or 200 without a request, as labels are
  readonly composite: boolean; // may be created inside its parent's creation
  readonly flags?: readonly string[]; // query parameters of a removal: `deleteVolumes=true`
  readonly unique?: boolean; // a second one with its name is a conflict, in dialects that have a status for that
  readonly replies?: Partial<Record<Verb, number>>; // other statuses than the dialect's, still with a Location
}

// The amounts that a resource counts against limits and costs.
export interface Usage {
  readonly counted?: Readonly<Record<string, string>>; // the property that counts against a limit, by its counter
  readonly countsInside?: boolean; // it counts the changes of its children (revisions.ts)
  meter?(values: Values): Record<string, number>; // its usage, until it is changed or removed
}

// Metadata that may change without the row. A `state` in it is shown where the row's is AVAILABLE.
export interface Noted<Tools = unknown> {
  read?(row: Row, store: Reader, tools: Tools): MaybePromise<Values>;
  readonly schema?: Values; // of what `read` returns, and of `once`
}

// The input of sample.ts for a creation, in addition to the examples of the properties.
export interface Sample {
  readonly needs?: Readonly<Record<string, string>>; // resources that must exist before: the name of each by its role
  // `near`: the needed resources by role; `parent`: the parent. `unique`: letters and digits.
  readonly properties?: (near: (role: string) => Neighbour, unique: string) => Values;
  readonly change?: Values; // the body of a PATCH
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
  readonly composite?: boolean; // may be created together with its owner, by the same request
  readonly listed?: boolean; // its members are listed at depth 0 too, by their ids
  readonly shallow?: boolean; // shown without its children and entities, which may lead back here
  members(row: Row, store: Reader, all: readonly Resource[]): MaybePromise<Row[]>; // all: that are declared
}

// A list of existing resources that belong to it, changed by separate calls. Seeds contain them.
export interface Relation {
  readonly name: string; // of the collection below it
  // POST with the id of one; PUT with the ids of all; POST to the id of one, with properties of the relation.
  readonly by: 'add' | 'set' | 'share';
}

// A property with states that only acts lead to. Seeds restore the state of a resource after its creation.
export interface SeededState {
  readonly property: string;
  readonly acts: Readonly<Record<string, string>>; // by state: the last part of the act's path
  nearest(values: Values): string; // the state that a copy gets: its own, if an act leads to it
}

export type Href = (path: string) => string;
export type Report = (name: string, message: string, code?: string) => void; // name: of the property

// An action on a resource other than a change of its properties: start, attach …
export interface Act<Tools = unknown> {
  readonly steps: readonly Step<Tools>[];
  decide?(draft: Draft, context: DecisionContext<Tools>): MaybePromise<void>;
}

export interface IdScheme {
  readonly example: string;
  parse(text: string): string | undefined; // the stored form, or undefined if no such id can exist
  show(id: string): string;
  make?(draft: Draft, context: DecisionContext<never>): Promise<string> | string;
  release?(contract: number, place: string, id: string, context: DecisionContext<never>): void; // an unused id
}

// Each step can run twice; each has an undo or needs none. A step without `run` only takes its time.
export interface Step<Tools = unknown> {
  readonly name: string;
  readonly late?: boolean; // after those of all other parts of the operation: a machine boots when its disks are there
  // Whether the step has work to do at all; absent: it has. Steps without work are executed in batches.
  isNeeded?(tools: Tools): boolean;
  run?(task: Task<Tools>): Promise<void>;
  undo?(task: Task<Tools>): Promise<void>;
}

export interface Task<Tools = unknown> {
  readonly contract: number;
  readonly path: string;
  readonly values: Values; // of the resource as it will be (as it was, for a removal)
  readonly hidden: Values; // its hidden part, likewise
  readonly hiddenBefore: Values | undefined; // of a change: before it
  readonly memo: Values; // kept with the journal between steps
  readonly parts: readonly string[]; // the paths of all parts of the operation
  readonly context: DecisionContext<Tools>;
}

// The context of reads: rows may have been read before.
export type ReadContext<Tools = unknown> = Omit<DecisionContext<Tools>, 'store'> & { readonly store: Reader };

export interface DecisionContext<Tools = unknown> {
  readonly store: Store;
  readonly now: () => number;
  readonly tools: Tools;
  readonly resource: (name: string) => Resource; // for declarations that can't import each other
}

// A creation, a change or a removal before it is accepted. `decide` completes it or throws a Fault; it may run again.
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
  atOnce?: boolean; // a change that is applied with the acceptance, whatever else is pending: it is never BUSY
  lockPath?: string; // the path that its journal row locks, if not its own: everything above that is BUSY
  id: string;
  owner?: string; // the user who counts as its creator, if not the caller
  once?: Values; // metadata that only the answer to its creation has and that is not stored, such as a key
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

type Group = 'shown' | 'lifecycle';
interface Declared<Tools>
  extends Pick<Resource<Tools>, 'name' | 'plural' | 'properties' | 'rights'>,
    Partial<Omit<Resource<Tools>, 'name' | 'plural' | 'properties' | 'rights' | Group>> {
  readonly shown?: Partial<Omit<Appearance, 'hasSecrets' | 'stateWords'>> & { stateWords?: Partial<StateWords> };
  readonly lifecycle?: Partial<Lifecycle<Tools>>;
}

export function resource<Tools = unknown>(declared: Declared<Tools>): Resource<Tools> {
  const { name, properties, lifecycle = {} } = declared;
  return {
    parents: [],
    dialect: core,
    root: '',
    verbs: ['list', 'get', 'create', 'replace', 'change', 'remove'],
    actions: `${name}.${name}`,
    ids: byUuid,
    entities: [],
    usage: {},
    ...declared,
    shown: {
      type: name,
      metadata: 'full',
      paged: true,
      inside: true,
      hasSecrets: Object.values(properties).some((property) => property.secret),
      ...declared.shown,
      stateWords: { ...usualStateWords, ...declared.shown?.stateWords },
    },
    lifecycle: {
      create: [],
      change: [],
      remove: [],
      acts: {},
      synchronous: false,
      composite: true,
      ...lifecycle,
      can: {
        ...canUsually,
        ...Object.fromEntries(Object.keys(lifecycle.acts ?? {}).map((act) => [act, ready])),
        ...lifecycle.can,
      },
    },
  };
}

const usualStateWords: StateWords = {
  name: 'status',
  message: 'statusMessage',
  creating: 'PROVISIONING',
  busy: 'PROVISIONING',
};

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
