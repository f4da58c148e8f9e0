// Reads all collections of a contract, in parallel. A dump is written from the result, without further calls.
import { machineTime } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { Section } from '../../surface/docs/seed-sections.ts';
import { type Reader, Unreadable } from './http-reader.ts';
import type { Journal } from './journal.ts';

export interface ReadingOptions {
  reader: Reader;
  sections: ReadonlyMap<string, Section>;
  regions: { all: readonly string[]; home: string };
  datacenters?: readonly string[] | undefined; // only these, by their names or ids
  mostResources?: number | undefined; // more are refused
  isPartial?: boolean; // what can't be read becomes a note instead of a failure
  journal?: Journal | undefined;
  onProgress?(progress: Progress): void;
}

export interface Progress {
  lists: number; // that have been read
  known: number; // that will be read, as far as known
  resources: number;
}

const pageSize = 1000;
const nestedPageSize = 200; // of items with everything in them
const coreService = '/cloudapi/v6';
const mostNotes = 200;

export class Reading {
  readonly notes: string[] = [];
  readonly unread = new Set<string>(); // paths of collections
  readonly times: Record<string, string> = {}; // when each section was read first
  owner: string | undefined; // e-mail of the contract's owner
  readonly #options: ReadingOptions;
  readonly #collections = new Map<string, readonly Values[]>();
  readonly #unreadRegions = new Map<string, string[]>(); // by section and reason: regions without the product
  #failure: Fault | undefined; // ends the dump: no further calls are made
  #labels: ReadonlyMap<string, Values[]> | undefined; // by the id of the resource that has them
  #received = 0; // resources
  readonly #progress: Progress = { lists: 0, known: 0, resources: 0 };

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  // Changes the properties of all items of a kind.
  change(key: string, changed: (properties: Values) => Values): void {
    const { prefix, path } = this.#options.sections.get(key) ?? { prefix: '', path: '' };
    const items = this.list(prefix + path);
    const all = items.map((item) => ({ ...item, properties: changed(item.properties as Values) }));
    this.#collections.set(prefix + path, all);
  }

  // The items of a collection that was read. Those that could not be read are empty.
  list(collection: string): readonly Values[] {
    return this.#collections.get(collection) ?? [];
  }

  async readAll(): Promise<void> {
    const contracts = await this.#read(`${coreService}/contracts`, 1, 'contract', undefined);
    this.owner = ownerIn(contracts);
    if (this.#options.isPartial && contracts.length === 0)
      throw new Fault('refused', 'The source is not the platform or a region: it has no contract.');
    await this.#readLabels();
    const tops = [...this.#options.sections.values()].filter((section) => this.#isWanted(section));
    await Promise.all([
      ...tops.flatMap((section) => this.#rootsOf(section).map((root) => this.#section(section, root))),
      ...['images', 'templates'].map((one) => this.#keep(`${coreService}/${one}`)),
    ]);
    for (const [reason, regions] of this.#unreadRegions) {
      const [what, message] = reason.split('\n');
      this.#note(`${what} of ${regions.sort().join(', ')} were not read: ${message}.`);
    }
  }

  #isWanted({ key, parent, resource }: Section): boolean {
    if (parent || key === 'accesskeys') return false;
    if (this.#options.datacenters === undefined || key === 'certificates') return true; // balancers refer to them
    return resource.dialect.name !== 'regional' && resource.root !== 'um/';
  }

  #rootsOf(section: Section): { root: string; region?: string }[] {
    const { all } = this.#options.regions;
    if (!section.isRegional) return [{ root: section.prefix }];
    return all.map((region) => ({ root: `/${region}${section.prefix}`, region }));
  }

  async #section(section: Section, { root, region }: { root: string; region?: string }): Promise<void> {
    const collection = `${root}${section.path}`;
    const height = heightOf(section);
    // Resources with many levels below them are read in parts.
    const all = await this.#read(collection, height > 1 ? 1 : depthFor(height), section.key, region);
    const items = section.key === 'datacenters' ? this.#chosen(all) : all;
    this.#collections.set(collection, items);
    await this.#readInside(section, collection, items);
  }

  #chosen(datacenters: readonly Values[]): readonly Values[] {
    const { datacenters: wanted } = this.#options;
    if (wanted === undefined) return datacenters;
    const found = datacenters.filter(({ id, properties }) =>
      [id, (properties as Values).name].some((one) => wanted.includes(String(one))),
    );
    if (found.length > 0) return found;
    const names = datacenters.map(({ properties }) => (properties as Values).name).join(', ');
    throw new Fault('missing', `There is no datacenter ${wanted.join(', ')}. Known: ${names || 'none'}.`);
  }

  async #readInside(section: Section, collection: string, items: readonly Values[]): Promise<void> {
    const inner = innerOf(section);
    await Promise.all(
      items.flatMap((item) =>
        inner.map(({ name, child }) => {
          const place = `${collection}/${encodeURIComponent(String(item.id))}/${name}`;
          return this.#inner(place, name, child, item);
        }),
      ),
    );
  }

  async #inner(place: string, name: string, child: Section | undefined, item: Values): Promise<void> {
    const nested = isObject(item.entities) ? completeItems(item.entities[name]) : undefined;
    const known = name === 'labels' && this.#labels ? (this.#labels.get(String(item.id)) ?? []) : nested;
    const items = known ?? (await this.#read(place, child ? depthFor(heightOf(child)) : 1, name, undefined));
    if (known) this.#count(known.length);
    if (known) this.#progress.resources += known.length;
    this.#collections.set(place, items);
    if (child) await this.#readInside(child, place, items);
  }

  async #keep(collection: string): Promise<void> {
    const last = collection.slice(collection.lastIndexOf('/') + 1);
    this.#collections.set(collection, await this.#read(collection, 1, last, undefined));
  }

  // One call for the labels of all resources, where the platform has it.
  async #readLabels(): Promise<void> {
    const labels = new Map<string, Values[]>();
    try {
      for (const { properties } of await this.#pages(`${coreService}/labels`, 1)) {
        const { key, value, resourceId } = properties as Values;
        const list = labels.get(String(resourceId)) ?? [];
        labels.set(String(resourceId), [
          ...list,
          { id: String(key), properties: { key: key ?? '', value: value ?? '' } },
        ]);
      }
      this.#labels = labels;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
    }
  }

  // `what`: for notes and times.
  async #read(path: string, depth: number, what: string, region: string | undefined): Promise<readonly Values[]> {
    const { journal, isPartial, onProgress } = this.#options;
    if (this.#failure) throw this.#failure;
    this.#progress.known++;
    const done = journal?.part(path);
    const at = done?.at ?? new Date(machineTime()).toISOString();
    try {
      const items = done?.items ?? (await this.#pages(path, depth));
      if (!done) journal?.add({ path, at, items });
      if (this.#options.sections.has(what)) this.times[what] = [this.times[what] ?? at, at].toSorted()[0] ?? at;
      this.#progress.resources += items.length;
      return items;
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      if (!isPartial) throw new Fault('unavailable', `${path} can't be listed: ${error.message}`);
      if (path.startsWith(`${coreService}/`)) this.#demandAccess(error, path);
      this.#noteUnread(path, what, region, error);
      return [];
    } finally {
      this.#progress.lists++;
      onProgress?.(this.#progress);
    }
  }

  // Some collections have no pages and are always returned whole.
  async #pages(path: string, depth: number): Promise<Values[]> {
    const limit = depth > 1 ? nestedPageSize : pageSize;
    const all = new Map<string, Values>();
    for (let offset = 0; ; ) {
      const shown = hasDepth(path) ? `depth=${depth}&` : '';
      const body = await this.#options.reader.get(`${path}?${shown}limit=${limit}&offset=${offset}`);
      const items = (Array.isArray(body.items) ? body.items : []).filter(isObject);
      this.#count(items.length);
      const before = all.size;
      for (const item of items) all.set(String(item.id), await this.#whole(path, item));
      offset += items.length;
      const hasMore = (isObject(body._links) && 'next' in body._links) || items.length >= limitOf(body, limit);
      if (!hasMore || all.size === before) return [...all.values()];
    }
  }

  #count(items: number): void {
    const { mostResources = Number.POSITIVE_INFINITY } = this.#options;
    this.#received += items;
    if (this.#received <= mostResources) return;
    this.#failure ??= new Fault('refused', `The source has more than ${mostResources} resources. Read one datacenter.`);
    throw this.#failure;
  }

  // Some services list only references.
  async #whole(collection: string, item: Values): Promise<Values> {
    if (isObject(item.properties)) return item;
    const found = await this.#options.reader.get(`${collection}/${encodeURIComponent(String(item.id))}`);
    return { ...found, id: item.id ?? found.id ?? '', properties: isObject(found.properties) ? found.properties : {} };
  }

  // Without its core there is nothing to dump.
  #demandAccess({ status, message, isUnknownHost }: Unreadable, path: string): void {
    // Every platform has contracts, so this is another server.
    const isElsewhere = path === `${coreService}/contracts` && (status < 400 || status === 404);
    if (status > 0 && isElsewhere)
      this.#failure = new Fault('refused', `The source is not the platform or a region: ${path}: ${message}.`);
    if (status === 403 && path === `${coreService}/datacenters`)
      this.#failure = new Fault('refused', `The platform refused the list of datacenters: ${message}.`);
    if (status === 401) this.#failure = new Fault('refused', `The platform refused the token: ${message}.`);
    if (status === 0) {
      const next = this.#options.journal && !isUnknownHost ? ' Repeat the command to continue.' : '';
      this.#failure = new Fault('unavailable', `The platform can't be reached for ${path}: ${message}.${next}`);
    }
    if (this.#failure) throw this.#failure;
  }

  #noteUnread(path: string, what: string, region: string | undefined, { message, status }: Unreadable): void {
    this.unread.add(path);
    const reason = `${what}\n${message.replaceAll(/\s+/g, ' ')}`;
    if (region !== undefined) this.#unreadRegions.set(reason, [...(this.#unreadRegions.get(reason) ?? []), region]);
    else if (this.#options.sections.has(what) && !path.includes('/datacenters/'))
      this.#note(`${what} were not read: ${message}.`);
    else
      this.#note(
        `${path} was not read: ${status === 404 ? 'it no longer exists, or the platform lacks it' : message}.`,
      );
  }

  #note(text: string): void {
    if (this.notes.length < mostNotes) this.notes.push(text);
  }
}

function ownerIn([contract]: readonly Values[]): string | undefined {
  const owner = isObject(contract?.properties) ? contract.properties.owner : undefined;
  return typeof owner === 'string' ? owner : undefined;
}

interface Inner {
  name: string; // of a collection below it
  child: Section | undefined; // absent: its members are resources of elsewhere
}

// The collections below an item of the section.
export function innerOf({ resource, children, entities, key }: Section): Inner[] {
  const inner = new Map<string, Section | undefined>();
  for (const name of entities) inner.set(name, undefined);
  for (const { name } of resource.relations ?? []) inner.set(name, undefined);
  if (key === 'autoscalingGroups') inner.set('servers', undefined); // its replicas
  for (const child of children) if (!isPersonal(child)) inner.set(child.resource.plural, child);
  return [...inner].map(([name, child]) => ({ name, child }));
}

export const isPersonal = ({ key, resource }: Section): boolean => key === 'accesskeys' || resource.name === 's3key';

// The number of levels below an item that answers can contain. Labels are not among them.
function heightOf(section: Section): number {
  const inner = innerOf(section).filter(({ name }) => name !== 'labels');
  return Math.max(0, ...inner.map(({ child }) => (child ? heightOf(child) + 1 : 1)));
}

const hasDepth = (path: string): boolean => /^\/(cloudapi|autoscaling)\//.test(path);

// Every level takes two of depth: one for the collection, and one for its items.
const depthFor = (height: number): number => Math.min(10, 1 + 2 * height);

const limitOf = ({ limit }: Values, requested: number): number =>
  typeof limit === 'number' && limit > 0 ? limit : requested;

// Undefined if a collection inside an answer may have more items, or only references to them.
function completeItems(collection: Json | undefined): readonly Values[] | undefined {
  if (!isObject(collection) || !Array.isArray(collection.items)) return undefined;
  const items = collection.items.filter((one): one is Values => isObject(one) && isObject(one.properties));
  const isWhole =
    items.length === collection.items.length && items.length < limitOf(collection, Number.POSITIVE_INFINITY);
  return isWhole && !(isObject(collection._links) && 'next' in collection._links) ? items : undefined;
}
