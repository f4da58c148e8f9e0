// Writes what is in a region as a seed: what a client may set, with names instead of ids.
import { stringify } from 'yaml';
import type { Json, Values } from '../../base/json.ts';
import { check, type Property } from '../../core/schema.ts';
import type { Section } from '../../surface/docs/seed-sections.ts';
import type { SeedClient } from './seed-client.ts';
import { nameProperty } from './seed-plan.ts';

interface Found {
  section: Section;
  item: Values;
}

class Dumper {
  readonly #client: SeedClient;
  readonly #names = new Map<string, string>(); // by id or address: how others refer to it
  readonly #attached = new Set<string>(); // ids of what is written with its owner

  constructor(client: SeedClient) {
    this.#client = client;
  }

  async section(section: Section, root: string, region?: string): Promise<Found[]> {
    const found: Found[] = [];
    for (const { id, properties } of await this.#client.list(`${root}${section.path}`)) {
      const item = await this.#item(section, `${root}${section.path}`, String(id), properties as Values);
      found.push({ section, item: { ...item, ...(region !== undefined && { region }) } });
    }
    return found;
  }

  async #item(section: Section, collection: string, id: string, values: Values): Promise<Values> {
    const name = values[nameProperty(section)];
    if (typeof name === 'string' && !section.parent?.parent)
      this.#names.set(id, `\${${section.key}.${name.replaceAll('.', '\\.')}}`);
    if (section.key === 'ipblocks')
      for (const [at, ip] of (values.ips as string[]).entries()) this.#names.set(ip, `\${ipblocks.${name}.ips.${at}}`);
    const item = settable(section, values);
    const own = `${collection}/${encodeURIComponent(id)}`;
    for (const entity of section.entities) await this.#entity(section, own, entity, item);
    for (const child of section.children.toSorted((a, b) => rank(a) - rank(b))) {
      const place = `${own}${child.path.slice(child.path.lastIndexOf('/'))}`;
      const inner: Values[] = [];
      for (const one of await this.#client.list(place))
        if (!this.#attached.has(String(one.id)))
          inner.push(await this.#item(child, place, String(one.id), one.properties as Values));
      if (inner.length > 0) item[child.resource.plural] = inner;
    }
    return item;
  }

  // What was created with it, or attached to it since.
  async #entity(section: Section, own: string, name: string, item: Values): Promise<void> {
    const kind = section.parent?.children.find(({ resource }) => resource.plural === name);
    if (!kind) return;
    const found = await this.#client.list(`${own}/${name}`);
    for (const { id } of found) this.#attached.add(String(id));
    if (found.length > 0) item[name] = found.map(({ properties }) => settable(kind, properties as Values));
  }

  // When all names are known.
  named<T>(value: T): T {
    if (typeof value === 'string') return (this.#names.get(value) ?? value) as T;
    if (Array.isArray(value)) return value.map((one) => this.named(one)) as T;
    if (value === null || typeof value !== 'object') return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.named(one)])) as T;
  }
}

// What others name by a number comes first, so that it gets the same one again; then owners, so that what is attached
// to them is known.
const rank = ({ resource, entities }: Section): number =>
  /^\d+$/.test(resource.ids.example) ? 0 : entities.length > 0 ? 1 : 2;

function settable({ resource }: Section, values: Values): Values {
  const isKept = ([name, value]: [string, Json]): boolean => {
    const property: Property | undefined = resource.properties[name];
    if (!property || value === null || value === undefined) return false;
    if (Array.isArray(value) && value.length === 0) return false;
    if (typeof value === 'object' && 'href' in value) return false; // a thing that was chosen for it
    if (property.serverFilled || property.writeOnly || property.derived || value === property.default) return false;
    // Some are shown in a form that nobody may send, such as addresses that the region has drawn.
    return check({ [name]: property }, { [name]: value }, 'create', '').problems.length === 0;
  };
  return Object.fromEntries(Object.entries(values).filter(isKept));
}

export async function dumpSeed(
  client: SeedClient,
  sections: ReadonlyMap<string, Section>,
  regions: { all: readonly string[]; home: string },
): Promise<string> {
  const dumper = new Dumper(client);
  const whole: Record<string, Values[]> = {};
  for (const section of sections.values()) {
    if (section.parent || section.key === 'users') continue;
    const found = section.isRegional
      ? (await Promise.all(regions.all.map((one) => dumper.section(section, `/${one}${section.prefix}`, one)))).flat()
      : await dumper.section(section, section.prefix);
    const items = found.map(({ item }) => (item.region === regions.home ? without(item, 'region') : item));
    if (items.length > 0) whole[section.key] = items;
  }
  return `${note}${stringify(dumper.named(whole))}`;
}

const note = '# Users, keys and the content of buckets are not told by the API, and so not in here.\n';

const without = (values: Values, key: string): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name !== key));
