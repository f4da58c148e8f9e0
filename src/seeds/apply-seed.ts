// Creates the resources of a seed that do not exist yet. An item is identified by its name: an existing one is
// unchanged, so the same seed can be applied again.
import { Fault, type Problem } from '../base/fault.ts';
import type { Json, Values } from '../base/json.ts';
import { nameProperty, type Section } from '../surface/docs/seed-sections.ts';
import { bodyOfCopy, putsOwnId } from './copied-values.ts';
import { addPasswords } from './generated-passwords.ts';
import { innerItem, namedParent, referredItems, shownReference } from './planned.ts';
import { propertyAt, type Reference, resolved } from './references.ts';
import { relate } from './relations.ts';
import { messagesOf, type SeedAnswer, type SeedClient } from './seed-client.ts';
import { asDeclared, identityOf, type SeedItem } from './seed-plan.ts';
import type { Path } from './seed-source.ts';
import type { Undo } from './undo.ts';

export interface Applied {
  made: number;
  found: number; // that already existed
  keys: Record<string, Record<string, string>>; // shown once, at the creation: by section and name
}

export interface Seeded extends Applied {
  path: string;
  keysFile?: string; // the file with the keys that are shown once
}

// Called for each created resource, and for each one that existed already.
export type OnMade = (path: string, isNew: boolean) => Promise<void>;

interface SeededResource {
  id: string;
  properties: Values;
  collection: string; // where it is
}

export interface SeedRunOptions {
  client: SeedClient;
  sections: ReadonlyMap<string, Section>;
  items: readonly SeedItem[];
  home: string; // the region of items that name none
  onMade?: OnMade | undefined;
  keepsIds?: boolean | undefined; // of a dump; the client's token must permit it
}

export class SeedRun {
  readonly applied: Applied = { made: 0, found: 0, keys: {} };
  readonly #client: SeedClient;
  readonly #sections: ReadonlyMap<string, Section>;
  readonly #home: string;
  readonly #keepsIds: boolean;
  readonly #items: readonly SeedItem[];
  readonly onMade: OnMade | undefined;
  #undo: Undo | undefined; // of the run
  readonly #resources = new Map<SeedItem, Promise<SeededResource>>();
  readonly #listed = new Map<string, Promise<Map<string, SeededResource>>>(); // by collection and identity

  constructor({ client, sections, items, home, onMade, keepsIds = false }: SeedRunOptions) {
    this.#client = client;
    this.#sections = sections;
    this.#items = items;
    this.#home = home;
    this.#keepsIds = keepsIds;
    this.onMade = onMade;
  }

  // One after the other, so that lists have the order of the seed.
  async run(undo: Undo): Promise<Applied> {
    this.#undo = undo;
    for (const item of this.#items) await this.#resource(item);
    for (const item of this.#items) await this.#relate(item);
    return this.applied;
  }

  #resource(item: SeedItem): Promise<SeededResource> {
    const resource = this.#resources.get(item) ?? this.#provide(item);
    this.#resources.set(item, resource);
    return resource;
  }

  async #provide(item: SeedItem): Promise<SeededResource> {
    const { section, number } = item;
    const collection = await this.#collectionOf(item);
    const properties = (await this.#resolved(item, item.properties)) as Values;
    const identity = identityOf(section, properties);
    const there = await this.#inside(collection, section);
    const { id } = item.original;
    const found = there.get(this.#keepsIds && id !== undefined ? idKey(id) : identity);
    if (found && number !== undefined && found.id !== String(number))
      throw problem(
        item,
        ['number'],
        `the ${section.resource.name} ${item.name} already exists with the number ${found.id}.`,
      );
    if (found) {
      this.applied.found += 1;
      await this.onMade?.(pathOf(found), false);
      return found;
    }
    const resource = await this.#make(item, properties, collection);
    there.set(identity, resource);
    return resource;
  }

  async #make(item: SeedItem, properties: Values, collection: string): Promise<SeededResource> {
    const { section, entities, number } = item;
    for (const [name, value] of Object.entries(properties))
      properties[name] = asDeclared(section.resource.properties[name], value);
    const inner = (await this.#resolved(item, entities)) as Values;
    const isPublicImage = async (id: string): Promise<boolean> =>
      (await this.#client.call('GET', `${coreService}/images/${encodeURIComponent(id)}`)).status === 200;
    await addPasswords(item, properties, inner, isPublicImage, (kind, name, password) => {
      this.applied.keys[kind] = { ...this.applied.keys[kind], [name]: password };
    });
    const body = this.#keepsIds
      ? bodyOfCopy(item, properties, inner)
      : { properties, ...(Object.keys(inner).length > 0 && { entities: inner }) };
    const before = number === undefined || this.#keepsIds ? [] : await this.#takeNumbersBelow(item, number, collection);
    const made = await this.#post(item, collection, body);
    for (const id of before) await this.#client.untilDone(await this.#client.call('DELETE', `${collection}/${id}`));
    const id = String(made.body.id);
    if (number !== undefined && id !== String(number)) {
      await this.#client.call('DELETE', `${collection}/${id}`);
      throw problem(item, ['number'], `the number ${number} is already taken. The next free one is ${id}.`);
    }
    this.applied.made += 1;
    this.#keepKey(item, made.body);
    const shown = await this.#client.call('GET', `${collection}/${encodeURIComponent(id)}`);
    return { id, properties: (shown.body.properties ?? {}) as Values, collection };
  }

  async #post(item: SeedItem, collection: string, body: Values): Promise<SeedAnswer> {
    const { id, ...rest } = body;
    const made =
      id !== undefined && putsOwnId(item.section)
        ? await this.#client.call('PUT', `${collection}/${String(id)}`, rest)
        : await this.#client.call('POST', collection, body);
    if (made.status >= 300) throw refusal(item, made);
    const { section, name } = item;
    for (const path of await this.#client.madeBesides(made)) await this.#removeLater(path, path);
    await this.#removeLater(
      `${section.resource.name} ${name}`,
      `${collection}/${encodeURIComponent(String(made.body.id))}`,
    );
    const failure = await this.#client.untilDone(made);
    if (failure !== undefined) throw problem(item, [], failure);
    return made;
  }

  // Other resources that belong to it, when all are there.
  async #relate(item: SeedItem): Promise<void> {
    for (const relation of item.section.resource.relations ?? []) {
      const members = item.relations[relation.name];
      if (members === undefined) continue;
      const { collection, id } = await this.#resource(item);
      const wanted = (await resolved(members, (reference) => this.#referred(item, reference))) as Json[];
      await relate(relation, wanted, {
        client: this.#client,
        undo: this.#undo,
        own: `${collection}/${encodeURIComponent(id)}`,
        fail: (message) => problem(item, [relation.name], message),
      });
    }
  }

  async #removeLater(what: string, path: string): Promise<void> {
    this.#undo?.add(what, () => this.#client.remove(path));
    await this.onMade?.(path, true);
  }

  // The API counts up and takes no number from a client: lower numbers are occupied and freed after the creation.
  async #takeNumbersBelow(item: SeedItem, number: number, collection: string): Promise<string[]> {
    const highest = Math.max(0, ...(await this.#client.list(collection)).map(({ id }) => Number(id)));
    if (number - highest > mostTaken)
      throw problem(
        item,
        ['number'],
        `the number is more than ${mostTaken} above the highest one, ${highest}. Choose a lower one.`,
      );
    const taken: string[] = [];
    for (let next = highest + 1; next < number; next++) {
      const id = String((await this.#post(item, collection, { properties: { name: 'taken by the seed' } })).body.id);
      taken.push(id);
      if (Number(id) >= number - 1) break; // numbers continue from the highest one ever used
    }
    return taken;
  }

  #keepKey({ section, name }: SeedItem, { properties, metadata }: Values): void {
    const found = [metadata, properties].map((one) => (one as Values | undefined)?.key).find(isText);
    if (found === undefined || nameProperty(section) === 'key') return; // a label's key is not a secret
    this.applied.keys[section.key] = { ...this.applied.keys[section.key], [name]: found };
  }

  async #collectionOf(item: SeedItem): Promise<string> {
    const { section, parent, region } = item;
    if (!section.parent) return `${this.#rootOf(section, region)}${section.path}`;
    const above =
      parent && 'section' in parent ? await this.#resource(parent) : await this.#named(item, parent?.name ?? '');
    const last = section.path.slice(section.path.lastIndexOf('/'));
    return `${above.collection}/${encodeURIComponent(above.id)}${last}`;
  }

  #rootOf({ prefix, isRegional }: Section, region: string | undefined): string {
    return `${isRegional ? `/${region ?? this.#home}` : ''}${prefix}`;
  }

  // The parent that an item names.
  async #named(item: SeedItem, name: string): Promise<SeededResource> {
    const planned = namedParent(this.#items, item);
    if (planned) return this.#resource(planned);
    const there = await this.existing(item.section.parent as Section, name, item.region);
    if (there) return there;
    const { resource } = item.section.parent as Section;
    throw problem(item, [resource.name], `the ${resource.name} ${name} is neither in the seed nor in the region.`);
  }

  async #resolved(item: SeedItem, value: Values): Promise<Json> {
    return resolved(value, (reference) => this.#referred(item, reference));
  }

  async #referred(item: SeedItem, reference: Reference): Promise<Json> {
    const { section: key, name, rest } = reference;
    const [planned] = referredItems(this.#items, item, reference);
    const section = this.#sections.get(key);
    const inner = planned ? innerItem(this.#items, planned, rest) : undefined;
    const outer = inner ? await this.#resource(inner.item) : section && (await this.existing(section, name));
    if (!outer) throw problem(item, [], `${shownReference(reference)} is neither in the seed nor in the region.`);
    const found = await this.#inner(inner?.item.section ?? section, outer, inner?.rest ?? rest);
    const [word = 'id'] = found.rest;
    const value = word === 'id' ? found.resource.id : propertyAt(found.resource.properties, found.rest);
    if (value === undefined) throw problem(item, [], `${shownReference(reference)} has no ${rest.join('.')}.`);
    return value;
  }

  // An existing resource in another one: nics.eth0.
  async #inner(
    section: Section | undefined,
    resource: SeededResource,
    rest: readonly string[],
  ): Promise<{ resource: SeededResource; rest: readonly string[] }> {
    const [plural, name, ...more] = rest;
    const child = section?.children.find((one) => one.resource.plural === plural);
    if (!child || name === undefined) return { resource, rest };
    const there = await this.#inside(`${resource.collection}/${encodeURIComponent(resource.id)}/${plural}`, child);
    const found = there.get(identityOf(child, { [nameProperty(child)]: name }));
    return found ? this.#inner(child, found, more) : { resource, rest };
  }

  // A resource that existed before the seed. Resources inside others are not searched.
  async existing(section: Section, name: string, region?: string): Promise<SeededResource | undefined> {
    if (section.parent) return undefined;
    const there = await this.#inside(`${this.#rootOf(section, region)}${section.path}`, section);
    return there.get(identityOf(section, { [nameProperty(section)]: name }));
  }

  #inside(collection: string, section: Section): Promise<Map<string, SeededResource>> {
    const known = this.#listed.get(collection) ?? this.#list(collection, section);
    this.#listed.set(collection, known);
    return known;
  }

  async #list(collection: string, section: Section): Promise<Map<string, SeededResource>> {
    const resources = new Map<string, SeededResource>();
    for (const { id, properties } of await this.#client.list(collection)) {
      const values = properties as Values;
      const identity = identityOf(section, values);
      resources.set(idKey(String(id)), { id: String(id), properties: values, collection });
      if (isText(values[nameProperty(section)]) && !resources.has(identity))
        resources.set(identity, { id: String(id), properties: values, collection });
    }
    return resources;
  }
}

// Next to identities, which are JSON.
const idKey = (id: string): string => `id ${id}`;

const pathOf = ({ collection, id }: SeededResource): string => `${collection}/${encodeURIComponent(id)}`;

const mostTaken = 100;
const coreService = '/cloudapi/v6';
const isText = (value: unknown): value is string => typeof value === 'string';

export const problem = ({ source, path }: Pick<SeedItem, 'source' | 'path'>, below: Path, message: string): Fault =>
  new Fault('refused', `${source.placeOf([...path, ...below])}: ${message}`);

// The API's errors for a body, each at its line.
function refusal(item: SeedItem, { body }: SeedAnswer): Fault {
  const problems = messagesOf(body).map((message) => placed(item, message));
  return new Fault('refused', problems[0]?.message ?? '', { problems });
}

// `[(root).properties.logs.[0].tag] …` is about a value of the item.
export function placed({ source, path }: SeedItem, message: string): Problem {
  const [, way = ''] = /\[(?:\(root\)\.)?properties\.([^\s]+?)\] /.exec(message) ?? [];
  const below = way
    .split('.')
    .filter((one) => one !== '')
    .map((one) => (/^\[?\d+\]?$/.test(one) ? Number(one.replace(/\D/g, '')) : one));
  return { message: `${source.placeOf([...path, ...below])}: ${message}` };
}
