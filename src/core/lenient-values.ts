// The core API accepts numbers that come as texts ("lan": "1") and listed words in another case ("static"): Ansible and
// other clients send them. Everything else is left for the check to refuse.
import { isObject, type Json } from '../base/json.ts';
import type { Properties, Property } from './schema.ts';

// The values as the check expects them. What needs no change is returned as it was sent.
export function lenient(properties: Properties, sent: Json): Json {
  if (!isObject(sent)) return sent;
  let result = sent;
  for (const [name, value] of Object.entries(sent)) {
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const meant = property ? meantBy(property, value) : value;
    if (meant === value) continue;
    if (result === sent) result = { ...sent };
    result[name] = meant;
  }
  return result;
}

function meantBy(property: Property, value: Json): Json {
  if (typeof value === 'string') return meantByText(property, value);
  if (Array.isArray(value)) {
    const { items } = property;
    const meant = items ? value.map((item) => meantBy(items, item)) : value;
    return meant.some((item, at) => item !== value[at]) ? meant : value;
  }
  return property.properties ? lenient(property.properties, value) : value;
}

const decimal = /^-?\d{1,15}(\.\d{1,15})?$/;

function meantByText({ type, oneOf, words }: Property, value: string): Json {
  if (type === 'integer' || type === 'number') return words || !decimal.test(value) ? value : Number(value);
  if (!oneOf) return value;
  const listed = typeof oneOf === 'function' ? oneOf() : oneOf;
  return listed.includes(value) ? value : (listed.find((word) => word.toLowerCase() === value.toLowerCase()) ?? value);
}
