// Makes what a seed asks for and is not there yet. An item is known by its name: what has it already stays as it is, so
// the same seed can be applied again.
import { Fault, type Problem } from '../../base/fault.ts';
import type { Json, Values } from '../../base/json.ts';
import type { Section } from '../../surface/docs/seed-sections.ts';
import { propertyAt, type Reference, resolved } from './references.ts';
import { messagesOf, type SeedAnswer, type SeedClient } from './seed-client.ts';
import { nameProperty, type SeedItem } from './seed-plan.ts';

export interface Applied {
  made: number;
  found: number; // that were there already
  keys: Record<string, Record<string, string>>; // that are told once, when a thing is made: by section and name
}

export interface Seeded extends Applied {
  path: string;
  keysFile?: string; // where the keys are kept that are told once
}

interface Thing {
  id: string;
  properties: Values;
  collection: string; // where it is
}

export class SeedRun {
  readonly applied: Applied = { made: 0, found: 0, keys: {} };
  readonly #client: SeedClient;
  readonly #sections: ReadonlyMap<string, Section>;
  readonly #home: string; // the region of items that name none
  readonly #items: readonly SeedItem[];
  readonly #things = new Map<SeedItem, Promise<Thing>>();
  readonly #waiting: SeedItem[] = []; // what is being made needs what is behind it
  readonly #listed = new Map<string, Promise<Map<string, Thing>>>(); // by collection: things by name

  constructor(client: SeedClient, sections: ReadonlyMap<string, Section>, items: readonly SeedItem[], home: string) {
    this.#client = client;
    this.#sections = sections;
    this.#items = items;
    this.#home = home;
  }

  // One after the other, so that their order in lists is that of the seed.
  async run(): Promise<Applied> {
    for (const item of this.#items) await this.#thing(item);
    return this.applied;
  }

  #thing(item: SeedItem): Promise<Thing> {
    const known = this.#things.get(item);
    if (known && this.#waiting.includes(item))
      throw problem(item, [], `it refers to itself, by way of ${this.#waiting.map(({ name }) => name).join(', ')}.`);
    const thing = known ?? this.#provide(item);
    this.#things.set(item, thing);
    return thing;
  }

  async #provide(item: SeedItem): Promise<Thing> {
    this.#waiting.push(item);
    try {
      const { section, name } = item;
      const collection = await this.#collectionOf(item);
      const there = await this.#inside(collection, section);
      const found = there.get(name);
      if (found) {
        this.applied.found += 1;
        return found;
      }
      const thing = await this.#make(item, collection);
      there.set(name, thing);
      return thing;
    } finally {
      this.#waiting.pop();
    }
  }

  async #make(item: SeedItem, collection: string): Promise<Thing> {
    const { section, entities } = item;
    const properties = (await this.#resolved(item, item.properties)) as Values;
    for (const [name, value] of Object.entries(properties))
      if (section.resource.properties[name]?.type === 'integer' && typeof value === 'string' && /^\d+$/.test(value))
        properties[name] = Number(value); // the id of a LAN
    const inner = (await this.#resolved(item, entities)) as Values;
    const body = { properties, ...(Object.keys(inner).length > 0 && { entities: inner }) };
    const made = await this.#client.call('POST', collection, body);
    if (made.status >= 300) throw refusal(item, made);
    const failure = await this.#client.untilDone(made);
    if (failure !== undefined) throw problem(item, [], failure);
    this.applied.made += 1;
    this.#keepKey(item, made.body);
    const shown = await this.#client.call('GET', `${collection}/${encodeURIComponent(String(made.body.id))}`);
    return { id: String(made.body.id), properties: (shown.body.properties ?? {}) as Values, collection };
  }

  #keepKey({ section, name }: SeedItem, { properties, metadata }: Values): void {
    const found = [metadata, properties].map((one) => (one as Values | undefined)?.key).find(isText);
    if (found === undefined) return;
    this.applied.keys[section.key] = { ...this.applied.keys[section.key], [name]: found };
  }

  async #collectionOf(item: SeedItem): Promise<string> {
    const { section, parent, region } = item;
    if (!section.parent) return `${this.#rootOf(section, region)}${section.path}`;
    const above =
      parent && 'section' in parent ? await this.#thing(parent) : await this.#named(item, parent?.name ?? '');
    const last = section.path.slice(section.path.lastIndexOf('/'));
    return `${above.collection}/${encodeURIComponent(above.id)}${last}`;
  }

  #rootOf({ prefix, isRegional }: Section, region: string | undefined): string {
    return `${isRegional ? `/${region ?? this.#home}` : ''}${prefix}`;
  }

  // The parent that an item names.
  async #named(item: SeedItem, name: string): Promise<Thing> {
    const section = item.section.parent as Section;
    const planned = this.#items.find((one) => one.section === section && one.name === name);
    if (planned) return this.#thing(planned);
    const there = (await this.#inside(`${this.#rootOf(section, item.region)}${section.path}`, section)).get(name);
    if (there) return there;
    const { resource } = section;
    throw problem(item, [resource.name], `there is no ${resource.name} ${name}, in the seed or in the region.`);
  }

  async #resolved(item: SeedItem, value: Values): Promise<Json> {
    return resolved(value, (reference) => this.#referred(item, reference));
  }

  async #referred(item: SeedItem, reference: Reference): Promise<Json> {
    const { section, name, rest } = reference;
    const planned = this.#items.find((one) => one.section.key === section && one.name === name);
    const thing = planned ? await this.#thing(planned) : await this.#existing(section, name);
    if (!thing) throw problem(item, [], `\${${section}.${name}} is neither in the seed nor in the region.`);
    const value = rest.length === 0 || rest[0] === 'id' ? thing.id : propertyAt(thing.properties, rest);
    if (value === undefined) throw problem(item, [], `\${${section}.${name}} has no ${rest.join('.')}.`);
    return value;
  }

  async #existing(key: string, name: string): Promise<Thing | undefined> {
    const section = this.#sections.get(key);
    if (!section || section.parent) return undefined;
    return (await this.#inside(`${this.#rootOf(section, undefined)}${section.path}`, section)).get(name);
  }

  #inside(collection: string, section: Section): Promise<Map<string, Thing>> {
    const known = this.#listed.get(collection) ?? this.#list(collection, section);
    this.#listed.set(collection, known);
    return known;
  }

  async #list(collection: string, section: Section): Promise<Map<string, Thing>> {
    const things = new Map<string, Thing>();
    for (const { id, properties } of await this.#client.list(collection)) {
      const name = (properties as Values)[nameProperty(section)];
      if (isText(name) && !things.has(name))
        things.set(name, { id: String(id), properties: properties as Values, collection });
    }
    return things;
  }
}

const isText = (value: unknown): value is string => typeof value === 'string';

export const problem = (
  { source, path }: Pick<SeedItem, 'source' | 'path'>,
  below: (string | number)[],
  message: string,
): Fault => new Fault('refused', `${source.placeOf([...path, ...below])}: ${message}`);

// What the API says of a body, each at its line.
function refusal(item: SeedItem, { body }: SeedAnswer): Fault {
  const problems = messagesOf(body).map((message): Problem => {
    const [, way = ''] = /\[\(root\)\.properties\.([^\]\s]+)/.exec(message) ?? [];
    const below = way
      .split('.')
      .filter((one) => one !== '')
      .map((one) => (/^\[?\d+\]?$/.test(one) ? Number(one.replace(/\D/g, '')) : one));
    return { message: `${item.source.placeOf([...item.path, ...below])}: ${message}` };
  });
  return new Fault('refused', problems[0]?.message ?? '', { problems });
}
