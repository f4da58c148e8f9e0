// The grammar of a schema allows only texts that match the schema: random texts of the grammar are checked by Ajv.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { formatNames } from 'ajv-formats/dist/formats.js';
import { EngineError, type JsonSchema } from '../../engine.ts';
import { grammarOf } from './grammar.ts';
import { Sampler } from './testing-sampler.ts';
import { samples } from './testing-schemas.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
(addFormats as unknown as (one: Ajv2020) => void)(ajv);

const texts = 60;

// Numbers from 0 to 1 that are the same in every run (Lehmer).
function lehmer(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

const made = (schema: JsonSchema, isSmall: boolean): string[] => {
  const sampler = new Sampler(grammarOf({ kind: 'schema', schema }, isSmall), lehmer(7));
  return Array.from({ length: texts }, () => sampler.text());
};

suite('the grammar of a schema', () => {
  test('[INFER-04] allows only matching texts, for 200 schemas', () => {
    assert.equal(samples.length, 200);
    for (const { name, schema } of samples) {
      const validate = ajv.compile(schema);
      for (const isSmall of [true, false]) {
        for (const text of made(schema, isSmall))
          assert.ok(validate(JSON.parse(text)), `${name}: ${text}: ${ajv.errorsText(validate.errors)}`);
      }
    }
  });

  test('[INFER-04] follows every format that validators know, and combined conditions', () => {
    const more: JsonSchema[] = [
      ...['string', 'number', 'integer'].flatMap((type) => formatNames.map((format) => ({ type, format }))),
      { type: 'integer', format: 'int32', minimum: -5_000_000_000 },
      { type: 'number', multipleOf: 0.01, exclusiveMinimum: 0, maximum: 0.05 },
      { type: 'number', multipleOf: 0.5, minimum: 0, exclusiveMaximum: 1.5 },
      { enum: [1, 7, 20, 'x'], type: ['integer', 'string'], maximum: 10 },
      { type: 'string', nullable: true, enum: ['a', 'long', 3, null], maxLength: 2 },
      { type: 'array', uniqueItems: true, items: { type: 'string', enum: ['a', 'b', 'long', 1], maxLength: 1 } },
    ];
    for (const schema of more) {
      const validate = ajv.compile(schema);
      for (const text of made(schema, false))
        assert.ok(validate(JSON.parse(text)), `${JSON.stringify(schema)}: ${text}: ${ajv.errorsText(validate.errors)}`);
    }
  });

  test('[INFER-04] accepts only a oneOf whose alternatives exclude each other', () => {
    const object = (properties: Record<string, unknown>, ...required: string[]) => ({
      ...{ type: 'object', properties, required },
    });
    const $defs = {
      cat: object({ kind: { const: 'cat' } }, 'kind'),
      dog: { allOf: [object({ kind: { enum: ['dog', 'wolf'] } }, 'kind'), object({ good: { type: 'boolean' } })] },
    };
    const apart: JsonSchema[] = [
      { oneOf: [{ type: 'null' }, { type: 'string', maxLength: 3 }, { type: ['integer', 'boolean'] }] },
      { oneOf: [{ $ref: '#/$defs/cat' }, { $ref: '#/$defs/dog' }, { const: 'none' }], $defs },
      { oneOf: [object({ a: { type: 'integer' } }, 'a'), object({ b: { type: 'integer' } }, 'b')] },
      { oneOf: [object({ a: { type: 'integer' } }, 'a'), { ...object({ b: true }), additionalProperties: false }] },
      { oneOf: [{ anyOf: [{ const: 1 }, { const: 2 }] }, { enum: [3, 'x'] }] },
      { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer' } }, oneOf: [{ required: ['a'] }] },
    ];
    for (const schema of apart) {
      const validate = ajv.compile(schema);
      for (const text of made(schema, false))
        assert.ok(validate(JSON.parse(text)), `${JSON.stringify(schema)}: ${text}`);
    }
    for (const oneOf of [
      [{ type: 'integer' }, { type: 'number' }],
      [{ type: 'string' }, { const: 'auto' }],
      [object({ a: { type: 'integer' } }), object({ b: { type: 'integer' } })],
      [{ type: 'string' }, { properties: { a: { type: 'string' } } }],
      [{ $ref: '#/$defs/cat' }, object({ kind: { type: 'string' } }, 'kind')],
    ])
      assert.throws(() => grammarOf({ kind: 'schema', schema: { oneOf, $defs } }, false), /'oneOf' of alternatives/);
  });

  test('reaches all values of a range, both ends included', () => {
    const seen = new Set(made({ type: 'integer', minimum: -2, maximum: 11 }, false).map(Number));
    assert.deepEqual([Math.min(...seen), Math.max(...seen)], [-2, 11]);
  });

  test('has optional properties with and without', () => {
    const schema = { type: 'object', properties: { a: { const: 1 }, b: { const: 2 } }, required: [] };
    const seen = new Set(made(schema, false).map((text) => Object.keys(JSON.parse(text) as object).join('')));
    assert.deepEqual([...seen].sort(), ['', 'a', 'ab', 'b']);
  });

  test('refuses unsupported keywords by name', () => {
    const refused: [JsonSchema, RegExp][] = [
      [{ not: { type: 'string' } }, /'not'/],
      [{ type: 'object', patternProperties: { '^a': {} } }, /'patternProperties'/],
      [{ if: {}, else: {} }, /'if'/],
      [{ type: 'string', pattern: '(?=a)b' }, /pattern/],
      [{ type: 'string', pattern: '(a)\\1' }, /pattern/],
      [{ type: 'array', items: { type: 'string' }, uniqueItems: true, minItems: 2 }, /'uniqueItems'/],
      [{ $ref: '#/$defs/none' }, /#\/\$defs\/none/],
      [{ type: 'integer', minimum: 5, maximum: 4 }, /No value/],
      [{ $ref: '#' }, /No value/],
      [{ type: 'text' }, /'text'/],
    ];
    for (const [schema, says] of refused) {
      assert.throws(
        () => grammarOf({ kind: 'schema', schema }, false),
        (error) => error instanceof EngineError && error.reason === 'schema' && says.test(error.message),
        JSON.stringify(schema),
      );
    }
  });

  test('any object, and calls of tools', () => {
    const sampled = (grammar: string): unknown => JSON.parse(new Sampler(grammar, lehmer(3)).text());
    assert.equal(typeof sampled(grammarOf({ kind: 'object' }, false)), 'object');
    const parameters = {
      type: 'object',
      properties: { city: { $ref: '#/$defs/city' } },
      required: ['city'],
      $defs: { city: { enum: ['Paris', 'Rome'] } },
    };
    const tools = [{ name: 'weather', parameters }, { name: 'now' }];
    for (let seed = 1; seed < 40; seed++) {
      const text = new Sampler(grammarOf({ kind: 'tools', tools }, true), lehmer(seed * 991)).text();
      const call = JSON.parse(text) as { name: string; arguments: { city?: string } };
      if (call.name === 'now') assert.deepEqual(call.arguments, {});
      else assert.match(call.arguments.city ?? '', /^(?:Paris|Rome)$/);
    }
  });

  // It runs in the model's process, which serves all contracts.
  test('of an excessive schema fails at once, and the process continues', () => {
    const numbers = Array.from({ length: 40 }, (_, at) => at);
    const doubled = Object.fromEntries(
      numbers.map((at) => [`d${at}`, { type: 'object', properties: { a: beside(at - 1), b: beside(at - 1) } }]),
    );
    const bounded: JsonSchema[] = [
      { type: 'object', properties: { a: { $ref: '#', type: 'object' } } },
      { $ref: '#/$defs/d39', $defs: { ...doubled, 'd-1': { type: 'object' } } },
      { type: 'array', uniqueItems: true, items: { enum: numbers } },
      { enum: Array.from({ length: 15_000 }, (_, at) => at) },
    ];
    for (const schema of bounded) assert.ok(grammarOf({ kind: 'schema', schema }, true).length < 1_000_000);
    const refused: JsonSchema[] = [
      { allOf: [{ $ref: '#/$defs/a' }], $defs: { a: { $ref: '#/$defs/a' } } },
      { type: 'array', minItems: 1e9, prefixItems: [{ type: 'string' }], items: { type: 'string' } },
      { type: 'array', minItems: 1e9, items: { type: 'string' } },
      { type: 'string', minLength: 1e9 },
      { type: 'string', format: 'uuid', pattern: '^(([0-9a-f-])+)+x$' },
    ];
    for (const schema of refused) assert.throws(() => grammarOf({ kind: 'schema', schema }, true), EngineError);
  });
});

const beside = (at: number): JsonSchema => ({ $ref: `#/$defs/d${at}`, minProperties: 0 });
