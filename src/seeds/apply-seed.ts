// Creates the resources of a seed that do not exist yet. An item is identified by its name: an existing one is
// unchanged, so the same seed can be applied again.
import { Fault } from '../base/fault.ts';
import type { Json, Values } from '../base/json.ts';
import { nameProperty, type Section } from '../surface/docs/seed-sections.ts';
import { createBlankSnapshot } from './blank-snapshots.ts';
import { CallSlots } from './call-slots.ts';
import { bodyOfCopy } from './copied-values.ts';
import { ExistingResources, idKey, pathOf, type SeededResource } from './existing-resources.ts';
import { addSecrets } from './generated-passwords.ts';
import { earlyValues, lateValues, setLateValues } from './late-values.ts';
import { type Placeholder, placeholdersOf, wordsOf } from './placeholders.ts';
import { PlannedItems, shownReference } from './plan/planned-items.ts';
import { propertyAt, type Reference, resolved } from './plan/references.ts';
import { asDeclared, identityOf, isNumbered, type SeedItem } from './plan/seed-plan.ts';
import { relate } from './relations.ts';
import { messagesOf, type SeedAnswer, type SeedClient } from './seed-client.ts';
import { problem, refusal } from './seed-problems.ts';
import type { Undo } from './undo.ts';

export interface Applied {
  created: number;
  existing: number; // resources that already existed
  keys: Record<string, Record<string, string>>; // shown once, at the creation: by section and name
  placeholders: Placeholder[]; // that were created
  omitted: string[]; // by the dump that the seed is
}

export interface Seeded extends Applied {
  path: string;
  keysFile?: string; // the file with the keys that are shown once
}

// Called for each created resource, and for each one that existed already.
export type OnMade = (path: string, isNew: boolean) => Promise<void>;

export interface SeedRunOptions {
  client: SeedClient;
  sections: ReadonlyMap<string, Section>;
  items: readonly SeedItem[];
  home: string; // the region of items that name none
  onMade?: OnMade | undefined;
  keepsIds?: boolean | undefined; // of a dump; the client's token must permit it
  onItem?: ((done: number, all: number) => void) | undefined; // before each item
  signal?: AbortSignal | undefined; // cancels the run: its failure is undone as any other
}

export class SeedRun {
  readonly applied: Applied = { created: 0, existing: 0, keys: {}, placeholders: [], omitted: [] };
  readonly #client: SeedClient;
  readonly #sections: ReadonlyMap<string, Section>;
  readonly #keepsIds: boolean;
  readonly #items: readonly SeedItem[];
  readonly #planned: PlannedItems;
  readonly existing: ExistingResources;
  readonly onMade: OnMade | undefined;
  readonly #onItem: SeedRunOptions['onItem'];
  readonly #signal: AbortSignal | undefined;
  #undo: Undo | undefined; // of the run
  #failure: unknown;
  readonly #onAccepted = new Map<SeedItem, () => void>();
  readonly #made = new Set<SeedItem>(); // those that did not exist before
  readonly #resources = new Map<SeedItem, Promise<SeededResource>>();

  constructor({ client, sections, items, home, onMade, onItem, signal, keepsIds = false }: SeedRunOptions) {
    this.#client = client;
    this.#sections = sections;
    this.#items = items;
    this.#planned = new PlannedItems(items);
    this.existing = new ExistingResources(client, home);
    this.#keepsIds = keepsIds;
    this.#onItem = onItem;
    this.#signal = signal;
    const turns = new CallSlots(1); // the caller adds each one to a record
    this.onMade = onMade && ((path, isNew) => turns.run(() => onMade(path, isNew)));
  }

  async run(undo: Undo): Promise<Applied> {
    this.#undo = undo;
    const tops = this.#items.filter(({ parent }) => !(parent && 'section' in parent));
    await this.#bySections(tops);
    if (this.#failure === undefined) await this.#each(this.#items, (item) => this.#relate(item));
    if (this.#failure === undefined) await this.#each([...this.#made], (item) => this.#complete(item));
    if (this.#failure === undefined) await this.#each([...this.#made], (item) => this.#act(item));
    await this.#unlessFailed(async () => {}); // it may have been cancelled during the last call
    if (this.#failure === undefined) return this.applied;
    await Promise.allSettled(this.#resources.values()); // the undo must find everything
    throw this.#failure;
  }

  // The region accepts siblings one after the other, so that lists have the order of the seed. Their operations run at
  // the same time, and so does the creation of what is inside of them.
  async #inOrder(items: readonly SeedItem[]): Promise<void> {
    const all: Promise<void>[] = [];
    for (const item of items) {
      const { promise: accepted, resolve } = Promise.withResolvers<void>();
      this.#onAccepted.set(item, resolve);
      const created = this.#unlessFailed(() => this.#begun(item)).finally(resolve);
      all.push(created.then(() => this.#bySections(this.#planned.inside(item))));
      await accepted;
    }
    await Promise.all(all);
  }

  async #begun(item: SeedItem): Promise<void> {
    this.#onItem?.(this.#resources.size, this.#items.length);
    await this.#resource(item);
  }

  // One section after the other: what is in servers comes before balancers, whose addresses the region may choose.
  async #bySections(items: readonly SeedItem[]): Promise<void> {
    for (const section of new Set(items.map((item) => item.section)))
      await this.#inOrder(items.filter((item) => item.section === section));
  }

  async #each(items: readonly SeedItem[], work: (item: SeedItem) => Promise<void>): Promise<void> {
    await Promise.all(items.map((item) => this.#unlessFailed(() => work(item))));
  }

  // After a failure, nothing else is begun.
  async #unlessFailed(work: () => Promise<unknown>): Promise<void> {
    if (this.#failure !== undefined) return;
    try {
      this.demandUncancelled();
      await work();
    } catch (error) {
      this.#failure ??= error;
    }
  }

  demandUncancelled(): void {
    if (this.#signal?.aborted) throw new Fault('refused', 'The copy was cancelled.');
  }

  #resource(item: SeedItem): Promise<SeededResource> {
    const resource = this.#resources.get(item) ?? this.#provide(item);
    this.#resources.set(item, resource);
    return resource;
  }

  async #provide(item: SeedItem): Promise<SeededResource> {
    const { section, number } = item;
    const collection = await this.#collectionOf(item);
    const properties = (await this.#resolved(item, earlyValues(item))) as Values;
    const identity = identityOf(section, properties);
    const there = await this.existing.inside(collection, section);
    const { id } = item.original;
    const found = there.get(this.#keepsIds && id !== undefined ? idKey(id) : identity);
    if (found && number !== undefined && found.id !== String(number))
      throw problem(
        item,
        ['number'],
        `the ${section.resource.name} ${item.name} already exists with the number ${found.id}.`,
      );
    if (found) {
      this.applied.existing += 1;
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
    await addSecrets(item, properties, inner, isPublicImage, (kind, name, password) => {
      this.applied.keys[kind] = { ...this.applied.keys[kind], [name]: password };
      if (item.original.id !== undefined) this.applied.placeholders.push(newPassword(item, name));
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
    this.applied.created += 1;
    this.#made.add(item);
    this.applied.placeholders.push(...placeholdersOf(item));
    this.#keepKey(item, made.body);
    return { id, collection };
  }

  async #post(item: SeedItem, collection: string, body: Values): Promise<SeedAnswer> {
    const { section, name } = item;
    const fail = (reason: string): Error => problem(item, [], reason);
    const tools = { client: this.#client, removeLater: this.#removeLater.bind(this), fail };
    const isCopy = section.resource.name === 'snapshot';
    const made = await (isCopy ? createBlankSnapshot(body, tools) : this.#client.call('POST', collection, body));
    if (made.status >= 300) throw refusal(item, made);
    const { others, isEmpty } = await this.#client.sideEffects(made);
    for (const path of others) await this.#removeLater(path, path);
    const own = `${collection}/${encodeURIComponent(String(made.body.id))}`;
    if (!isCopy) await this.#removeLater(`${section.resource.name} ${name}`, own);
    if (isEmpty) for (const { resource } of section.children) this.existing.addEmpty(`${own}/${resource.plural}`);
    if (!isNumbered(section)) this.#onAccepted.get(item)?.(); // the others wait for its number
    const failure = await this.#client.untilDone(made);
    if (failure !== undefined) throw fail(failure);
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

  // Sets what refers to resources that are created after it.
  async #complete(item: SeedItem): Promise<void> {
    const late = lateValues(item, this.#keepsIds);
    if (Object.keys(late).length === 0) return;
    const values = (await this.#resolved(item, late)) as Values;
    const path = pathOf(await this.#resource(item));
    const failure = await setLateValues(item, path, values, { client: this.#client, undo: this.#undo });
    if (failure !== undefined) throw problem(item, [Object.keys(late)[0] ?? ''], failure);
  }

  // Brings a new resource into the state that it has in the seed.
  async #act(item: SeedItem): Promise<void> {
    const { act, section } = item;
    if (act === undefined) return;
    const path = pathOf(await this.#resource(item));
    const answer = await this.#client.call('POST', `${path}/${act}`);
    const reason = answer.status < 300 ? await this.#client.untilDone(answer) : messagesOf(answer.body).join(' ');
    if (reason !== undefined) throw problem(item, [section.resource.seededState?.property ?? ''], reason);
  }

  async #removeLater(what: string, path: string): Promise<void> {
    this.#undo?.addCreated(path, what, () => this.#client.remove(path));
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
    if (!section.parent) return `${this.existing.rootOf(section, region)}${section.path}`;
    const above =
      parent && 'section' in parent ? await this.#resource(parent) : await this.#named(item, parent?.name ?? '');
    const last = section.path.slice(section.path.lastIndexOf('/'));
    return `${above.collection}/${encodeURIComponent(above.id)}${last}`;
  }

  // The parent that an item names.
  async #named(item: SeedItem, name: string): Promise<SeededResource> {
    const planned = this.#planned.parentOf(item);
    if (planned) return this.#resource(planned);
    const there = await this.existing.find(item.section.parent as Section, name, item.region);
    if (there) return there;
    const { resource } = item.section.parent as Section;
    throw problem(item, [resource.name], `the ${resource.name} ${name} is neither in the seed nor in the region.`);
  }

  async #resolved(item: SeedItem, value: Values): Promise<Json> {
    return resolved(value, (reference) => this.#referred(item, reference));
  }

  async #referred(item: SeedItem, reference: Reference): Promise<Json> {
    const { section: key, name, rest } = reference;
    const [planned] = this.#planned.referred(item, reference);
    const section = this.#sections.get(key);
    const inner = planned ? this.#planned.inner(planned, rest) : undefined;
    const outer = inner ? await this.#resource(inner.item) : section && (await this.existing.find(section, name));
    if (!outer) throw problem(item, [], `${shownReference(reference)} is neither in the seed nor in the region.`);
    const found = await this.existing.inner(inner?.item.section ?? section, outer, inner?.rest ?? rest);
    const [word = 'id'] = found.rest;
    const { resource } = found;
    const value = word === 'id' ? resource.id : propertyAt(await this.existing.propertiesOf(resource), found.rest);
    if (value === undefined) throw problem(item, [], `${shownReference(reference)} has no ${rest.join('.')}.`);
    return value;
  }
}

const newPassword = (item: SeedItem, name: string): Placeholder => ({
  what: name === item.name ? wordsOf(item) : `volume ${name} of ${wordsOf(item)}`,
  reason: 'A generated password, because passwords are never readable',
});

const mostTaken = 100;
const coreService = '/cloudapi/v6';
const isText = (value: unknown): value is string => typeof value === 'string';
