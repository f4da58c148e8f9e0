// The JSON Schema of seed files, for editors, from the same declarations that make the API.
import { isObject, type Values } from '../../base/json.ts';
import type { Relation } from '../../core/resource.ts';
import { propertiesSchema } from './openapi.ts';
import { bucketDocuments } from './seed-buckets.ts';
import { entitySection, nameProperty, type Section, seededProperties } from './seed-sections.ts';

const reference: Values = {
  type: 'string',
  pattern: '\\$\\{[^{}]+\\}',
  description: 'Another item by its section and name, or a property of it; see docs/seeds.md',
};
const text: Values = { type: 'string' };

export function seedSchema(sections: ReadonlyMap<string, Section>): Values {
  const properties = Object.fromEntries(
    [...sections].map(([key, section]) => [key, listOf(itemSchema(section, section.parent))]),
  );
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A seed of Cumulet',
    description: 'The initial resources of a region. Items are identified by their names.',
    type: 'object',
    properties: {
      $schema: text,
      read: { type: 'object', description: 'When and where the parts of a dump were read, and what it lacks' },
      ...properties,
      buckets: listOf(bucketSchema),
    },
    additionalProperties: false,
  };
}

const listOf = (items: Values): Values => ({ type: 'array', items });

const placeholder: Values = {
  ...text,
  description: 'Why the item replaces another one, which a region can not have',
};
const original: Values = {
  id: { ...text, description: 'The ID where the item was dumped' },
  was: { type: 'object', description: 'Values that were chosen by the region where the item was dumped' },
  placeholder,
};

const member: Values = { ...text, description: 'A reference to a resource, or its ID' };
const shared: Values = {
  type: 'object',
  properties: { resource: member, editPrivilege: { type: 'boolean' }, sharePrivilege: { type: 'boolean' } },
  required: ['resource'],
  additionalProperties: false,
};
const relationSchema = ({ by }: Relation): Values => listOf(by === 'share' ? shared : member);

// `parent`: the item names its parent, because it is not listed below it.
function itemSchema(section: Section, parent?: Section): Values {
  const { resource, children, entities, isRegional } = section;
  const { properties, required = [] } = propertiesSchema(seededProperties(resource), 'create') as {
    properties: Values;
    required?: string[];
  };
  const name = nameProperty(section);
  const { property: state = '', acts = {} } = resource.seededState ?? {};
  const given = required.filter((one) => !resource.properties[one]?.writeOnly); // others are generated
  const needed = [...given, ...(name in properties ? [name] : []), ...(parent ? [parent.resource.name] : [])];
  return {
    type: 'object',
    properties: {
      ...eachReferable(properties),
      ...Object.fromEntries(entities.map((name) => [name, listOf(entitySchema(section, name))])),
      ...Object.fromEntries(children.map((child) => [child.resource.plural, listOf(itemSchema(child))])),
      ...Object.fromEntries((resource.relations ?? []).map((relation) => [relation.name, relationSchema(relation)])),
      ...(state !== '' && { [state]: { enum: [resource.properties[state]?.default ?? null, ...Object.keys(acts)] } }),
      ...original,
      ...(/^\d+$/.test(resource.ids.example) && {
        number: {
          type: 'integer',
          minimum: 1,
          description: 'The number of the new contract; the next free one by default',
        },
      }),
      ...(isRegional && { region: { ...text, description: 'The region of the item; the home region by default' } }),
      ...(parent && { [parent.resource.name]: { ...text, description: `The name of the ${parent.resource.name}` } }),
    },
    required: [...new Set(needed)],
    additionalProperties: false,
  };
}

// An item that the same request creates has properties only.
function entitySchema(section: Section, name: string): Values {
  const kind = entitySection(section, name);
  if (!kind) return { type: 'object' };
  const schema = propertiesSchema(kind.resource.properties, 'create');
  return { ...schema, properties: { ...eachReferable(schema.properties as Values), ...original } };
}

// A reference may stand for any value, also inside of lists and objects.
function referable(schema: Values): Values {
  const { items, properties, additionalProperties: others } = schema;
  const inner = {
    ...schema,
    ...(isObject(items) && { items: referable(items) }),
    ...(isObject(others) && { additionalProperties: referable(others) }),
    ...(isObject(properties) && { properties: eachReferable(properties) }),
  };
  return { anyOf: [inner, reference] };
}

const eachReferable = (properties: Values): Values =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, referable(schema as Values)]));

const bucketSchema: Values = {
  type: 'object',
  properties: {
    name: text,
    region: text,
    versioning: { type: 'boolean' },
    policy: { description: 'The policy of the bucket, as an object or as text' },
    ...Object.fromEntries(
      Object.keys(bucketDocuments).map((name) => [name, { ...text, description: "The document of S3's API, in XML" }]),
    ),
    placeholder,
    files: { ...text, description: 'A folder next to the seed, whose files become objects' },
    objects: listOf({
      type: 'object',
      properties: { key: text, content: text, contentType: text },
      required: ['key', 'content'],
      additionalProperties: false,
    }),
  },
  required: ['name'],
  additionalProperties: false,
};
