// Schemas from simple to nested, for tests of grammars and of models: 200 in all.
import type { JsonSchema } from '../../engine.ts';

export interface Sample {
  name: string;
  schema: JsonSchema;
}

const object = (properties: JsonSchema, required = Object.keys(properties), more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
  ...more,
});
const text = { type: 'string', maxLength: 24 };
const integer = { type: 'integer' };

const scalars: JsonSchema[] = [
  { type: 'string' },
  { type: 'string', minLength: 1 },
  { type: 'string', maxLength: 5 },
  { type: 'string', minLength: 3, maxLength: 8 },
  { type: 'string', minLength: 4, maxLength: 4 },
  { type: 'boolean' },
  { type: 'null' },
  { type: 'integer' },
  { type: 'number' },
  { type: ['string', 'null'] },
  { type: ['integer', 'boolean'] },
  { type: ['string', 'number', 'null'] },
  { type: 'string', nullable: true, maxLength: 9 },
  { enum: ['red', 'green', 'blue'] },
  { enum: [1, 2, 3] },
  { enum: ['a', 1, true, null] },
  { type: 'string', enum: ['quote " here', 'back\\slash', 'über', '日本'] },
  { type: 'integer', enum: [10, 20, 'x'] },
  { const: 'fixed' },
  { const: 42 },
  { const: { a: [1, 2] } },
  { const: null },
  {},
];

const ranges: JsonSchema[] = [
  { minimum: 0, maximum: 5 },
  { minimum: 1 },
  { maximum: -1 },
  { minimum: -5, maximum: 5 },
  { minimum: 18, maximum: 120 },
  { exclusiveMinimum: 0, exclusiveMaximum: 10 },
  { minimum: 1000, maximum: 1999 },
  { minimum: -273, maximum: -100 },
  { minimum: 7, maximum: 7 },
  { minimum: 99, maximum: 101 },
  { minimum: -9007199254740991, maximum: 9007199254740991 },
  { minimum: 0, maximum: 100, multipleOf: 5 },
  { minimum: 1, maximum: 1000, multipleOf: 250 },
  { minimum: 1700000000, maximum: 1800000000 },
];
const numbers: JsonSchema[] = [
  ...ranges.map((range) => ({ type: 'integer', ...range })),
  ...ranges.map((range) => ({ type: 'number', ...range })),
  { type: 'number', minimum: 0.5, maximum: 9.75 },
  { type: 'number', exclusiveMinimum: 0, maximum: 1 },
  { type: 'number', minimum: -1.5, maximum: 1.5 },
  { type: 'number', minimum: -0.25, exclusiveMaximum: 0 },
  { type: 'number', minimum: 0, maximum: 2, multipleOf: 0.5 },
  { minimum: 3, maximum: 4 },
];

const patterns: JsonSchema[] = [
  '^[A-Z]{3}$',
  '^[a-z]+$',
  '^\\d{5}$',
  '^\\d{3}-\\d{4}$',
  '^(mon|tue|wed)$',
  '^#[0-9a-fA-F]{6}$',
  '^v\\d+\\.\\d+\\.\\d+$',
  '^[^@\\s]+@[^@\\s]+$',
  '^a?b+c*$',
  '^(?:ab){2,3}$',
  'foo',
  '^\\+49\\d{6,10}$',
  '^[A-Za-z_]\\w{0,15}$',
  '^"quoted"$',
  '^[\\\\/]$',
  '^.{2,6}$',
  '^(?<year>\\d{4})-(0[1-9]|1[0-2])$',
  '^\\p{Lu}\\p{L}{1,9}$',
  '^[^a-z]{3}$',
  '^\\u0041\\x42[C-E]$',
].map((pattern) => ({ type: 'string', pattern }));

const formats: JsonSchema[] = [
  ...['date', 'time', 'date-time', 'duration', 'email', 'hostname', 'uri', 'uuid', 'ipv4', 'ipv6'].map((format) => ({
    type: 'string',
    format,
  })),
  { type: 'string', pattern: '^[a-z]+$', minLength: 5, maxLength: 7 },
  { type: 'string', pattern: '^id-\\d+$', maxLength: 8 },
  {
    type: 'string',
    format: 'email',
    pattern: "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
  },
];

const arrays: JsonSchema[] = [
  { type: 'array', items: integer },
  { type: 'array', items: text, minItems: 1 },
  { type: 'array', items: text, maxItems: 2 },
  { type: 'array', items: integer, minItems: 3, maxItems: 3 },
  { type: 'array', items: { enum: ['a', 'b'] }, minItems: 2, maxItems: 4 },
  { type: 'array', maxItems: 0 },
  { type: 'array', items: { type: 'boolean' }, minItems: 1, maxItems: 1 },
  { type: 'array', items: { type: 'array', items: integer, maxItems: 2 }, maxItems: 2 },
  { type: 'array', prefixItems: [{ type: 'string', maxLength: 5 }, integer], items: false, minItems: 2 },
  { type: 'array', prefixItems: [integer, integer], items: { type: 'boolean' }, minItems: 3, maxItems: 3 },
  { type: 'array', items: { enum: ['x', 'y', 'z'] }, uniqueItems: true },
  { type: 'array', items: { enum: ['x', 'y', 'z'] }, uniqueItems: true, minItems: 2, maxItems: 2 },
  { type: 'array', items: { enum: [1, 2, 3, 4] }, uniqueItems: true, minItems: 1 },
  { type: 'array', items: { anyOf: [integer, text] }, minItems: 2, maxItems: 3 },
  { type: 'array', items: object({ id: integer, tag: text }), minItems: 1, maxItems: 2 },
  { type: 'array', maxItems: 2 },
];

const objects: JsonSchema[] = [
  object({}),
  object({ name: text }),
  object({ name: text, age: { type: 'integer', minimum: 0, maximum: 120 } }),
  object({ name: text, age: integer }, ['name']),
  object({ name: text, age: integer }, []),
  object({ a: integer, b: integer, c: integer }, ['b']),
  object({ a: integer, b: integer, c: integer, d: integer }, ['a', 'd']),
  object({ 'with space': text, 'with"quote': integer, ümlaut: { type: 'boolean' } }),
  object({ status: { enum: ['open', 'closed'] }, count: { type: 'integer', minimum: 1 } }),
  object({ tags: { type: 'array', items: { type: 'string', maxLength: 8 }, maxItems: 3 } }),
  object({ inner: object({ deep: object({ deeper: { type: 'boolean' } }) }) }),
  object({ point: object({ x: { type: 'number' }, y: { type: 'number' } }), label: text }, ['point']),
  { type: 'object', properties: { a: integer } },
  { type: 'object', properties: { a: integer }, required: ['a', 'b'] },
  { type: 'object', additionalProperties: { type: 'integer' } },
  { type: 'object', additionalProperties: { type: 'integer', minimum: 1, maximum: 6 }, minProperties: 1 },
  { type: 'object', additionalProperties: text, propertyNames: { pattern: '^[a-z]{2,5}$' } },
  { type: 'object', propertyNames: { enum: ['en', 'de'] }, additionalProperties: { type: 'string', maxLength: 6 } },
  { type: 'object', additionalProperties: true },
  { type: 'object' },
  { properties: { noType: { type: 'boolean' } }, required: ['noType'] },
  object({ email: { type: 'string', format: 'email' }, id: { type: 'string', format: 'uuid' } }),
  object({ when: { type: 'string', format: 'date-time' }, zone: { const: 'UTC' } }),
  object({ anything: {} }),
  object({
    matrix: {
      type: 'array',
      items: { type: 'array', items: integer, minItems: 2, maxItems: 2 },
      minItems: 2,
      maxItems: 2,
    },
  }),
];

const combined: JsonSchema[] = [
  { anyOf: [{ type: 'string', maxLength: 6 }, integer] },
  { anyOf: [{ type: 'null' }, object({ a: integer })] },
  object({ maybe: { anyOf: [{ type: 'string', maxLength: 9 }, { type: 'null' }] } }),
  {
    oneOf: [
      object({ kind: { const: 'cat' }, lives: integer }),
      object({ kind: { const: 'dog' }, good: { type: 'boolean' } }),
    ],
  },
  {
    oneOf: [
      { type: 'integer', maximum: 5 },
      { type: 'string', minLength: 2, maxLength: 4 },
    ],
  },
  { allOf: [{ type: 'integer', minimum: 3 }, { maximum: 9 }] },
  {
    allOf: [
      { type: 'object', properties: { a: integer }, required: ['a'] },
      { properties: { b: text }, required: ['b'] },
    ],
  },
  { allOf: [{ enum: [1, 2, 3] }, { enum: [2, 3, 4] }] },
  { allOf: [{ type: 'number' }, { type: 'integer', minimum: 1, maximum: 3 }] },
  {
    type: 'object',
    properties: { kind: { enum: ['a', 'b'] } },
    required: ['kind'],
    anyOf: [{ required: ['x'] }, { required: ['y'] }],
  },
  { type: 'string', anyOf: [{ maxLength: 3 }, { pattern: '^long[a-z]+$' }] },
  {
    anyOf: [{ $ref: '#/$defs/id' }, { $ref: '#/$defs/name' }],
    $defs: { id: { type: 'integer', minimum: 1 }, name: { type: 'string', minLength: 1, maxLength: 5 } },
  },
  {
    allOf: [{ $ref: '#/$defs/base' }, { properties: { extra: { type: 'boolean' } }, required: ['extra'] }],
    $defs: { base: { type: 'object', properties: { id: integer }, required: ['id'] } },
  },
  object({ home: { $ref: '#/$defs/place' }, work: { $ref: '#/$defs/place' } }, ['home'], {
    $defs: { place: object({ city: text, zip: { type: 'string', pattern: '^\\d{5}$' } }) },
  }),
  object({ old: { $ref: '#/definitions/old' } }, ['old'], {
    definitions: { old: { type: 'string', enum: ['v1', 'v2'] } },
  }),
  { $ref: '#/$defs/a~1b', $defs: { 'a/b': { type: 'boolean' } } },
  object({ value: { anyOf: [{ anyOf: [integer, { type: 'boolean' }] }, { type: 'null' }] } }),
  object({ size: { $ref: '#/$defs/size', description: 'how big' } }, ['size'], {
    $defs: { size: { enum: ['S', 'M', 'L'], title: 'Size' } },
  }),
];

const tree = {
  $defs: {
    node: object({ value: integer, children: { type: 'array', items: { $ref: '#/$defs/node' }, maxItems: 2 } }),
  },
};
const recursive: JsonSchema[] = [
  { $ref: '#/$defs/node', ...tree },
  object({ root: { $ref: '#/$defs/node' } }, ['root'], tree),
  object({ value: integer, next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } }),
  object({ value: integer, next: { $ref: '#' } }, ['value']),
  {
    $ref: '#/$defs/expression',
    $defs: {
      expression: { anyOf: [{ $ref: '#/$defs/number' }, { $ref: '#/$defs/sum' }] },
      number: object({ number: { type: 'integer', minimum: 0, maximum: 9 } }),
      sum: object({ left: { $ref: '#/$defs/expression' }, right: { $ref: '#/$defs/expression' } }),
    },
  },
  {
    $ref: '#/$defs/list',
    $defs: { list: { type: 'array', items: { anyOf: [integer, { $ref: '#/$defs/list' }] }, maxItems: 2 } },
  },
  {
    $ref: '#/$defs/tag',
    $defs: {
      tag: object({
        name: { enum: ['div', 'p', 'b'] },
        inside: { type: 'array', items: { $ref: '#/$defs/inside' }, maxItems: 2 },
      }),
      inside: { anyOf: [{ type: 'string', maxLength: 8 }, { $ref: '#/$defs/tag' }] },
    },
  },
  {
    type: 'object',
    properties: { name: text, more: { additionalProperties: { $ref: '#' }, type: 'object', maxProperties: 2 } },
    required: ['name', 'more'],
  },
];

// Objects of objects, composed of the simple ones.
function nested(): JsonSchema[] {
  const parts = [scalars[2], numbers[0], patterns[0], formats[0], arrays[3], objects[2], combined[2], scalars[13]];
  const made: JsonSchema[] = [];
  for (let at = 0; made.length < 200; at++) {
    const [one, two, three] = [parts[at % 8], parts[(at * 3 + 1) % 8], parts[(at * 5 + 2) % 8]] as JsonSchema[];
    const inner = object({ one, two }, at % 2 === 0 ? ['one'] : ['one', 'two']);
    const list = { type: 'array', items: at % 3 === 0 ? inner : three, minItems: at % 2, maxItems: 2 };
    made.push(
      object({ first: inner, list, last: { anyOf: [three, { type: 'null' }] } }, at % 4 === 0 ? ['first'] : undefined),
    );
  }
  return made as JsonSchema[];
}

const named = (kind: string, schemas: JsonSchema[]): Sample[] =>
  schemas.map((schema, at) => ({ name: `${kind} ${at + 1}`, schema }));

const simple = [
  ...named('scalar', scalars),
  ...named('number', numbers),
  ...named('pattern', patterns),
  ...named('format', formats),
  ...named('array', arrays),
  ...named('object', objects),
  ...named('combination', combined),
  ...named('recursion', recursive),
];
export const samples: Sample[] = [...simple, ...named('nested', nested()).slice(0, 200 - simple.length)];
