// Turns the resources that were read into items: the values that a client may set, with the names of others.
import { isUuid } from '../../base/ids.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { isPrivate } from '../../base/outbound/outbound-address.ts';
import { entitySection, nameProperty, type Section } from '../../surface/docs/seed-sections.ts';
import { escaped, referenceTo } from '../plan/references.ts';
import { identityOf, isNumbered } from '../plan/seed-plan.ts';
import { bootDevice } from './boot-device.ts';
import { chosenValues, incomparable, settable, stateIn } from './item-values.ts';
import { innerOf, isPersonal, type Reading } from './reading.ts';
import type { Adapter, Unread } from './tree.ts';

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

export class Dumper {
  readonly notes: string[] = [];
  readonly omitted: string[] = []; // notes about what the seed lacks
  readonly unread: Unread = { sections: [], inner: new Map(), values: new Map() };
  readonly #reading: Reading;
  readonly #options: DumpOptions;
  readonly names = new Map<string, string>(); // by id or address: how others refer to it
  readonly #nameless = new Set<string>(); // ids of resources that nothing can refer to
  readonly #items = new WeakSet<object>();
  readonly #attached = new Set<string>(); // ids of resources that are written with their owner
  readonly #replicas = new Set<string>(); // ids of servers that groups create
  readonly issued = new Set<Values>(); // certificates that an auto-certificate issues again
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
    if (this.#reading.unread.has(`${root}${section.path}`)) this.unread.sections.push({ key: section.key, region });
    const items = this.#list(section, `${root}${section.path}`, { reference: undefined, words: '', location: '' });
    if (region !== undefined && region !== this.#options.regions.home) for (const item of items) item.region = region;
    return items;
  }

  #list(section: Section, collection: string, above: Above): Values[] {
    const all = oldestFirst(section, this.#reading.list(collection)).filter(
      ({ properties }) => !this.#isOwner(section, properties as Values),
    );
    const isAttached = ({ id }: Values): boolean => this.#attached.has(String(id));
    const separate = all.filter((one) => !isAttached(one));
    const property = nameProperty(section);
    const taken = new Set(all.map(({ properties }) => (properties as Values)[property]));
    const seen = new Set(all.filter(isAttached).map(({ properties }) => identityOf(section, properties as Values)));
    const items: Values[] = [];
    let last = 0; // number of the one before
    for (const { id, properties, metadata } of separate) {
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
      if (isObject(metadata) && isText(metadata.autoCertificate)) this.issued.add(item);
      const original = (properties as Values)[property];
      if (this.#options.isIdentified && property in section.resource.properties && original !== values[property])
        item.was = { ...(item.was as Values | undefined), [property]: original ?? null };
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
    if (isUuid(id) && reference) this.names.set(id, referenceTo(...reference));
    else if (isUuid(id)) this.#nameless.add(id);
    if (section.key === 'ipblocks')
      for (const [at, ip] of (Array.isArray(values.ips) ? values.ips : []).entries())
        this.names.set(String(ip), referenceTo('ipblocks', name, 'ips', String(at)));
    const words = ` of ${section.resource.name} ${name}${above.words}`;
    const inside = { reference, words, location: String(values.location ?? above.location) };
    const written = this.#written(section, id, values, inside);
    const item: Values = { ...(isText(values[property]) && { [property]: name }), ...written };
    this.#items.add(item);
    this.unread.values.set(item, this.unread.values.get(written) ?? []);
    const own = `${collection}/${encodeURIComponent(id)}`;
    for (const entity of section.entities) this.#entity(section, own, entity, item, inside, { ...values, ...written });
    if (section.resource.name === 'server') this.#bootDevice(own, values, item, inside);
    this.#relations(section, own, item, inside);
    const missing = innerOf(section).filter(({ name: inner }) => this.#reading.unread.has(`${own}/${inner}`));
    if (missing.length > 0)
      this.unread.inner.set(
        item,
        missing.map((one) => one.name),
      );
    for (const child of section.children.toSorted((a, b) => rank(a) - rank(b))) {
      if (isPersonal(child)) continue;
      const place = `${own}${child.path.slice(child.path.lastIndexOf('/'))}`;
      const inner = this.#list(child, place, inside);
      if (inner.length > 0) item[child.resource.plural] = inner;
    }
    return item;
  }

  // The properties of an item, and what identifies it where it was read.
  #written(section: Section, id: string, read: Values, { words, location }: Above, owner?: Values): Values {
    const values = { ...read };
    // Public addresses outside of blocks were assigned automatically, and will be again.
    if (section.resource.name === 'nic' && Array.isArray(values.ips))
      values.ips = values.ips.filter((ip) => isPrivate(String(ip)) || this.names.has(String(ip)));
    const chosen: Values = this.#options.isIdentified ? chosenValues(section, read, settable(section, values)) : {};
    const state = stateIn(section, read);
    const adapted = this.#options.adapter?.values(section.resource.name, values, chosen, { location, owner });
    const determined = section.resource.determined?.(values, owner) ?? [];
    for (const name of determined) delete values[name];
    for (const name of [...determined, section.resource.seededState?.property ?? '']) delete chosen[name];
    const reasons = [adapted?.placeholder, state.placeholder].filter(isText);
    for (const note of [adapted?.note, ...reasons].filter(isText)) this.notes.push(`${note} (${words.slice(4)})`);
    const placeholder = unreadable(section) ?? reasons.join('. ');
    const item: Values = {
      ...(this.#options.isIdentified && isUuid(id) && { id }),
      ...settable(section, values),
      ...state.values,
      ...(Object.keys(chosen).length > 0 && { was: chosen }),
      ...(placeholder !== '' && { placeholder }),
    };
    for (const [name, { required }] of Object.entries(section.resource.properties))
      if (required && !(name in item) && values[name] !== undefined && values[name] !== null)
        this.notes.push(`${name}${words} is not valid in a region: ${JSON.stringify(values[name]).slice(0, 100)}.`);
    this.#items.add(item);
    const unknown = incomparable(section, read, { ...chosen, ...item }).filter((one) => !determined.includes(one));
    this.unread.values.set(item, unknown);
    return item;
  }

  // Resources that were created with it, or attached to it later.
  #entity(section: Section, own: string, name: string, item: Values, above: Above, owner: Values): void {
    const kind = entitySection(section, name);
    if (!kind) return;
    const found = this.#attachedTo(own, name);
    if (found.length === 0) return;
    item[name] = found.map(({ id, properties }) => this.#written(kind, String(id), properties as Values, above, owner));
    this.#nameAttached(found, name, above);
  }

  // Others refer to it through its owner, if its name is unique there.
  #nameAttached(attached: readonly Values[], entity: string, { reference }: Above): void {
    const [key, owner, ...rest] = reference ?? [];
    if (key === undefined || owner === undefined) return;
    const names = attached.map(({ properties }) => (properties as Values).name);
    for (const [at, { id }] of attached.entries()) {
      const name = names[at];
      if (isText(name) && name !== '' && names.indexOf(name) === names.lastIndexOf(name))
        this.names.set(String(id), referenceTo(key, owner, ...rest, entity, name));
    }
  }

  #bootDevice(own: string, values: Values, item: Values, { location, words }: Above): void {
    const { adapter, isIdentified } = this.#options;
    const boot = bootDevice(values, this.#reading.list(`${own}/volumes`));
    if (isObject(boot.bootCdrom) && adapter) {
      const id = adapter.cdrom(String(boot.bootCdrom.id), location);
      if (id === undefined)
        this.notes.push(`The image that it boots from does not exist in a region (${words.slice(' of '.length)})`);
      else item.bootCdrom = { id };
    } else if (!isObject(boot.bootVolume) || this.names.has(String(boot.bootVolume.id))) Object.assign(item, boot);
    else if (isIdentified) item.was = { ...(item.was as Values | undefined), ...boot };
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
      const isThere = (one: Json): boolean => this.names.has(String(isObject(one) ? one.resource : one));
      // CD-ROMs are public images, which every region has.
      const kept =
        name === 'cdroms'
          ? list.flatMap((id) => (adapter ? adapter.cdrom(String(id), location) : id) ?? [])
          : list.filter(isThere);
      if (kept.length < list.length)
        this.omitted.push(`${list.length - kept.length} ${what} are not in the seed, and were omitted.`);
      if (kept.length > 0) item[name] = kept;
      else delete item[name];
    }
  }

  // When all names are known. Values with the id of a nameless resource are omitted.
  named(value: Json): Json | undefined {
    if (typeof value === 'string')
      return this.#nameless.has(value) ? undefined : (this.names.get(value) ?? escaped(value));
    if (Array.isArray(value)) {
      const kept = value.map((one) => this.named(one)).filter((one) => one !== undefined);
      return kept.length === 0 && value.length > 0 ? undefined : kept;
    }
    if (value === null || typeof value !== 'object') return value;
    const isItem = this.#items.has(value);
    const entries = Object.entries(value as Values).map(([key, one]) => {
      const isOriginal = isItem && (key === 'id' || key === 'was' || key === 'placeholder');
      return [key, isOriginal ? one : this.named(one)] as const;
    });
    const kept = entries.filter(([, one]) => one !== undefined);
    if (kept.length < entries.length && !isItem) return undefined;
    for (const [key, one] of entries)
      if (one === undefined)
        this.omitted.push(`${key} of ${String((value as Values).name)} refers to a resource that seeds can't name.`);
    return Object.fromEntries(kept) as Values;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

// Regional services list the newest first, but a seed creates its items in their order.
function oldestFirst({ resource }: Section, items: readonly Values[]): readonly Values[] {
  if (resource.dialect.name !== 'regional') return items;
  const created = ({ metadata }: Values): string => String(isObject(metadata) ? metadata.createdDate : '');
  return items.toReversed().sort((a, b) => (created(a) < created(b) ? -1 : created(a) > created(b) ? 1 : 0));
}

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

const unreadable = ({ resource }: Section): string | undefined => reasons[resource.name];

const reasons: Readonly<Record<string, string>> = {
  certificate: 'Replaced by a certificate with a new key, because private keys are never readable',
  snapshot: 'The snapshot is blank, because its content is never readable',
};
