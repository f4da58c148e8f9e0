// The properties of an item that a dump has, and those that comparisons leave out.
import { isObject, type Json, type Values } from '../../base/json.ts';
import { check, type Property } from '../../core/schema.ts';
import { type Section, seededProperties } from '../../surface/docs/seed-sections.ts';

export function settable({ resource }: Section, values: Values): Values {
  const properties = seededProperties(resource);
  const isKept = ([name, value]: [string, Json]): boolean => {
    const property: Property | undefined = properties[name];
    if (!property || isEmpty(value)) return false;
    if (isObject(value) && 'href' in value) return false;
    if (property.serverFilled || property.derived || value === property.default) return false;
    if (property.writeOnly && !property.inRequests) return false;
    // Some are shown in a form that clients may not send, such as addresses that the region has assigned.
    return check({ [name]: property }, { [name]: value }, 'create', '').problems.length === 0;
  };
  // Others with a link, such as the boot volume, are chosen by the region.
  const unlinked = Object.entries(values).map(([name, value]): [string, Json] => {
    const isLink = resource.properties[name]?.required && isObject(value) && 'href' in value && 'id' in value;
    return [name, isLink ? { id: value.id ?? '' } : value];
  });
  return Object.fromEntries(unlinked.filter(isKept));
}

// The state of a copy, such as that of a server that is switched off.
export function stateIn({ resource }: Section, read: Values): { values: Values; placeholder?: string } {
  const { seededState } = resource;
  const state = read[seededState?.property ?? ''];
  if (!seededState || typeof state !== 'string') return { values: {} };
  const { property, acts, nearest } = seededState;
  const own = nearest(read);
  return {
    values: Object.hasOwn(acts, own) ? { [property]: own } : {},
    ...(own !== state && { placeholder: `The ${resource.name} is ${own}, because it can't be created as ${state}` }),
  };
}

// Values that only the source could choose: addresses, device numbers, ids.
export function chosenValues({ resource }: Section, values: Values, item: Values): Values {
  const properties = seededProperties(resource);
  const isChosen = ([name, value]: [string, Json]): boolean => {
    const property = properties[name];
    if (!property || isEmpty(value) || property.derived || property.writeOnly || property.secret) return false;
    if (value === property.default || (isObject(value) && 'href' in value)) return false;
    return property.serverFilled === true || JSON.stringify(item[name]) !== JSON.stringify(value);
  };
  return Object.fromEntries(Object.entries(values).filter(isChosen));
}

export function incomparable({ resource }: Section, values: Values, item: Values): string[] {
  const isOpen = ([name, { omitNull, default: usual }]: [string, Property]): boolean => {
    const value = values[name];
    if (value === undefined) return omitNull !== true;
    return !(isEmpty(value) || value === usual || name in item || (name === 'image' && 'imageAlias' in item));
  };
  return Object.entries(resource.properties)
    .filter(isOpen)
    .map(([name]) => name);
}

const isEmpty = (value: Json | undefined): boolean =>
  value === null || value === undefined || (Array.isArray(value) && value.length === 0);
