// The body of a request as it may be kept: what the declaration knows, without what is write-only or secret.
import { isObject, type Json, type Values } from '../base/json.ts';
import type { Model } from '../core/model.ts';
import type { Resource } from '../core/resource.ts';
import type { Properties, Way } from '../core/schema.ts';

export function redact(model: Model, resource: Resource, body: Json | undefined, way: Way): string {
  if (body === undefined) return '';
  if (way === 'change') return JSON.stringify(visible(resource.properties, body));
  return JSON.stringify(wrapped(model, resource, body));
}

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
