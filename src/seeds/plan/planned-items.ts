// How the items of a seed refer to each other. A seed may have tens of thousands of items, so they are looked up by
// name.
import { nameProperty, type Section } from '../../surface/docs/seed-sections.ts';
import { type Reference, referenceTo } from './references.ts';
import { identityOf, type SeedItem } from './seed-plan.ts';

export const shownReference = ({ section, name }: Reference): string => referenceTo(section, name);

export class PlannedItems {
  readonly #named = new Map<string, SeedItem[]>(); // by section and name
  readonly #children = new Map<SeedItem, SeedItem[]>();
  readonly #inside = new Map<SeedItem, Map<string, SeedItem>>(); // by parent, then by collection and name

  constructor(items: readonly SeedItem[]) {
    for (const item of items) append(this.#named, keyOf(item.section.key, item.name), item);
    for (const item of items) {
      const parent = this.parentOf(item);
      if (!parent) continue;
      if (parent === item.parent) append(this.#children, parent, item);
      const inside = this.#inside.get(parent) ?? new Map<string, SeedItem>();
      this.#inside.set(parent, inside);
      const key = keyOf(item.section.resource.plural, item.name);
      if (!inside.has(key)) inside.set(key, item);
    }
  }

  // The parent, if it is in the seed too.
  parentOf({ section, parent, region }: SeedItem): SeedItem | undefined {
    if (!parent || 'section' in parent) return parent;
    const named = this.#named.get(keyOf(section.parent?.key ?? '', parent.name)) ?? [];
    const found = named.filter((one) => one.section === section.parent);
    return found.find((one) => one.region === region) ?? found[0];
  }

  // The items that are written in it, in their order.
  inside(item: SeedItem): readonly SeedItem[] {
    return this.#children.get(item) ?? [];
  }

  // The item in a planned one that the rest of a reference names: nics.eth0. Returns the rest after it.
  inner(outer: SeedItem, rest: readonly string[]): { item: SeedItem; rest: readonly string[] } {
    const [plural = '', name, ...more] = rest;
    const item = name === undefined ? undefined : this.#inside.get(outer)?.get(keyOf(plural, name));
    return item ? this.inner(item, more) : { item: outer, rest };
  }

  // The candidates of a reference. Those in the same topmost resource, such as a datacenter, come first.
  referred(from: SeedItem, { section, name }: Reference): SeedItem[] {
    const found = this.#named.get(keyOf(section, name)) ?? [];
    if (found.length < 2) return found;
    const top = this.#topOf(from);
    const near = found.filter((one) => this.#topOf(one) === top);
    return near.length > 0 ? near : found;
  }

  #topOf(item: SeedItem): string {
    const parent = this.parentOf(item);
    if (parent) return this.#topOf(parent);
    return item.parent ? `${item.section.parent?.key} ${item.parent.name}` : `${item.section.key} ${item.name}`;
  }

  // The location and the identifying value of an item: two items with the same key are one resource.
  placeOf(item: SeedItem, home: string): string {
    const parent = this.parentOf(item);
    const above = parent
      ? this.placeOf(parent, home)
      : item.parent
        ? rootPlace(item.section.parent as Section, item.parent.name, item.region ?? home)
        : (item.region ?? home);
    return `${above} ${item.section.key} ${identityOf(item.section, item.properties)}`;
  }
}

function append<K>(lists: Map<K, SeedItem[]>, key: K, item: SeedItem): void {
  const list = lists.get(key);
  if (list) list.push(item);
  else lists.set(key, [item]);
}

const keyOf = (collection: string, name: string): string => `${collection} ${name}`;

const rootPlace = (section: Section, name: string, region: string): string =>
  `${region} ${section.key} ${identityOf(section, { [nameProperty(section)]: name })}`;
