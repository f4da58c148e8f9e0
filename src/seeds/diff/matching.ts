// Finds the items of two trees that are one resource: by their kept ids, otherwise by the names that identify them.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { entitySection, nameProperty, type Section } from '../../surface/docs/seed-sections.ts';
import type { Tree, Unread } from '../dump/tree.ts';
import { identityOf, isNumbered } from '../plan/seed-plan.ts';

export interface Place {
  key: string; // of the section at the top
  section: Section;
  names: string[]; // of all levels, the item last
  kinds: string[]; // of these, such as server
  location: string;
  isKept: boolean; // both sides have the same id
}

export interface Match extends Place {
  there: Values | undefined;
  here: Values | undefined;
  isUnlisted?: boolean; // it belongs to an item that only one side has, which is listed
  attachedTo?: { there?: string; here?: string }; // of a volume that was moved: the names of the servers, if any
}

export interface Sides {
  there: Tree;
  here: Tree;
  unread: Unread; // of there
  sections: ReadonlyMap<string, Section>;
  home: string;
}

export type Translation = Map<string, string>; // from there to here: ids, and addresses of blocks

// Items below one that only one side has are not listed, but those that are attached to it are marked.
export function matchesOf({ there, here, unread, sections, home }: Sides, toHere: Translation): Match[] {
  const all: Match[] = [];
  // DNS records may have addresses of blocks.
  const isBlock = ([key]: [string, Section]): number => (key === 'ipblocks' ? 0 : 1);
  for (const [key, section] of [...sections].toSorted((a, b) => isBlock(a) - isBlock(b))) {
    if (section.parent) continue;
    const skipped = unread.sections.filter((one) => one.key === key).map(({ region }) => region);
    const isSkipped = ({ region }: Values): boolean =>
      skipped.some((one) => one === undefined || one === (region ?? home));
    const wanted = ({ sections: found }: Tree): Values[] => (found[key] ?? []).filter((item) => !isSkipped(item));
    const above = { key, names: [], kinds: [], location: '', isKept: true };
    all.push(...matchesIn(section, wanted(there), wanted(here), above, { unread, toHere }));
  }
  return all;
}

function matchesIn(
  section: Section,
  there: readonly Values[],
  here: readonly Values[],
  above: Omit<Place, 'section'>,
  tools: { unread: Unread; toHere: Translation },
): Match[] {
  return pairs(section, there, here, tools.toHere).flatMap(({ there: one, here: other, isKept }) => {
    const item = (one ?? other) as Values;
    const place: Place = {
      key: above.key,
      section,
      names: [...above.names, String(item[nameProperty(section)] ?? item.number ?? '')],
      kinds: [...above.kinds, section.resource.name],
      location: String(item.location ?? above.location),
      isKept: isKept && above.isKept, // numbers are equal without being kept
    };
    const match: Match = { ...place, there: one, here: other };
    const below = ([plural, kind]: [string, Section]): Match[] =>
      matchesIn(kind, listOf(one?.[plural]), listOf(other?.[plural]), place, tools);
    if (!one || !other) {
      const attached = attachedSections(section).flatMap(below);
      return [match, ...attached.map((inner) => ({ ...inner, isUnlisted: true }))];
    }
    translate(one, other, tools.toHere);
    const skipped = tools.unread.inner.get(one) ?? [];
    const inner = [...attachedSections(section), ...childSections(section)];
    return [match, ...inner.filter(([plural]) => !skipped.includes(plural)).flatMap(below)];
  });
}

// The collections below an item, and those that are created with it.
const childSections = ({ children }: Section): [string, Section][] =>
  children.map((child) => [child.resource.plural, child]);
const attachedSections = (section: Section): [string, Section][] =>
  section.entities.flatMap((name) => {
    const kind = entitySection(section, name);
    return kind ? [[name, { ...kind, children: [] }]] : [];
  });

function pairs(
  section: Section,
  there: readonly Values[],
  here: readonly Values[],
  toHere: Translation,
): Pick<Match, 'there' | 'here' | 'isKept'>[] {
  const ids = { there: idsOf(section, there), here: idsOf(section, here) };
  const byId = new Map(here.map((item, at) => [ids.here[at], item]));
  const kept = there.map((_, at) => (ids.there[at] === undefined ? undefined : byId.get(ids.there[at])));
  const taken = new Set(kept);
  const byName = Map.groupBy(
    here.filter((item) => !taken.has(item)),
    (item) => placeOf(section, item),
  );
  const found = there.map((item, at) => {
    const other = kept[at] ?? byName.get(placeOf(section, item, toHere))?.shift();
    if (other) taken.add(other);
    return { there: item, here: other, isKept: kept[at] !== undefined };
  });
  const rest = here.filter((item) => !taken.has(item));
  return [...found, ...rest.map((item) => ({ there: undefined, here: item, isKept: false }))];
}

function placeOf(section: Section, item: Values, toHere?: Translation): string {
  const content = toHere?.get(String(item.content)) ?? item.content;
  return `${item.region ?? ''} ${identityOf(section, content === undefined ? item : { ...item, content })}`;
}

// LANs are counted: only a number that is not the next one is written.
function idsOf(section: Section, items: readonly Values[]): (string | undefined)[] {
  let last = 0;
  return items.map(({ id, number }) => {
    if (!isNumbered(section)) return typeof id === 'string' ? id : undefined;
    last = typeof number === 'number' ? number : last + 1;
    return String(last);
  });
}

export function translate(there: Values, here: Values, toHere: Translation): void {
  if (typeof there.id === 'string' && typeof here.id === 'string') toHere.set(there.id, here.id);
  const own = addressesOf(here);
  for (const [at, ip] of addressesOf(there).entries()) if (own[at] !== undefined) toHere.set(ip, own[at]);
}

// Of a block.
const addressesOf = ({ was, size }: Values): string[] =>
  isObject(was) && Array.isArray(was.ips) && size !== undefined ? was.ips.map(String) : [];

const listOf = (value: Json | undefined): Values[] => (Array.isArray(value) ? value.filter(isObject) : []);
