// A seed that is in no file. Messages name the resource instead of a line: server web of datacenter shop.
import { isObject, type Values } from '../../base/json.ts';
import { entitySection, nameProperty, type Section } from '../../surface/docs/seed-sections.ts';
import { propertyAt } from './references.ts';
import { type Path, SeedSource } from './seed-source.ts';

export const seedInMemory = (value: Values, sections: ReadonlyMap<string, Section>): SeedSource =>
  new SeedSource('', value, (path) => resourceAt(value, path, sections));

function resourceAt(value: Values, path: Path, sections: ReadonlyMap<string, Section>): string {
  const words: string[] = [];
  let section = sections.get(String(path[0]));
  for (const [at, key] of path.entries()) {
    if (at % 2 === 0) {
      if (at > 0 && section) section = sectionIn(section, String(key));
      continue;
    }
    const item = propertyAt(value, path.slice(0, at + 1).map(String));
    if (typeof key !== 'number' || !isObject(item)) break;
    const kind = section?.resource.name ?? String(path[at - 1]).replace(/s$/, '');
    words.unshift(`${kind} ${String(item[section ? nameProperty(section) : 'name'] ?? key + 1)}`);
  }
  return words.join(' of ');
}

// Collections in an item, and those that are created with it.
const sectionIn = (section: Section, plural: string): Section | undefined =>
  section.children.find(({ resource }) => resource.plural === plural) ?? entitySection(section, plural);
