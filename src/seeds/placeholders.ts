// Resources that a region can't have as they are on the source, so that others replace them.
import { entitySection } from '../surface/docs/seed-sections.ts';
import type { SeedItem } from './plan/seed-plan.ts';

export interface Placeholder {
  what: string; // volume data of server web
  reason: string;
}

const mostNames = 5; // of one reason, on the screen

export const wordsOf = ({ section, name, parent }: Pick<SeedItem, 'section' | 'name' | 'parent'>): string => {
  const own = `${section.resource.name} ${name}`;
  if (!parent) return own;
  const above = 'section' in parent ? wordsOf(parent) : `${section.parent?.resource.name} ${parent.name}`;
  return `${own} of ${above}`;
};

// The item itself, and what is created with it.
export function placeholdersOf(item: SeedItem): Placeholder[] {
  const { original, entities, section } = item;
  const own = original.placeholder === undefined ? [] : [{ what: wordsOf(item), reason: original.placeholder }];
  const inner = Object.entries(original.entities ?? {}).flatMap(([kind, list]) => {
    const { resource } = entitySection(section, kind) ?? section;
    const { items } = entities[kind] as { items: { properties: { name?: string } }[] };
    return list.flatMap(({ placeholder: reason }, at) => {
      const what = `${resource.name} ${items[at]?.properties.name ?? at + 1} of ${wordsOf(item)}`;
      return reason === undefined ? [] : [{ what, reason }];
    });
  });
  return [...own, ...inner];
}

// One line for each reason.
export function placeholderLines(placeholders: readonly Placeholder[]): string[] {
  return [...Map.groupBy(placeholders, ({ reason }) => reason)].map(([reason, all]) => {
    const shown = all.slice(0, mostNames).map(({ what }) => what);
    const more = all.length > shown.length ? ` and ${all.length - shown.length} more` : '';
    return `${reason}: ${shown.join(', ')}${more}`;
  });
}
