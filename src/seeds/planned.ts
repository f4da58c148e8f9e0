// How the items of a seed refer to each other.
import { nameProperty, type Section } from '../surface/docs/seed-sections.ts';
import { type Reference, referenceTo } from './references.ts';
import { identityOf, type SeedItem } from './seed-plan.ts';

export const shownReference = ({ section, name }: Reference): string => referenceTo(section, name);

// The parent, if it is in the seed too.
export function namedParent(items: readonly SeedItem[], { section, parent, region }: SeedItem): SeedItem | undefined {
  if (!parent || 'section' in parent) return parent;
  const found = items.filter((one) => one.section === section.parent && one.name === parent.name);
  return found.find((one) => one.region === region) ?? found[0];
}

// The item in a planned one that the rest of a reference names: nics.eth0. Returns the rest after it.
export function innerItem(
  items: readonly SeedItem[],
  outer: SeedItem,
  rest: readonly string[],
): { item: SeedItem; rest: readonly string[] } {
  const [plural, name, ...more] = rest;
  const section = outer.section.children.find(({ resource }) => resource.plural === plural);
  const isIt = (one: SeedItem): boolean =>
    one.section === section && one.name === name && namedParent(items, one) === outer;
  const item = section && name !== undefined ? items.find(isIt) : undefined;
  return item ? innerItem(items, item, more) : { item: outer, rest };
}

// The candidates of a reference. Those in the same topmost resource, such as a datacenter, come first.
export function referredItems(items: readonly SeedItem[], from: SeedItem, { section, name }: Reference): SeedItem[] {
  const found = items.filter((one) => one.section.key === section && one.name === name);
  if (found.length < 2) return found;
  const top = topOf(items, from);
  const near = found.filter((one) => topOf(items, one) === top);
  return near.length > 0 ? near : found;
}

function topOf(items: readonly SeedItem[], item: SeedItem): string {
  const parent = namedParent(items, item);
  if (parent) return topOf(items, parent);
  return item.parent ? `${item.section.parent?.key} ${item.parent.name}` : `${item.section.key} ${item.name}`;
}

// The location and the identifying value of an item: two items with the same key are one resource.
export function placeOf(items: readonly SeedItem[], item: SeedItem, home: string): string {
  const parent = namedParent(items, item);
  const above = parent
    ? placeOf(items, parent, home)
    : item.parent
      ? rootPlace(item.section.parent as Section, item.parent.name, item.region ?? home)
      : (item.region ?? home);
  return `${above} ${item.section.key} ${identityOf(item.section, item.properties)}`;
}

const rootPlace = (section: Section, name: string, region: string): string =>
  `${region} ${section.key} ${identityOf(section, { [nameProperty(section)]: name })}`;
