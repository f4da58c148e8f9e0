// Writes what was read of a contract as a seed: the values that a client may set, with names instead of ids.
import { isUuid } from '../../base/ids.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { isPrivate } from '../../base/outbound-address.ts';
import { check, type Property } from '../../core/schema.ts';
import { nameProperty, type Section } from '../../surface/docs/seed-sections.ts';
import { escaped, referencesIn, referenceTo } from '../references.ts';
import { identityOf, isNumbered } from '../seed-plan.ts';
import { isPersonal, type Reading } from './reading.ts';

// Replaces values that are only valid where they were read, such as the id of an image.
export interface Adapter {
  values(kind: string, values: Values, chosen: Values, location: string): string | undefined; // a note, if it has one
  cdrom(id: string, location: string): string | undefined; // the id here
}

export interface DumpOptions {
  sections: ReadonlyMap<string, Section>;
  regions: { all: readonly string[]; home: string };
  isIdentified?: boolean; // items have their ids, and the values that the source has chosen
  isLimited?: boolean; // to the datacenters that were read, and to what they refer to
  adapter?: Adapter;
}

// The item that contains another one: how others refer to it, and its words for notes.
interface Above {
  reference: string[] | undefined;
  words: string;
  location: string;
}

class Dumper {
  readonly notes: string[] = [];
  readonly #reading: Reading;
  readonly #options: DumpOptions;
  readonly #names = new Map<string, string>(); // by id or address: how others refer to it
  readonly #nameless = new Set<string>(); // ids of resources that nothing can refer to
  readonly #items = new WeakSet<object>();
  readonly #attached = new Set<string>(); // ids of resources that are written with their owner
  readonly #replicas = new Set<string>(); // ids of servers that groups create
  readonly #related: { list: Json[]; what: string; item: Values; name: string; location: string }[] = [];

  constructor(reading: Reading, options: DumpOptions) {
    this.#reading = reading;
    this.#options = options;
  }

  // Resources that server groups create for themselves, and would create again.
  skipReplicas(groups: string): void {
    for (const { id } of this.#reading.list(groups))
      for (const { properties } of this.#reading.list(`${groups}/${id}/servers`)) {
        const { datacenterServer } = properties as Values;
        if (isObject(datacenterServer)) this.#replicas.add(String(datacenterServer.id));
      }
  }

  section(section: Section, root: string, region?: string): Values[] {
    const items = this.#list(section, `${root}${section.path}`, { reference: undefined, words: '', location: '' });
    if (region !== undefined && region !== this.#options.regions.home) for (const item of items) item.region = region;
    return items;
  }

  #list(section: Section, collection: string, above: Above): Values[] {
    const all = this.#reading
      .list(collection)
      .filter(({ properties }) => !this.#isOwner(section, properties as Values));
    const isAttached = ({ id }: Values): boolean => this.#attached.has(String(id));
    const separate = all.filter((one) => !isAttached(one));
    const property = nameProperty(section);
    const taken = new Set(all.map(({ properties }) => (properties as Values)[property]));
    const seen = new Set(all.filter(isAttached).map(({ properties }) => identityOf(section, properties as Values)));
    const items: Values[] = [];
    let last = 0; // number of the one before
    for (const { id, properties } of separate) {
      if (this.#replicas.has(String(id))) {
        for (const entity of section.entities) this.#attachedTo(`${collection}/${id}`, entity);
        continue;
      }
      const values = { ...(properties as Values) };
      const identity = identityOf(section, values);
      const isNameless = !values[property] && section.resource.name !== 'record'; // that of the zone itself is empty
      if (property in section.resource.properties && (isNameless || seen.has(identity))) {
        const name = freeName(String(values[property] || section.resource.name), taken, values[property] ? 2 : 1);
        const was = values[property] ? `the second ${values[property]}` : 'without a name';
        this.notes.push(
          `The ${section.resource.name} ${name}${above.words} is ${was} in the region. Seeds need unique names.`,
        );
        taken.add(name);
        values[property] = name;
      }
      seen.add(identity);
      const item = this.#item(section, collection, String(id), values, above);
      const original = (properties as Values)[property];
      if (this.#options.isIdentified && isText(original) && original !== values[property])
        item.was = { ...(item.was as Values | undefined), [property]: original };
      if (isNumbered(section)) {
        if (Number(id) !== last + 1) item.number = Number(id);
        last = Number(id);
      }
      items.push(item);
    }
    return items;
  }

  // Every contract has its own.
  #isOwner({ resource }: Section, { email }: Values): boolean {
    return resource.name === 'user' && email !== undefined && email === this.#reading.owner;
  }

  #item(section: Section, collection: string, id: string, values: Values, above: Above): Values {
    const property = nameProperty(section);
    const name = String(values[property] ?? '');
    const reference = referenceBelow(section, name, above);
    // Others, such as the number of a LAN or the key of a label, may be any text.
    if (isUuid(id) && reference) this.#names.set(id, referenceTo(...reference));
    else if (isUuid(id)) this.#nameless.add(id);
    if (section.key === 'ipblocks')
      for (const [at, ip] of (Array.isArray(values.ips) ? values.ips : []).entries())
        this.#names.set(String(ip), referenceTo('ipblocks', name, 'ips', String(at)));
    const words = ` of ${section.resource.name} ${name}${above.words}`;
    const inside = { reference, words, location: String(values.location ?? above.location) };
    const item: Values = {
      ...(isText(values[property]) && { [property]: name }),
      ...this.#written(section, id, values, inside),
    };
    this.#items.add(item);
    const own = `${collection}/${encodeURIComponent(id)}`;
    for (const entity of section.entities) this.#entity(section, own, entity, item, inside);
    this.#relations(section, own, item, inside);
    for (const child of section.children.toSorted((a, b) => rank(a) - rank(b))) {
      if (isPersonal(child)) continue;
      const place = `${own}${child.path.slice(child.path.lastIndexOf('/'))}`;
      const inner = this.#list(child, place, inside);
      if (inner.length > 0) item[child.resource.plural] = inner;
    }
    return item;
  }

  // The properties of an item, and what identifies it where it was read.
  #written(section: Section, id: string, all: Values, { words, location }: Above): Values {
    const values = { ...all };
    // Public addresses outside of blocks were assigned automatically, and will be again.
    if (section.resource.name === 'nic' && Array.isArray(values.ips))
      values.ips = values.ips.filter((ip) => isPrivate(String(ip)) || this.#names.has(String(ip)));
    const chosen: Values = this.#options.isIdentified ? chosenValues(section, all, settable(section, values)) : {};
    const note = this.#options.adapter?.values(section.resource.name, values, chosen, location);
    if (note !== undefined) this.notes.push(`${note} (${words.slice(' of '.length)})`);
    const item: Values = {
      ...(this.#options.isIdentified && isUuid(id) && { id }),
      ...settable(section, values),
      ...(Object.keys(chosen).length > 0 && { was: chosen }),
    };
    for (const [name, { required }] of Object.entries(section.resource.properties))
      if (required && !(name in item) && values[name] !== undefined && values[name] !== null)
        this.notes.push(`${name}${words} is not valid in a region: ${JSON.stringify(values[name]).slice(0, 100)}.`);
    this.#items.add(item);
    return item;
  }

  // Resources that were created with it, or attached to it later.
  #entity(section: Section, own: string, name: string, item: Values, above: Above): void {
    const kind = section.parent?.children.find(({ resource }) => resource.plural === name);
    if (!kind) return;
    const inner = this.#attachedTo(own, name).map(({ id, properties }) =>
      this.#written(kind, String(id), properties as Values, above),
    );
    if (inner.length > 0) item[name] = inner;
  }

  #attachedTo(own: string, entity: string): readonly Values[] {
    const found = this.#reading.list(`${own}/${entity}`);
    for (const { id } of found) this.#attached.add(String(id));
    return found;
  }

  // Existing resources that belong to it, by their ids.
  #relations({ resource }: Section, own: string, item: Values, { words, location }: Above): void {
    for (const { name, by } of resource.relations ?? []) {
      const list = this.#reading.list(`${own}/${name}`).map(({ id, properties }): Json => {
        if (by !== 'share') return String(id);
        const { editPrivilege, sharePrivilege } = properties as Values;
        return {
          resource: String(id),
          ...(editPrivilege === true && { editPrivilege }),
          ...(sharePrivilege === true && { sharePrivilege }),
        };
      });
      if (list.length === 0) continue;
      item[name] = list;
      this.#related.push({ list, what: `${name}${words}`, item, name, location });
    }
  }

  // When all names are known: members that the seed does not contain are omitted.
  completeRelations(): void {
    const { adapter } = this.#options;
    for (const { list, what, item, name, location } of this.#related) {
      const isThere = (one: Json): boolean => this.#names.has(String(isObject(one) ? one.resource : one));
      // CD-ROMs are public images, which every region has.
      const kept =
        name === 'cdroms'
          ? list.flatMap((id) => (adapter ? adapter.cdrom(String(id), location) : id) ?? [])
          : list.filter(isThere);
      if (kept.length < list.length)
        this.notes.push(`${list.length - kept.length} ${what} are not in the seed, and were omitted.`);
      if (kept.length > 0) item[name] = kept;
      else delete item[name];
    }
  }

  // When all names are known. Values with the id of a nameless resource are omitted.
  named(value: Json): Json | undefined {
    if (typeof value === 'string')
      return this.#nameless.has(value) ? undefined : (this.#names.get(value) ?? escaped(value));
    if (Array.isArray(value)) {
      const kept = value.map((one) => this.named(one)).filter((one) => one !== undefined);
      return kept.length === 0 && value.length > 0 ? undefined : kept;
    }
    if (value === null || typeof value !== 'object') return value;
    const isItem = this.#items.has(value);
    const entries = Object.entries(value as Values).map(([key, one]) => {
      const isOriginal = isItem && (key === 'id' || key === 'was');
      return [key, isOriginal ? one : this.named(one)] as const;
    });
    const kept = entries.filter(([, one]) => one !== undefined);
    if (kept.length < entries.length && !isItem) return undefined;
    for (const [key, one] of entries)
      if (one === undefined)
        this.notes.push(`${key} of ${String((value as Values).name)} refers to a resource that seeds can't name.`);
    return Object.fromEntries(kept) as Values;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

function freeName(word: string, taken: ReadonlySet<Json | undefined>, first: number): string {
  for (let count = first; ; count++) if (!taken.has(`${word}-${count}`)) return `${word}-${count}`;
}

// servers.web, servers.web.nics.eth0. Records have no unique names.
function referenceBelow(
  section: Section,
  name: string,
  { reference }: Above,
): [section: string, name: string, ...rest: string[]] | undefined {
  if (name === '' || section.resource.name === 'record') return undefined;
  if (!section.parent?.parent) return [section.key, name];
  const [key, above, ...rest] = reference ?? [];
  return key === undefined || above === undefined ? undefined : [key, above, ...rest, section.resource.plural, name];
}

// Resources that others name by a number come first, so that they get the same number again; then owners, so that
// resources attached to them are known.
const rank = (section: Section): number => (isNumbered(section) ? 0 : section.entities.length > 0 ? 1 : 2);

function settable({ resource }: Section, values: Values): Values {
  const isKept = ([name, value]: [string, Json]): boolean => {
    const property: Property | undefined = resource.properties[name];
    if (!property || isEmpty(value)) return false;
    if (isObject(value) && 'href' in value) return false; // chosen by the region
    if (property.serverFilled || property.derived || value === property.default) return false;
    if (property.writeOnly && !property.inRequests) return false;
    // Some are shown in a form that clients may not send, such as addresses that the region has assigned.
    return check({ [name]: property }, { [name]: value }, 'create', '').problems.length === 0;
  };
  return Object.fromEntries(Object.entries(values).filter(isKept));
}

// Values that only the source could choose: addresses, device numbers, ids.
function chosenValues({ resource }: Section, values: Values, item: Values): Values {
  const isChosen = ([name, value]: [string, Json]): boolean => {
    const property = resource.properties[name];
    if (!property || isEmpty(value) || property.derived || property.writeOnly || property.secret) return false;
    if (value === property.default || (isObject(value) && 'href' in value)) return false;
    return property.serverFilled === true || JSON.stringify(item[name]) !== JSON.stringify(value);
  };
  return Object.fromEntries(Object.entries(values).filter(isChosen));
}

const isEmpty = (value: Json | undefined): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);

export function dumpSeed(reading: Reading, options: DumpOptions): { seed: Record<string, Json>; notes: string[] } {
  const { sections, regions } = options;
  const dumper = new Dumper(reading, options);
  const whole: Record<string, Values[]> = {};
  const omitted: string[] = [];
  const groups = sections.get('autoscalingGroups');
  if (groups) dumper.skipReplicas(`${groups.prefix}${groups.path}`);
  // Addresses of blocks are collected before the resources that use them.
  const isBlock = ({ key }: Section): number => (key === 'ipblocks' ? 0 : 1);
  for (const section of [...sections.values()].toSorted((a, b) => isBlock(a) - isBlock(b))) {
    if (section.parent || isPersonal(section)) continue;
    const items = section.isRegional
      ? regions.all.flatMap((one) => dumper.section(section, `/${one}${section.prefix}`, one))
      : dumper.section(section, section.prefix);
    if (items.length > 0 && hasSecret(section)) omitted.push(`${items.length} ${section.key}`);
    else if (items.length > 0) whole[section.key] = items;
  }
  dumper.completeRelations();
  const all = (dumper.named(whole) ?? {}) as Record<string, Values[]>;
  const seed = options.isLimited ? neededBy(all) : all;
  const left =
    omitted.length > 0 ? [`Omitted, because the API does not return their secrets: ${omitted.join(', ')}.`] : [];
  return { seed, notes: [note, ...reading.notes, ...left, ...dumper.notes] };
}

// The datacenters, groups of servers in them, and everything that those refer to.
function neededBy(seed: Record<string, Values[]>): Record<string, Values[]> {
  const needed = new Set<Values>(seed.datacenters ?? []);
  const isThere = ({ section, name }: { section: string; name: string }): boolean =>
    section === 'datacenters' && [...needed].some((one) => one.name === name);
  for (const group of seed.autoscalingGroups ?? [])
    if (referencesIn(group.datacenter, []).some(({ reference }) => isThere(reference))) needed.add(group);
  for (const item of needed) // those that are added are visited, too
    for (const { reference } of referencesIn(item, [])) {
      const found = seed[reference.section]?.find((one) => one.name === reference.name);
      if (found) needed.add(found);
    }
  const kept = Object.entries(seed).map(([key, items]) => [key, items.filter((one) => needed.has(one))] as const);
  return Object.fromEntries(kept.filter(([, items]) => items.length > 0));
}

// Resources that can't be created again, because they need values that the API never returns.
const hasSecret = ({ resource }: Section): boolean =>
  resource.name !== 'user' &&
  Object.values(resource.properties).some(({ required, writeOnly }) => required && writeOnly);

const note = 'Not included: the owner of the contract, passwords, keys, and the content of buckets.';
