// Kinds of a resource type, such as Cubes among servers: the fields of each kind, and what a change of the kind does to
// the form value.
import type { FieldSchema } from '../model.ts';
import { type Json, propertiesOf, requiredOf, valueAt, withValue } from '../schema-form/form-value.ts';
import type { FormStart, Kind, NestedResource } from './form-start.ts';

type Fields<Value> = Readonly<Record<string, Value>>;

export function kindOf(start: FormStart | undefined, value: Json): Kind | undefined {
  const properties = (valueAt(value, ['properties']) ?? {}) as Fields<Json | undefined>;
  return start?.kinds?.find((one) => one.isOf(properties));
}

// The schema of the body with the properties of the kind.
export function schemaOfKind(start: FormStart | undefined, schema: FieldSchema, value: Json): FieldSchema {
  const own = propertiesOf(schema).find(([name]) => name === 'properties')?.[1];
  if (!start?.kinds || !own) return schema;
  const kind = kindOf(start, value);
  const properties = {
    ...own,
    properties: without(own.properties as Fields<FieldSchema>, lacking(start, kind)),
    required: [...requiredOf(own), ...(kind?.needs ?? [])],
  };
  return { ...schema, properties: { ...(schema.properties as Fields<FieldSchema>), properties } };
}

// Adapts the value after a change of the kind: drops properties that the new kind does not have, and restores the
// initial values of those that the old kind did not have.
export function fittedValue(start: FormStart, value: Json, before: Json): Json {
  const kind = kindOf(start, value);
  const last = kindOf(start, before);
  if (kind === last) return value;
  // Properties that only the old kind required are cleared: a template of Cubes is not valid for GPU servers.
  const now = without(valueAt(value, ['properties']) as Fields<Json>, last?.needs ?? []);
  const back = picked(start.properties, last?.without ?? []);
  let fitted = withValue(value, ['properties'], without({ ...back, ...now }, lacking(start, kind))) ?? {};
  for (const nested of start.nested)
    if (valueAt(fitted, ['entities', nested.in]) !== undefined)
      fitted = withValue(fitted, propertiesPlace(nested), fittedNested(nested, kind, last, fitted)) ?? {};
  return fitted;
}

function fittedNested(
  nested: NestedResource,
  kind: Kind | undefined,
  last: Kind | undefined,
  value: Json,
): Fields<Json> {
  const now = valueAt(value, propertiesPlace(nested)) as Fields<Json>;
  return ofKind({ ...now, ...picked(nested.properties, hiddenNames(nested, last)) }, nested, kind);
}

// The properties of a nested resource, adapted to the kind.
function ofKind(properties: Fields<Json>, nested: NestedResource, kind: Kind | undefined): Fields<Json> {
  const own = kind?.nested[nested.in];
  return own ? { ...without(properties, own.without), ...own.properties } : properties;
}

export const nestedStart = (nested: NestedResource, kind: Kind | undefined): Json => ({
  items: [{ properties: ofKind(nested.properties, nested, kind) }],
});

// Names nested resources after the main resource, which has its name only when the form is sent.
export function withNestedNames(start: FormStart | undefined, body: Json | undefined): Json | undefined {
  if (body === undefined) return undefined;
  const owner = valueAt(body, ['properties', 'name']);
  let named = body;
  for (const nested of start?.nested ?? []) {
    const place = propertiesPlace(nested);
    const isThere = valueAt(body, place) !== undefined;
    if (isThere && valueAt(body, [...place, 'name']) === undefined)
      named = withValue(named, [...place, 'name'], nested.nameFor(typeof owner === 'string' ? owner : '')) ?? {};
  }
  return named;
}

export const shownInNested = (nested: NestedResource, kind: Kind | undefined): readonly string[] =>
  nested.only.filter((name) => !hiddenNames(nested, kind).includes(name));

function hiddenNames(nested: NestedResource, kind: Kind | undefined): readonly string[] {
  const own = kind?.nested[nested.in];
  return own ? [...own.without, ...Object.keys(own.properties)] : [];
}

export const propertiesPlace = (nested: NestedResource): readonly string[] => [
  'entities',
  nested.in,
  'items',
  '0',
  'properties',
];

// Properties that this kind lacks, and those that only other kinds have.
const lacking = ({ kinds = [] }: FormStart, kind: Kind | undefined): readonly string[] => [
  ...(kind?.without ?? []),
  ...kinds.flatMap(({ needs }) => needs).filter((name) => !kind?.needs.includes(name)),
];

const without = <Value>(fields: Fields<Value>, names: readonly string[]): Fields<Value> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));

const picked = (fields: Fields<Json>, names: readonly string[]): Fields<Json> =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)));
