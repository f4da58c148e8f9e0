// Items of a dump keep the ids and the values that their source has chosen: addresses, slots, names that occur twice.
import type { Json, Values } from '../base/json.ts';
import type { Resource } from '../core/resource.ts';
import { check } from '../core/schema.ts';
import { entitySection } from '../surface/docs/seed-sections.ts';
import type { SeedItem } from './plan/seed-plan.ts';

// The body that creates an item with its original ids. `entities` are created with it.
export function bodyOfCopy({ section, original, number }: SeedItem, properties: Values, entities: Values): Values {
  const id = original.id ?? (number === undefined ? undefined : String(number));
  const inner = Object.entries(entities).map(([name, list]): [string, Json] => {
    const kind = entitySection(section, name)?.resource;
    const { items } = list as { items: { properties: Values }[] };
    return [
      name,
      { items: items.map((one, at) => copyOf(kind, original.entities?.[name]?.[at] ?? {}, one.properties)) },
    ];
  });
  return {
    ...copyOf(section.resource, { id, was: original.was }, properties),
    ...(inner.length > 0 && { entities: Object.fromEntries(inner) }),
  };
}

interface Kept {
  id?: string | undefined;
  was?: Values | undefined;
}

const copyOf = (resource: Resource | undefined, { id, was = {} }: Kept, properties: Values): Values => ({
  ...(id !== undefined && { id }),
  properties: { ...properties, ...(resource && keptValues(resource, was)) },
});

// Without those that a region can't have, such as the id of an image elsewhere.
export const keptValues = ({ properties }: Resource, was: Values): Values =>
  Object.fromEntries(
    Object.entries(was).filter(([name, value]) => {
      const property = properties[name];
      return (
        property && !property.late && check({ [name]: property }, { [name]: value }, 'copy', '').problems.length === 0
      );
    }),
  );
