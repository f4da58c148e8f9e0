// The items of a seed, in the order of the files, each with its section, its parent and its source position.
import { Fault, mostProblems, type Problem } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { suggestion } from '../../command/suggestion.ts';
import type { Property } from '../../core/schema.ts';
import { nameProperty, type Section } from '../../surface/docs/seed-sections.ts';
import { planBucket, type SeedBucket } from './bucket-plan.ts';
import { unescaped } from './references.ts';
import type { Path, SeedSource } from './seed-source.ts';

export interface SeedItem {
  section: Section;
  name: string; // others refer to it by this name
  region: string | undefined;
  parent: SeedItem | { name: string } | undefined; // the latter: one of that name, seeded or existing
  number: number | undefined; // the number it should get, where the region numbers its kind
  properties: Values;
  entities: Values; // created with it
  relations: Readonly<Record<string, Json[]>>; // other resources, by the name of the relation
  act: string | undefined; // to call after the creation: a server is switched off
  original: Original; // of an item that was dumped
  source: SeedSource;
  path: Path;
}

// How an item was where it was read.
export interface Original {
  id?: string;
  was?: Values; // values that the region has chosen
  placeholder?: string; // why it can't be as it was
  entities?: Readonly<Record<string, Original[]>>; // of the resources that are created with it
}

export interface SeedPlan {
  items: SeedItem[];
  buckets: SeedBucket[];
  omitted: string[]; // what a dump could not contain
}

// The identity of an item within its location. A zone may have many records of one name.
export function identityOf(section: Section, values: Values): string {
  const names = section.resource.name === 'record' ? ['name', 'type', 'content'] : [nameProperty(section)];
  return JSON.stringify(names.map((one) => values[one] ?? null));
}

// LANs have small numbers, by which others refer to them.
export const isNumbered = ({ resource }: Section): boolean => /^\d+$/.test(resource.ids.example);

class Planner {
  readonly items: SeedItem[] = [];
  readonly buckets: SeedBucket[] = [];
  readonly omitted: string[] = [];
  readonly problems: Problem[] = [];
  readonly #sections: ReadonlyMap<string, Section>;

  constructor(sections: ReadonlyMap<string, Section>) {
    this.#sections = sections;
  }

  add(source: SeedSource): void {
    for (const [key, value] of Object.entries(source.value)) {
      if (key === 'read') this.#read(value);
      if (key === '$schema' || key === 'read') continue;
      const section = this.#sections.get(key);
      if (key !== 'buckets' && !section) {
        const known = [...this.#sections.keys(), 'buckets'];
        this.#report(source, [key], `unknown section ${key}.${suggestion(key, known)}`);
      } else
        for (const [index, item] of this.#listOf(source, [key], value).entries())
          if (section) this.#item(source, [key, index], item, section, undefined);
          else this.#bucket(source, [key, index], item);
    }
  }

  // When and where it was dumped.
  #read(value: Json): void {
    if (isObject(value) && Array.isArray(value.omitted)) this.omitted.push(...value.omitted.filter(isText));
  }

  #item(source: SeedSource, path: Path, value: Json, section: Section, above: SeedItem | undefined): void {
    if (!isObject(value)) {
      this.#report(source, path, `an item of ${section.key} must be an object.`);
      return;
    }
    const { resource, parent, children, entities } = section;
    const rest = { ...value };
    const region = section.isRegional ? take(rest, 'region') : undefined;
    const parentName = parent && !above ? take(rest, parent.resource.name) : undefined;
    if (parent && !above && parentName === undefined)
      this.#report(
        source,
        path,
        `name its ${parent.resource.name} (${parent.resource.name}: NAME), or move it into that ${parent.resource.name}.`,
      );
    const { original, relations } = this.#apart(source, path, section, rest);
    const act = this.#actIn(source, path, section, rest);
    const number = isNumbered(section) ? rest.number : undefined;
    if (isNumbered(section)) delete rest.number;
    if (number !== undefined && !(Number.isSafeInteger(number) && (number as number) > 0))
      this.#report(source, [...path, 'number'], 'expected a number of at least 1.');
    const name = rest[nameProperty(section)];
    const item: SeedItem = {
      section,
      name: typeof name === 'string' ? unescaped(name) : `${section.key} ${this.items.length}`,
      region,
      parent: above ?? (parentName === undefined ? undefined : { name: parentName }),
      number: number as number | undefined,
      properties: {},
      entities: {},
      relations,
      act,
      original,
      source,
      path,
    };
    if (nameProperty(section) in resource.properties && typeof name !== 'string') this.#reportName(source, item, name);
    this.items.push(item);
    for (const [key, inner] of Object.entries(rest)) {
      const child = children.find((one) => one.resource.plural === key);
      if (Object.hasOwn(resource.properties, key)) item.properties[key] = asDeclared(resource.properties[key], inner);
      else if (entities.includes(key)) {
        const all = this.#listOf(source, [...path, key], inner).map(splitOriginal);
        item.entities[key] = { items: all.map(({ values }) => ({ properties: values })) };
        original.entities = { ...original.entities, [key]: all.map((one) => one.original) };
      } else if (child)
        for (const [index, one] of this.#listOf(source, [...path, key], inner).entries())
          this.#item(source, [...path, key, index], one, child, item);
      else {
        const inside = [...Object.keys(relations), ...entities, ...children.map((one) => one.resource.plural)];
        const known = [...Object.keys(resource.properties), ...inside];
        this.#report(source, [...path, key], `${article(resource.name)} has no ${key}.${suggestion(key, known)}`);
      }
    }
  }

  // Takes everything but properties and children out of the values of an item.
  #apart(source: SeedSource, path: Path, { resource }: Section, rest: Values) {
    const { original } = splitOriginal(rest);
    for (const key of ['id', 'was', 'placeholder']) delete rest[key];
    const relations: Record<string, Json[]> = {};
    for (const { name, by } of resource.relations ?? []) {
      const list = rest[name];
      if (list === undefined || Object.hasOwn(resource.properties, name)) continue;
      delete rest[name];
      relations[name] = this.#listOf(source, [...path, name], list);
      for (const [index, one] of relations[name].entries()) {
        const isMember = by === 'share' ? isObject(one) && isText(one.resource) : isText(one);
        const form = by === 'share' ? 'an object with its resource' : 'a reference or an ID';
        if (!isMember) this.#report(source, [...path, name, index], `expected ${form}.`);
      }
    }
    return { original, relations };
  }

  #actIn(source: SeedSource, path: Path, { resource }: Section, rest: Values): string | undefined {
    const { property = '', acts = {} } = resource.seededState ?? {};
    const state = rest[property];
    if (state === undefined) return undefined;
    delete rest[property];
    const usual = resource.properties[property]?.default ?? null;
    if (state === usual) return undefined;
    if (isText(state) && Object.hasOwn(acts, state)) return acts[state];
    const known = [usual, ...Object.keys(acts)].join(', ');
    this.#report(source, [...path, property], `expected one of ${known}.`);
    return undefined;
  }

  #reportName(source: SeedSource, { section, path }: SeedItem, name: Json | undefined): void {
    const property = nameProperty(section);
    if (name === undefined || name === null)
      this.#report(
        source,
        path,
        `the ${property} of ${article(section.resource.name)} is missing. It identifies the item.`,
      );
    else {
      const quoted = typeof name === 'object' ? '' : `: write it in quotes, "${String(name)}"`;
      this.#report(
        source,
        [...path, property],
        `the ${property} of ${article(section.resource.name)} must be a string${quoted}.`,
      );
    }
  }

  #bucket(source: SeedSource, path: Path, value: Json): void {
    const bucket = planBucket(source, path, value, (place, message) => this.#report(source, place, message));
    if (bucket) this.buckets.push(bucket);
  }

  #listOf(source: SeedSource, path: Path, value: Json): Json[] {
    if (Array.isArray(value)) return value;
    this.#report(source, path, 'expected a list.');
    return [];
  }

  #report(source: SeedSource, path: Path, message: string): void {
    if (this.problems.length >= mostProblems) return; // no more are shown
    this.problems.push({ message: `${source.placeOf(path)}: ${message}` });
  }
}

// An item of a dump has the id and the values that it had where it was read.
function splitOriginal(item: Json): { values: Json; original: Original } {
  if (!isObject(item)) return { values: item, original: {} };
  const { id, was, placeholder, ...values } = item;
  const original = {
    ...(isText(id) && { id }),
    ...(isObject(was) && { was }),
    ...(isText(placeholder) && { placeholder }),
  };
  return { values, original };
}

// A LAN is named by its number; a reference to one is a text of digits.
export const asDeclared = (property: Property | undefined, value: Json): Json =>
  property?.type === 'integer' && typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;

const isText = (value: Json | undefined): value is string => typeof value === 'string';
const article = (word: string): string => `${/^(?!user)[aeiou]/.test(word) ? 'an' : 'a'} ${word}`;

function take(values: Values, key: string): string | undefined {
  const value = values[key];
  if (value === undefined) return undefined;
  delete values[key];
  return String(value);
}

export function planOf(sources: readonly SeedSource[], sections: ReadonlyMap<string, Section>): SeedPlan {
  const planner = new Planner(sections);
  for (const source of sources) planner.add(source);
  const { items, buckets, omitted, problems } = planner;
  if (problems.length > 0) throw new Fault('refused', 'The seed has errors.', { problems });
  return { items, buckets, omitted };
}
