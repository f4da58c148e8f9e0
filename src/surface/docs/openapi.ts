// The schemas of bodies and answers, from the same declarations that validate requests and make the routes.
// Schemas of requests are closed: unknown properties are refused. Schemas of answers are open, and require what is
// always there.
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { Resource } from '../../core/resource.ts';
import type { Properties, Property, Way } from '../../core/schema.ts';
import type { MediaTypes, Parameter } from '../http/exchange.ts';

export function bodySchema(resource: Resource, way: Way): Values {
  const properties = propertiesSchema(resource.properties, way);
  if (way === 'change') return properties;
  const required = Array.isArray(properties.required) ? ['properties'] : [];
  const entities = {
    type: ['object', 'null'],
    description: 'The resources to create inside it, as `{ <collection>: { items: […] } }`',
  };
  const inside = resource.verbs.includes('create') ? { entities } : {};
  return { type: 'object', properties: { properties, ...inside }, ...(required.length && { required }) };
}

export const resourceSchema = (resource: Resource): Values =>
  shownAs(resource.shown.typeIsKind ? undefined : resource.shown.type, {
    ...(resource.shown.metadata !== 'none' && {
      metadata: metadataSchema(resource.shown.metadata === 'full', resource.noted?.schema),
    }),
    properties: propertiesSchema(resource.properties, 'read'),
    entities: { type: 'object', description: 'The resources in it, by collection; a greater depth inlines them' },
  });

export const metadataSchema = (hasState: boolean, noted: Values = {}): Values => ({
  type: 'object',
  required: ['etag', ...(hasState ? ['state'] : [])],
  properties: {
    etag: { type: 'string', description: 'Changes with each change of the resource' },
    createdDate: timeSchema,
    createdBy: { type: 'string' },
    createdByUserId: { type: 'string' },
    lastModifiedDate: timeSchema,
    lastModifiedBy: { type: 'string' },
    lastModifiedByUserId: { type: 'string' },
    ...(hasState && { state: { enum: ['AVAILABLE', 'BUSY'], description: 'BUSY while a request is pending' } }),
    ...noted,
  },
});

export const collectionSchema = (resource: Resource): Values =>
  collectionOf(resourceSchema(resource), resource.shown.paged);

// For answers without a declaration: required properties, and optional ones.
export const always = (properties: Values, sometimes: Values = {}): Values => ({
  type: 'object',
  required: Object.keys(properties),
  properties: { ...properties, ...sometimes },
});

export const textSchema: Values = { type: 'string' };
export const wholeSchema: Values = { type: 'integer' };
export const timeSchema: Values = { type: 'string', format: 'date-time' };

// A resource of the core dialect; below the asked depth only the first three properties are there.
export const shownAs = (type: string | undefined, sometimes: Values): Values =>
  always({ id: textSchema, type: type === undefined ? textSchema : { const: type }, href: textSchema }, sometimes);

// A path parameter other than an id, with an example to try.
export const pathParameter = (name: string, description: string, example: string): Parameter => ({
  name,
  in: 'path',
  description,
  schema: { type: 'string', minLength: 1, examples: [example] },
  required: true,
});

export const formType = 'application/x-www-form-urlencoded';
export const binarySchema: Values = { type: 'string', format: 'binary' };

// The parameters of the query, as a form.
export const formOf = (parameters: readonly Parameter[]): MediaTypes => ({
  [formType]: {
    type: 'object',
    properties: Object.fromEntries(
      parameters.map(({ name, description, schema }) => [name, { ...(isObject(schema) && schema), description }]),
    ),
  },
});

// A collection in the core dialect. Only paged ones always have offset, limit and links.
export const collectionOf = (item: Values, isPaged: boolean): Values =>
  always(
    { id: textSchema, type: { const: 'collection' }, href: textSchema, items: { type: 'array', items: item } },
    isPaged ? { offset: wholeSchema, limit: wholeSchema, _links: linksSchema } : {},
  );

const linksSchema: Values = {
  type: 'object',
  description: 'The addresses of the pages',
  properties: { prev: textSchema, self: textSchema, next: textSchema },
};

export function propertiesSchema(properties: Properties, way: Way | 'read'): Values {
  const shown: Values = {};
  const required: string[] = [];
  for (const [name, property] of Object.entries(properties)) {
    if (isReadOnly(property) && way !== 'read' && way !== 'replace') continue;
    shown[name] = schemaOf(property, way);
    if (property.required && way === 'create') required.push(name);
  }
  return {
    type: 'object',
    properties: shown,
    ...(required.length && { required }),
    ...(way !== 'read' && { additionalProperties: false }),
  };
}

const isReadOnly = ({ serverFilled, derived, settable }: Property): boolean =>
  serverFilled === true || (derived === true && !settable);

function schemaOf(property: Property, way: Way | 'read'): Values {
  if (property.writeOnly && way === 'read') return { type: 'null', description: 'Never shown' };
  const nullable = !property.required || way === 'read';
  if (property.among) return amongSchema(property, property.among, nullable, way);
  const words = typeof property.oneOf === 'function' ? property.oneOf() : property.oneOf;
  const bounds: Values = {};
  const [low, high] = {
    string: ['minLength', 'maxLength'],
    array: ['minItems', 'maxItems'],
    object: ['minProperties', 'maxProperties'],
  }[property.type as string] ?? ['minimum', 'maximum'];
  if (property.min !== undefined && low) bounds[low] = property.min;
  if (property.max !== undefined && high) bounds[high] = property.max;
  return {
    type: nullable ? [property.type, 'null'] : property.type,
    ...wordsOf(property, way),
    ...(words && !property.anyCase && { enum: nullable ? [...words, null] : [...words] }),
    ...(words || way === 'read' ? {} : bounds), // values that are kept were within the bounds when they came
    ...(property.step !== undefined && { multipleOf: property.step }),
    ...(property.pattern && { pattern: property.pattern.source }),
    ...(way !== 'read' && formMarks(property, way)),
    ...((isReadOnly(property) || property.ignored) && { readOnly: true }),
    ...(property.writeOnly && { writeOnly: true }),
    ...(property.default !== undefined && { default: property.default }),
    ...(property.example !== undefined && isSettable(property, way) && { examples: [property.example] }),
    ...(property.items && {
      [property.type === 'object' ? 'additionalProperties' : 'items']: schemaOf(
        { ...property.items, required: true },
        way,
      ),
    }),
    ...(property.properties && propertiesInside(property.properties, way)),
  };
}

// What only forms need to know.
function formMarks({ pattern, says, needed }: Property, way: Way): Values {
  const isNeeded = needed === true ? way === 'create' : needed !== undefined;
  return {
    ...(pattern && says && { 'x-says': says }),
    ...(isNeeded && { 'x-needed': needed as Json }),
  };
}

// What people read of it, and whether a form asks for it (`x-asked`) or folds it (`x-rare`).
function wordsOf({ title, unit, description, deprecated, inForms, rare }: Property, way: Way | 'read'): Values {
  const descriptionText = [unit, description].filter((one) => one !== undefined).join('; ');
  return {
    ...(title && { title }),
    ...(descriptionText && { description: descriptionText }),
    ...(unit && { 'x-unit': unit }),
    ...(deprecated && { deprecated }),
    ...(inForms && !isInForm(inForms, way) && { 'x-asked': false }),
    ...(rare && way !== 'read' && { 'x-rare': true }),
  };
}

const isInForm = (inForms: Property['inForms'], way: Way | 'read'): boolean =>
  inForms === (way === 'replace' ? 'change' : way) || (way === 'read' && inForms !== 'never');

function amongSchema(property: Property, among: readonly number[], nullable: boolean, way: Way | 'read'): Values {
  const values = [...among, ...Object.keys(property.words ?? {})];
  return {
    enum: nullable ? [...values, null] : values,
    ...wordsOf(property, way),
    ...(property.example !== undefined && { examples: [property.example] }),
  };
}

// Examples are sent as they are: immutable properties have none in the body of a change, and passwords have none.
const isSettable = (property: Property, way: Way | 'read'): boolean =>
  way === 'read' || way === 'create' || !(property.immutable || property.writeOnly || isReadOnly(property));

function propertiesInside(properties: Properties, way: Way | 'read'): Values {
  const { type: _, ...rest } = propertiesSchema(properties, way === 'read' ? 'read' : 'create');
  return rest;
}
