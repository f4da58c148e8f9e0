// Converts a resource to the value of its form, and the form value to the request body.
import type { FieldSchema, Item, OperationModel } from '../model.ts';
import {
  initialValue,
  type Json,
  mayBeEmpty,
  propertiesOf,
  shapeProblem,
  valueAt,
  withValue,
} from '../schema-form/form-value.ts';

export const schemaFor = ({ body }: OperationModel): FieldSchema => body ?? { type: 'object', properties: {} };

// Most bodies have a `properties` object. PATCH bodies of some dialects are the properties themselves.
export const isWrapped = (schema: FieldSchema): boolean => propertiesOf(schema).some(([name]) => name === 'properties');

const ownSchema = (schema: FieldSchema): FieldSchema =>
  isWrapped(schema) ? (propertiesOf(schema).find(([name]) => name === 'properties')?.[1] ?? {}) : schema;

export function firstValue(schema: FieldSchema, item: Item | undefined): Json {
  const own = ownSchema(schema);
  const mayBeChosen = isWrapped(schema) && propertiesOf(schema).some(([name]) => name === 'id');
  const values = item ? settable(own, item.properties as Record<string, Json>) : mayBeChosen ? {} : initialValue(own);
  return isWrapped(schema) ? { properties: values } : values;
}

// Parses the body from JSON. Throws if the form can't hold the value.
export function bodyFrom(text: string, schema: FieldSchema, item: Item | undefined): Json {
  const value = JSON.parse(text) as Json;
  if (value === null) throw new Error('Body: an object is expected.');
  const problem = shapeProblem(schema, value);
  if (problem !== undefined) throw new Error(problem);
  const { properties } = value as Record<string, Json | undefined>;
  if (isWrapped(schema) && properties == null && (item !== undefined || !isChosen(value)))
    throw new Error('properties: an object is expected.');
  return value;
}

// The current values of all writable properties.
function settable(schema: FieldSchema, values: Readonly<Record<string, Json>>): Record<string, Json> {
  return Object.fromEntries(
    propertiesOf(schema)
      .filter(([, one]) => one.readOnly !== true && one.writeOnly !== true)
      .flatMap(([name, one]): [string, Json][] => {
        const value = values[name];
        return value === undefined || value === null ? [] : [[name, withoutHiddenFields(one, value)]];
      }),
  );
}

// Removes nested fields that the form does not show, such as a second spelling of a field: an old value would
// contradict the edited one.
function withoutHiddenFields(schema: FieldSchema, value: Json): Json {
  if (Array.isArray(value))
    return value.map((one: Json) => withoutHiddenFields((schema.items ?? {}) as FieldSchema, one));
  if (typeof value !== 'object' || value === null) return value;
  const inside = new Map(propertiesOf(schema));
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => inside.get(name)?.['x-asked'] !== false)
      .map(([name, one]) => [name, one === undefined ? one : withoutHiddenFields(inside.get(name) ?? {}, one)]),
  );
}

// The request body. A PATCH contains only changed properties, and null for those that were cleared.
export function bodyOf({ method, body }: OperationModel, value: Json, item: Item | undefined): Json | undefined {
  if (body === undefined) return undefined;
  const schema = schemaFor({ body } as OperationModel);
  if (!item && isChosen(value)) return { id: (value as Record<string, Json>).id };
  if (!item || method !== 'PATCH') return withEmptyTexts(schema, value, item);
  const now = (isWrapped(schema) ? (value as Record<string, Json>).properties : value) as Record<string, Json>;
  const before = settable(ownSchema(schema), item.properties as Record<string, Json>);
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  const changed = Object.fromEntries(
    names
      .filter((name) => JSON.stringify(now[name]) !== JSON.stringify(before[name]))
      .map((name) => [name, now[name] ?? null]),
  );
  return isWrapped(schema) ? { properties: changed } : changed;
}

// Adds empty strings for texts that are empty, where the API accepts an empty string as a value.
function withEmptyTexts(schema: FieldSchema, value: Json, item: Item | undefined): Json {
  const own = ownSchema(schema);
  const required = (own.required ?? []) as readonly string[];
  const place = isWrapped(schema) ? ['properties'] : [];
  const left = propertiesOf(own)
    .filter(([name, one]) => mayBeEmpty(one) && (item ? Boolean(item.properties[name]) : required.includes(name)))
    .map(([name]) => [...place, name])
    .filter((one) => valueAt(value, one) === undefined);
  return left.reduce<Json>((whole, one) => withValue(whole, one, '') ?? {}, value);
}

// True if an existing resource was selected instead of properties for a new one.
function isChosen(value: Json): boolean {
  const { id, properties } = value as Record<string, Json | undefined>;
  return typeof id === 'string' && Object.keys((properties ?? {}) as object).length === 0;
}
