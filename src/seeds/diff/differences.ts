// The differences between a region (here) and the contract of another platform (there).

import { isUuid } from '../../base/ids.ts';
import { equalJson, isObject, type Json, type Values } from '../../base/json.ts';
import type { Section } from '../../surface/docs/seed-sections.ts';
import type { RegionOffer } from '../../surface/product.ts';
import { certificateFacts } from '../certificate-facts.ts';
import type { Placeholder } from '../placeholders.ts';
import { bucketDifferences } from './buckets.ts';
import { comparableValues } from './comparable.ts';
import type { Difference } from './difference.ts';
import { type Match, matchesOf, type Place, type Sides, type Translation } from './matching.ts';
import { joinMoved } from './moved.ts';

export interface Comparison {
  differences: Difference[];
  placeholders: Placeholder[]; // in this region
}

export function compared(sides: Sides & { offer: RegionOffer; unreadBuckets: readonly string[] }): Comparison {
  const toHere: Translation = new Map();
  const matches = joinMoved(matchesOf(sides, toHere), toHere);
  const comparer = new Comparer(sides, toHere);
  const differences = matches.flatMap((match) => comparer.differences(match, sides.offer));
  const found = matches.filter(({ there, here }) => there && here);
  const placeholders = found.flatMap(({ section, there, here, names, kinds }): Placeholder[] => {
    const reason = there?.placeholder;
    const isIt = typeof reason === 'string' && here !== undefined && isPlaceholder(section, here);
    return isIt ? [{ what: placeWords({ names, kinds }), reason }] : [];
  });
  const buckets = bucketDifferences(sides.there.sections.buckets, sides.here.sections.buckets, sides.unreadBuckets);
  const all = [...differences, ...buckets];
  return { differences: all.toSorted(inOrder), placeholders };
}

// Not the original, which a region compared with itself has. A blank snapshot looks like any other.
function isPlaceholder({ resource }: Section, { certificate, image }: Values): boolean {
  if (resource.sourceValues) return false;
  return certificate === undefined ? image === undefined : certificateFacts(certificate)?.isPlaceholder === true;
}

const placeWords = ({ names, kinds }: Pick<Place, 'names' | 'kinds'>): string =>
  names
    .map((name, at) => `${kinds[at]} ${name}`.trim())
    .reverse()
    .join(' of ');

// Of the same sections, in their order.
const inOrder = (a: Difference, b: Difference): number => compareTexts(orderOf(a), orderOf(b));
const orderOf = ({ section, path, resource, property = '' }: Difference): string[] => [
  section,
  ...path,
  '',
  resource,
  property,
];

function compareTexts(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((one, index) => one !== b[index]);
  if (at < 0) return 0;
  return (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
}

class Comparer {
  readonly #sides: Sides;
  readonly #toHere: Translation;
  readonly #namesThere: Readonly<Record<string, string>>; // and of images here, which volumes there have by alias

  constructor(sides: Sides, toHere: Translation) {
    this.#sides = sides;
    this.#toHere = toHere;
    this.#namesThere = { ...sides.here.names, ...sides.there.names };
  }

  differences(match: Match, offer: RegionOffer): Difference[] {
    const { key, section, names, there, here, location, isKept, attachedTo } = match;
    const item = { section: key, resource: section.resource.name, path: names };
    if (!there || !here) return [{ ...item, difference: there ? 'only there' : 'only here' }];
    const skipped = this.#sides.unread.values.get(there) ?? [];
    const values = comparableValues(there, here, { section, location, offer }, isKept, skipped);
    const changes = this.#changes('', values.there, values.here);
    if (attachedTo) changes.unshift({ property: 'attachedTo', ...attachedTo });
    return changes.map((change) => ({ ...item, difference: 'changed', ...change }));
  }

  #changes(
    property: string,
    there: Json | undefined,
    here: Json | undefined,
  ): Pick<Difference, 'property' | 'here' | 'there'>[] {
    const below = (key: string): string => (property === '' ? key : `${property}.${key}`);
    if (isObject(there) && isObject(here)) {
      const keys = [...new Set([...Object.keys(there), ...Object.keys(here)])].sort();
      return keys.flatMap((key) => this.#changes(below(key), there[key], here[key]));
    }
    if (isListOfObjects(there) && isListOfObjects(here) && there.length === here.length)
      return there.flatMap((one, at) => this.#changes(below(String(at)), one, here[at]));
    if (equalJson(inAnyOrder(this.#translated(there)), inAnyOrder(here ?? null)) || this.#isElsewhere(there, here))
      return [];
    const shown = {
      ...(here !== undefined && { here: named(here, this.#sides.here.names) }),
      ...(there !== undefined && { there: named(there, this.#namesThere) }),
    };
    return [{ property, ...shown }];
  }

  #translated(value: Json | undefined): Json {
    if (typeof value === 'string') return this.#toHere.get(value) ?? value;
    if (Array.isArray(value)) return value.map((one) => this.#translated(one));
    if (!isObject(value)) return value ?? null;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#translated(one)]));
  }

  // The id of a resource that was not read, so that a copy can't refer to it.
  #isElsewhere(there: Json | undefined, here: Json | undefined): boolean {
    const { names } = this.#sides.there;
    return typeof there === 'string' && isUuid(there) && !Object.hasOwn(names, there) && here === undefined;
  }
}

const isShare = (value: Values): boolean => 'resource' in value;

const isListOfObjects = (value: Json | undefined): value is Values[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => isObject(one) && !isShare(one));

// Addresses and members have no order, but rules have one.
function inAnyOrder(value: Json): Json {
  if (!Array.isArray(value) || value.some((one) => isObject(one) && !isShare(one))) return value;
  return value.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

// `${servers.web}` in a seed.
function named(value: Json, names: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string') {
    const name = Object.hasOwn(names, value) ? names[value] : undefined; // a value may be the text "constructor"
    return name?.replace(/^\$\{(.*)\}$/, '$1').replaceAll('\\.', '.') ?? value;
  }
  if (Array.isArray(value)) return value.map((one) => named(one, names));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, named(one, names)]));
}
