// Finds the errors of a seed before anything is created: values, references, parents, regions, folders and duplicate
// items. Errors that only the API finds (quotas, taken addresses) are reported at the creation, and everything created
// before is removed again.
import { Fault, mostProblems, type Problem } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { suggestion } from '../../command/suggestion.ts';
import { check, type Properties } from '../../core/schema.ts';
import { entitySection, type Section, seededProperties } from '../../surface/docs/seed-sections.ts';
import type { ExistingResources } from '../existing-resources.ts';
import { isGenerated } from '../generated-passwords.ts';
import { demandFolder } from '../seed-buckets.ts';
import { placed } from '../seed-problems.ts';
import { PlannedItems, shownReference } from './planned-items.ts';
import { propertyAt, type Reference, referencesIn, unescaped } from './references.ts';
import type { SeedItem, SeedPlan } from './seed-plan.ts';
import type { Path } from './seed-source.ts';

export interface Surroundings {
  existing: ExistingResources;
  sections: ReadonlyMap<string, Section>;
  regions: { all: readonly string[]; home: string };
}

export async function checkSeed(plan: SeedPlan, around: Surroundings): Promise<void> {
  const checker = new SeedChecker(plan, around);
  await checker.check();
  const { problems } = checker;
  if (problems.length > 0) throw new Fault('refused', problems[0]?.message ?? '', { problems });
}

class SeedChecker {
  readonly problems: Problem[] = [];
  readonly #plan: SeedPlan;
  readonly #planned: PlannedItems;
  readonly #around: Surroundings;
  readonly #needs = new Map<SeedItem, SeedItem[]>(); // the items to create before it

  constructor(plan: SeedPlan, around: Surroundings) {
    this.#plan = plan;
    this.#planned = new PlannedItems(plan.items);
    this.#around = around;
  }

  async check(): Promise<void> {
    const { items, buckets } = this.#plan;
    this.#checkTwice();
    for (const item of items) {
      this.#checkRegion(item);
      this.#checkValues(item);
      await this.#checkParent(item);
      for (const { reference, at } of [...referencesIn(item.properties, []), ...entityReferences(item)])
        await this.#checkReference(item, reference, at, item.section.resource.properties[String(at[0])]?.late);
      for (const { reference, at } of referencesIn(item.relations as Values, []))
        await this.#checkReference(item, reference, at, true);
    }
    for (const item of items) if (this.#leadsTo(item, item)) this.#report(item, [], 'it refers to itself.');
    for (const bucket of buckets) {
      try {
        demandFolder(bucket);
      } catch (error) {
        this.problems.push(...(error as Fault).problems);
      }
    }
  }

  #checkTwice(): void {
    const { items } = this.#plan;
    const first = new Map<string, SeedItem>();
    for (const item of items) {
      const place = this.#planned.placeOf(item, this.#around.regions.home);
      const other = first.get(place);
      if (!other) first.set(place, item);
      else {
        const { resource } = item.section;
        const where = other.source.placeOf(other.path);
        this.#report(item, [], `the ${resource.name} ${item.name} is twice in the seed: here and at ${where}.`);
      }
    }
  }

  #checkRegion(item: SeedItem): void {
    const { all } = this.#around.regions;
    if (item.region === undefined || all.includes(item.region)) return;
    this.#report(item, ['region'], `unknown region ${item.region}.${suggestion(item.region, all)}`);
  }

  #checkValues(item: SeedItem): void {
    const { section, properties, entities } = item;
    const declared = Object.entries(seededProperties(section.resource)).filter(
      ([name]) => name in properties || !isGenerated(item, name),
    );
    for (const { message } of valueProblems(Object.fromEntries(declared), properties))
      this.problems.push(placed(item, message));
    for (const [name, list] of Object.entries(entities)) {
      const kind = entitySection(section, name);
      if (!kind) continue;
      for (const [index, one] of (list as { items: { properties: Values }[] }).items.entries())
        for (const { message } of valueProblems(kind.resource.properties, one.properties))
          this.problems.push(placed({ ...item, path: [...item.path, name, index] }, message));
    }
  }

  async #checkParent(item: SeedItem): Promise<void> {
    if (!item.parent) return;
    const planned = this.#planned.parentOf(item);
    if (planned) this.#need(item, planned);
    else if (!(await this.#around.existing.find(item.section.parent as Section, item.parent.name, item.region))) {
      const { name } = (item.section.parent as Section).resource;
      this.#report(item, [name], `the ${name} ${item.parent.name} is neither in the seed nor in the region.`);
    }
  }

  async #checkReference(item: SeedItem, reference: Reference, at: Path, isLate = false): Promise<void> {
    const { section: key, name, rest } = reference;
    const shown = shownReference(reference);
    const [planned, ...more] = this.#planned.referred(item, reference);
    if (more.length > 0) {
      const places = [planned as SeedItem, ...more].map(({ source, path }) => source.placeOf(path)).join(' and ');
      this.#report(item, at, `${shown} is ambiguous: it matches those at ${places}.`);
    } else if (planned) {
      const inner = this.#planned.inner(planned, rest);
      if (!isLate) this.#need(item, inner.item);
      const [word = 'id'] = inner.rest;
      const { properties } = inner.item.section.resource;
      const mayExist = isInner(inner.item.section, inner.rest);
      if (word !== 'id' && !mayExist && !Object.hasOwn(properties, word))
        this.#report(item, at, `${shown} has no ${rest.join('.')}.`);
    } else {
      const section = this.#around.sections.get(key);
      const known = [...this.#around.sections.keys()];
      const there = section && (await this.#around.existing.find(section, name));
      const hint = section ? '' : suggestion(key, known);
      if (!section || !there) this.#report(item, at, `${shown} is neither in the seed nor in the region.${hint}`);
      else if (
        rest.length > 0 &&
        rest[0] !== 'id' &&
        !isInner(section, rest) &&
        propertyAt(there.properties ?? {}, rest) === undefined
      )
        this.#report(item, at, `${shown} has no ${rest.join('.')}.`);
    }
  }

  #need(item: SeedItem, other: SeedItem): void {
    this.#needs.set(item, [...(this.#needs.get(item) ?? []), other]);
  }

  #leadsTo(from: SeedItem, to: SeedItem, seen = new Set<SeedItem>()): boolean {
    if (seen.has(from)) return false;
    seen.add(from);
    return (this.#needs.get(from) ?? []).some((one) => one === to || this.#leadsTo(one, to, seen));
  }

  #report({ source, path }: SeedItem, below: Path, message: string): void {
    if (this.problems.length >= mostProblems) return; // no more are shown
    this.problems.push({ message: `${source.placeOf([...path, ...below])}: ${message}` });
  }
}

// A resource in another one is only looked for when the seed is applied.
const isInner = ({ children, entities }: Section, [word = '']: readonly string[]): boolean =>
  entities.includes(word) || children.some(({ resource }) => resource.plural === word);

// Values with references are only known when those are created.
function valueProblems(declared: Properties, values: Values): Problem[] {
  const isOpen = (name: string): boolean => referencesIn(values[name], []).length > 0;
  const closed = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => !isOpen(name)));
  return check(closed(declared), unescaped(closed(values)) as Values, 'create', '(root).properties').problems;
}

// The seed has them without the envelope that the API requires.
const entityReferences = ({ entities }: SeedItem): ReturnType<typeof referencesIn> =>
  Object.entries(entities).flatMap(([name, list]) =>
    (list as { items: { properties: Values }[] }).items.flatMap(({ properties }, index) =>
      referencesIn(properties, [name, index]),
    ),
  );
