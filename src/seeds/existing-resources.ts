// The resources that a region has already, listed once for each collection.
import type { Values } from '../base/json.ts';
import { nameProperty, type Section } from '../surface/docs/seed-sections.ts';
import { identityOf } from './plan/seed-plan.ts';
import type { SeedClient } from './seed-client.ts';

export interface SeededResource {
  id: string;
  properties?: Values; // absent: they have not been read
  collection: string; // where it is
}

export class ExistingResources {
  readonly #client: SeedClient;
  readonly #home: string;
  readonly #listed = new Map<string, Promise<Map<string, SeededResource>>>(); // by collection, then by identity and id

  constructor(client: SeedClient, home: string) {
    this.#client = client;
    this.#home = home;
  }

  rootOf({ prefix, isRegional }: Section, region: string | undefined): string {
    return `${isRegional ? `/${region ?? this.#home}` : ''}${prefix}`;
  }

  async propertiesOf(resource: SeededResource): Promise<Values> {
    resource.properties ??= ((await this.#client.call('GET', pathOf(resource))).body.properties ?? {}) as Values;
    return resource.properties;
  }

  // A collection of a new resource.
  addEmpty(collection: string): void {
    this.#listed.set(collection, Promise.resolve(new Map()));
  }

  // An existing resource in another one: nics.eth0.
  async inner(
    section: Section | undefined,
    resource: SeededResource,
    rest: readonly string[],
  ): Promise<{ resource: SeededResource; rest: readonly string[] }> {
    const [plural, name, ...more] = rest;
    const isIt = (one: Section): boolean => one.resource.plural === plural;
    const isAttached = section?.entities.includes(plural ?? '');
    const child = section?.children.find(isIt) ?? (isAttached ? section?.parent?.children.find(isIt) : undefined);
    if (!child || name === undefined) return { resource, rest };
    const there = await this.inside(`${resource.collection}/${encodeURIComponent(resource.id)}/${plural}`, child);
    const found = there.get(identityOf(child, { [nameProperty(child)]: name }));
    return found ? this.inner(child, found, more) : { resource, rest };
  }

  // A resource that existed before the seed. Resources inside others are not searched.
  async find(section: Section, name: string, region?: string): Promise<SeededResource | undefined> {
    if (section.parent) return undefined;
    const there = await this.inside(`${this.rootOf(section, region)}${section.path}`, section);
    return there.get(identityOf(section, { [nameProperty(section)]: name }));
  }

  inside(collection: string, section: Section): Promise<Map<string, SeededResource>> {
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
export const idKey = (id: string): string => `id ${id}`;

export const pathOf = ({ collection, id }: SeededResource): string => `${collection}/${encodeURIComponent(id)}`;

const isText = (value: unknown): value is string => typeof value === 'string';
