// The body of a request as it may be kept: what the declaration knows, without what is write-only or secret.
import { isObject, type Json, type Values } from '../base/json.ts';
import type { Model } from '../core/model.ts';
import type { Resource } from '../core/resource.ts';
import type { Properties, Way } from '../core/schema.ts';

export function redact(
  model: Model,
  resource: Resource,
  { text, body }: { text: string; body: Json | undefined },
  way: Way,
): string {
  if (body === undefined || !hasHidden(model, resource)) return text;
  if (way === 'change') return JSON.stringify(visible(resource.properties, body));
  return JSON.stringify(wrapped(model, resource, body));
}

// Where nothing in it or inside it is ever to be hidden, the body is kept as it came.
function hasHidden(model: Model, resource: Resource): boolean {
  const known = hiding.get(resource);
  if (known !== undefined) return known;
  const found = hides(resource.properties) || model.children(resource).some((child) => hasHidden(model, child));
  hiding.set(resource, found);
  return found;
}

const hiding = new WeakMap<Resource, boolean>();
const hides = (properties: Properties): boolean =>
  Object.values(properties).some((one) => one.writeOnly || one.secret || (one.properties && hides(one.properties)));

function wrapped(model: Model, resource: Resource, body: Json): Values {
  if (!isObject(body)) return {};
  const kept: Values = { properties: visible(resource.properties, body.properties ?? {}) };
  const { entities } = body;
  if (!isObject(entities)) return kept;
  const inside: Values = {};
  for (const child of model.children(resource)) {
    const collection = entities[child.plural];
    const items = isObject(collection) ? collection.items : undefined;
    if (Array.isArray(items)) inside[child.plural] = { items: items.map((item) => wrapped(model, child, item)) };
  }
  return { ...kept, entities: inside };
}

function visible(properties: Properties, sent: Json): Values {
  const kept: Values = {};
  if (!isObject(sent)) return kept;
  for (const [name, property] of Object.entries(properties)) {
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (value === undefined || property.writeOnly || property.secret) continue;
    kept[name] = property.properties ? visible(property.properties, value) : value;
  }
  return kept;
}
