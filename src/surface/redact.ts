// The body of a request as it may be kept: what the declaration knows, without what is write-only or secret.
import { isObject, type Json, type Values } from '../base/json.ts';
import type { Model } from '../core/model.ts';
import type { Resource } from '../core/resource.ts';
import type { Properties, Property, Way } from '../core/schema.ts';

export function redact(
  model: Model,
  resource: Resource,
  { text, body }: { text: string; body: Json | undefined },
  way: Way,
): string {
  if (body === undefined || !hasHidden(model, resource)) return text;
  if (!hides(resource.properties) && isObject(body) && body.entities === undefined) return text; // nor inside it
  if (way === 'change') return JSON.stringify(visible(resource.properties, body));
  return JSON.stringify(wrapped(model, resource, body));
}

// The body is kept unchanged if neither the resource nor its children have a hidden property.
function hasHidden(model: Model, resource: Resource): boolean {
  const known = hiding.get(resource);
  if (known !== undefined) return known;
  const found = hides(resource.properties) || partsOf(model, resource).some(({ of }) => hasHidden(model, of));
  hiding.set(resource, found);
  return found;
}

// What its creation may create with it.
const partsOf = (model: Model, resource: Resource): { name: string; of: Resource }[] => [
  ...model.children(resource).map((of) => ({ name: of.plural, of })),
  ...resource.entities
    .filter(({ composite }) => composite)
    .map(({ name, of }) => ({ name, of: of((kind) => model.get(kind)) })),
];

const hiding = new WeakMap<Resource, boolean>();
const ownHiding = new WeakMap<Properties, boolean>();

function hides(properties: Properties): boolean {
  let known = ownHiding.get(properties);
  if (known === undefined) {
    known = Object.values(properties).some((one) => isHidden(one) || hides(insideOf(one) ?? none));
    ownHiding.set(properties, known);
  }
  return known;
}

const isHidden = ({ writeOnly, inRequests, secret }: Property): boolean =>
  (writeOnly && !inRequests) || secret === true;

const none: Properties = {};
const insideOf = ({ properties, items }: Property): Properties | undefined => properties ?? items?.properties;

function wrapped(model: Model, resource: Resource, body: Json): Values {
  if (!isObject(body)) return {};
  const kept: Values = { properties: visible(resource.properties, body.properties ?? {}) };
  const { entities } = body;
  if (!isObject(entities)) return kept;
  const inside: Values = {};
  for (const { name, of } of partsOf(model, resource)) {
    const collection = entities[name];
    const items = isObject(collection) ? collection.items : undefined;
    if (Array.isArray(items)) inside[name] = { items: items.map((item) => wrapped(model, of, item)) };
  }
  return { ...kept, entities: inside };
}

function visible(properties: Properties, sent: Json): Values {
  const kept: Values = {};
  if (!isObject(sent)) return kept;
  for (const { name, inner } of shownOf(properties)) {
    if (!Object.hasOwn(sent, name)) continue;
    const value = sent[name] as Json;
    kept[name] = inner ? visibleIn(inner, value) : value;
  }
  return kept;
}

const visibleIn = (inner: Properties, value: Json): Json =>
  Array.isArray(value) ? value.map((item) => visible(inner, item)) : visible(inner, value);

interface VisibleProperty {
  name: string;
  inner: Properties | undefined;
}

const visibleProperties = new WeakMap<Properties, readonly VisibleProperty[]>();

function shownOf(properties: Properties): readonly VisibleProperty[] {
  const known = visibleProperties.get(properties);
  if (known) return known;
  const shown = Object.entries(properties)
    .filter(([, property]) => !isHidden(property))
    .map(([name, property]): VisibleProperty => ({ name, inner: insideOf(property) }));
  visibleProperties.set(properties, shown);
  return shown;
}
