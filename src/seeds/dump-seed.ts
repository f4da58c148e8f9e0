// Writes the content of a region as a seed: the values that a client may set, with names instead of ids.
import { isUuid } from '../base/ids.ts';
import type { Json, Values } from '../base/json.ts';
import { isPrivate } from '../base/outbound-address.ts';
import { check, type Property } from '../core/schema.ts';
import { nameProperty, type Section } from '../surface/docs/seed-sections.ts';
import { escaped, referenceTo } from './references.ts';
import type { SeedClient } from './seed-client.ts';
import { identityOf, isNumbered } from './seed-plan.ts';

interface Found {
  section: Section;
  item: Values;
}

class Dumper {
  readonly notes: string[] = [];
  readonly #client: SeedClient;
  readonly #names = new Map<string, string>(); // by id or address: how others refer to it
  readonly #nameless = new Set<string>(); // ids of resources that nothing can refer to
  readonly #items = new WeakSet<object>();
  readonly #attached = new Set<string>(); // ids of resources that are written with their owner
  readonly #replicas = new Set<string>(); // ids of servers that groups create

  constructor(client: SeedClient) {
    this.#client = client;
  }

  // Resources that server groups create for themselves, and would create again.
  async skipReplicas(groups: string): Promise<void> {
    for (const { id } of await this.#client.list(groups))
      for (const { properties } of await this.#client.list(`${groups}/${id}/servers`))
        this.#replicas.add(String(((properties as Values).datacenterServer as Values).id));
  }

  async section(section: Section, root: string, region?: string): Promise<Found[]> {
    const items = await this.#list(section, `${root}${section.path}`, '');
    if (region !== undefined) for (const item of items) item.region = region;
    return items.map((item) => ({ section, item }));
  }

  // `above`: the resource that contains them, for notes.
  async #list(section: Section, collection: string, above: string): Promise<Values[]> {
    const all = await this.#client.list(collection);
    const isAttached = ({ id }: Values): boolean => this.#attached.has(String(id));
    const separate = all.filter((one) => !isAttached(one));
    const property = nameProperty(section);
    const taken = new Set(all.map(({ properties }) => (properties as Values)[property]));
    const seen = new Set(all.filter(isAttached).map(({ properties }) => identityOf(section, properties as Values)));
    const items: Values[] = [];
    let last = 0; // number of the one before
    for (const { id, properties } of separate) {
      if (this.#replicas.has(String(id))) {
        for (const entity of section.entities) await this.#attachedTo(`${collection}/${id}`, entity);
        continue;
      }
      const values = { ...(properties as Values) };
      const identity = identityOf(section, values);
      const isNameless = !values[property] && section.resource.name !== 'record'; // that of the zone itself is empty
      if (property in section.resource.properties && (isNameless || seen.has(identity))) {
        const name = freeName(String(values[property] || section.resource.name), taken, values[property] ? 2 : 1);
        const was = values[property] ? `the second ${values[property]}` : 'without a name';
        this.notes.push(
          `The ${section.resource.name} ${name}${above} is ${was} in the region. Seeds need unique names.`,
        );
        taken.add(name);
        values[property] = name;
      }
      seen.add(identity);
      const item = await this.#item(section, collection, String(id), values, above);
      if (isNumbered(section)) {
        if (Number(id) !== last + 1) item.number = Number(id);
        last = Number(id);
      }
      items.push(item);
    }
    return items;
  }

  async #item(section: Section, collection: string, id: string, values: Values, above: string): Promise<Values> {
    const property = nameProperty(section);
    const name = String(values[property] ?? '');
    if (isUuid(id)) {
      // Others, such as the number of a LAN or the key of a label, may be any text.
      if (section.parent?.parent || name === '') this.#nameless.add(id);
      else this.#names.set(id, referenceTo(section.key, name));
    }
    if (section.key === 'ipblocks')
      for (const [at, ip] of (values.ips as string[]).entries())
        this.#names.set(ip, referenceTo('ipblocks', name, 'ips', at));
    // Public addresses outside of blocks were assigned automatically, and will be again.
    if (section.resource.name === 'nic')
      values.ips = (values.ips as string[]).filter((ip) => isPrivate(ip) || this.#names.has(ip));
    const item: Values = { ...(isText(values[property]) && { [property]: name }), ...settable(section, values) };
    this.#items.add(item);
    const own = `${collection}/${encodeURIComponent(id)}`;
    for (const entity of section.entities) await this.#entity(section, own, entity, item);
    for (const child of section.children.toSorted((a, b) => rank(a) - rank(b))) {
      const place = `${own}${child.path.slice(child.path.lastIndexOf('/'))}`;
      const inner = await this.#list(child, place, ` of ${section.resource.name} ${name}${above}`);
      if (inner.length > 0) item[child.resource.plural] = inner;
    }
    return item;
  }

  // Resources that were created with it, or attached to it later.
  async #entity(section: Section, own: string, name: string, item: Values): Promise<void> {
    const kind = section.parent?.children.find(({ resource }) => resource.plural === name);
    if (!kind) return;
    const found = await this.#attachedTo(own, name);
    if (found.length === 0) return;
    const inner = found.map(({ properties }) => settable(kind, properties as Values));
    for (const one of inner) this.#items.add(one);
    item[name] = inner;
  }

  async #attachedTo(own: string, entity: string): Promise<Values[]> {
    const found = await this.#client.list(`${own}/${entity}`);
    for (const { id } of found) this.#attached.add(String(id));
    return found;
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
    const entries = Object.entries(value as Values).map(([key, one]) => [key, this.named(one)] as const);
    const kept = entries.filter(([, one]) => one !== undefined);
    if (kept.length < entries.length && !this.#items.has(value)) return undefined;
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

// Resources that others name by a number come first, so that they get the same number again; then owners, so that
// resources attached to them are known.
const rank = (section: Section): number => (isNumbered(section) ? 0 : section.entities.length > 0 ? 1 : 2);

function settable({ resource }: Section, values: Values): Values {
  const isKept = ([name, value]: [string, Json]): boolean => {
    const property: Property | undefined = resource.properties[name];
    if (!property || value === null || value === undefined) return false;
    if (Array.isArray(value) && value.length === 0) return false;
    if (typeof value === 'object' && 'href' in value) return false; // chosen by the region
    if (property.serverFilled || property.writeOnly || property.derived || value === property.default) return false;
    // Some are shown in a form that clients may not send, such as addresses that the region has assigned.
    return check({ [name]: property }, { [name]: value }, 'create', '').problems.length === 0;
  };
  return Object.fromEntries(Object.entries(values).filter(isKept));
}

export async function dumpSeed(
  client: SeedClient,
  sections: ReadonlyMap<string, Section>,
  regions: { all: readonly string[]; home: string },
): Promise<{ seed: Record<string, Json>; notes: string[] }> {
  const dumper = new Dumper(client);
  const whole: Record<string, Values[]> = {};
  const omitted: string[] = [];
  const groups = sections.get('autoscalingGroups');
  if (groups) await dumper.skipReplicas(`${groups.prefix}${groups.path}`);
  // Addresses of blocks are collected before the resources that use them.
  const isBlock = ({ key }: Section): number => (key === 'ipblocks' ? 0 : 1);
  for (const section of [...sections.values()].toSorted((a, b) => isBlock(a) - isBlock(b))) {
    if (section.parent || personal.has(section.key)) continue;
    const found = section.isRegional
      ? (await Promise.all(regions.all.map((one) => dumper.section(section, `/${one}${section.prefix}`, one)))).flat()
      : await dumper.section(section, section.prefix);
    for (const { item } of found) if (item.region === regions.home) delete item.region;
    const items = found.map(({ item }) => item);
    if (items.length > 0 && hasSecret(section)) omitted.push(`${items.length} ${section.key}`);
    else if (items.length > 0) whole[section.key] = items;
  }
  const seed = (dumper.named(whole) ?? {}) as Record<string, Json>;
  const left =
    omitted.length > 0 ? [`Omitted, because the API does not return their secrets: ${omitted.join(', ')}.`] : [];
  return { seed, notes: [note, ...left, ...dumper.notes] };
}

const personal = new Set(['users', 'accesskeys']);

// Resources that can't be created again, because they need values that the API never returns.
const hasSecret = ({ resource }: Section): boolean =>
  Object.values(resource.properties).some(({ required, writeOnly }) => required && writeOnly);

const note =
  'Not included: users, keys, the content of buckets, and resources attached by a separate call (CD-ROMs, balanced NICs, ' +
  'security groups, members and shares of groups).';
