// A JSON schema as a grammar: every text that the grammar allows is JSON that matches the schema. The grammar may allow
// less than the schema does (properties come in their order, and unnamed ones are not added). Unsupported keywords are
// refused by name.
import { EngineError, type JsonSchema } from '../../engine.ts';
import { BadSchema, validatorOf } from '../../schema-validator.ts';
import { isApart } from './alternatives.ts';
import { arrayExpression } from './arrays.ts';
import type { Compiler, Limits } from './compiler.ts';
import { isAnnotation, mergedSchema, resolved, type Schema } from './merge.ts';
import { integerBetween, type NumberBounds, numberBetween } from './numbers.ts';
import { objectExpression } from './objects.ts';
import { anyOf, type Expression, jsonLiteral, Rules, tooLarge } from './rules.ts';
import { stringExpression } from './strings.ts';
import { allTypes, typesOf, valuesOf } from './values.ts';

const known = new Set(
  [
    ['type', 'enum', 'const', 'nullable', '$ref', 'allOf', 'anyOf', 'oneOf'],
    ['properties', 'required', 'additionalProperties', 'propertyNames', 'minProperties', 'maxProperties'],
    ['items', 'prefixItems', 'additionalItems', 'minItems', 'maxItems', 'uniqueItems'],
    ['minLength', 'maxLength', 'pattern', 'format'],
    ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ].flat(),
);
const listing = new Set(['type', 'enum', 'const', 'nullable']);
const maxCompiled = 20_000; // parts, counted as often as they are referenced
const maxSteps = 50; // from one reference to the next

export class SchemaCompiler implements Compiler {
  readonly rules = new Rules();
  readonly limits: Limits;
  readonly #root: JsonSchema;
  #compiled = 0;
  readonly #references = new Map<string, Expression | undefined>(); // by depth and reference

  constructor(root: JsonSchema, limits: Limits) {
    this.#root = root;
    this.limits = limits;
  }

  compile(schema: Schema, depth: number): Expression | undefined {
    if (++this.#compiled > maxCompiled) throw tooLarge();
    if (schema === false) return undefined;
    if (schema === true) return this.#anything(depth);
    if (typeof schema !== 'object' || schema === null || Array.isArray(schema))
      throw new EngineError('schema', 'A part of the schema is neither an object nor true or false.');
    const unknown = Object.keys(schema).find((keyword) => !known.has(keyword) && !isAnnotation(keyword));
    if (unknown !== undefined)
      throw new EngineError('schema', `The schema uses '${unknown}', which can't be enforced.`);
    const { $ref, allOf, anyOf: some, oneOf, ...rest } = schema;
    const isBare = Object.keys(rest).every(isAnnotation);
    if (typeof $ref === 'string') {
      if (isBare && !allOf && !some && !oneOf) return this.#reference($ref, depth);
      if (depth >= this.limits.depth) return undefined;
      return this.compile(mergedSchema(resolved(this.#root, $ref), without(schema, '$ref')), depth + 1);
    }
    if (Array.isArray(allOf)) {
      const parts = allOf.map((one) => this.#dereferenced(one as Schema));
      return this.compile(parts.reduce(mergedSchema, without(schema, 'allOf')), depth);
    }
    const alternatives = some ?? oneOf;
    if (Array.isArray(alternatives)) {
      const base = without(schema, some ? 'anyOf' : 'oneOf');
      const parts = alternatives.map((one) => (isBare ? (one as Schema) : mergedSchema(this.#dereferenced(one), base)));
      if (!some) this.#demandApart(parts);
      return this.#named(anyOf(parts.map((one) => this.compile(one, depth))));
    }
    return this.#plain(schema, depth);
  }

  // A value that matches two alternatives of a `oneOf` is invalid.
  #demandApart(parts: readonly Schema[]): void {
    this.#compiled += parts.length ** 2;
    if (this.#compiled > maxCompiled) throw tooLarge();
    const isKept = parts.every((one, at) =>
      parts.every((other, place) => at === place || isApart(one, other, (schema) => this.#flattened(schema))),
    );
    if (!isKept)
      throw new EngineError(
        'schema',
        "The schema uses 'oneOf' of alternatives that may match at once, which can't be enforced; 'anyOf' can.",
      );
  }

  #flattened(schema: Schema, steps = 0): Schema[] {
    const plain = this.#dereferenced(schema);
    if (typeof plain !== 'object') return [plain];
    if (steps > maxSteps) throw tooLarge();
    const { allOf, anyOf: some, oneOf } = plain;
    if (Array.isArray(allOf)) {
      const parts = allOf.map((one) => this.#dereferenced(one as Schema));
      return this.#flattened(parts.reduce(mergedSchema, without(plain, 'allOf')), steps + 1);
    }
    const alternatives = some ?? oneOf;
    if (!Array.isArray(alternatives)) return [plain];
    const base = without(plain, some ? 'anyOf' : 'oneOf');
    this.#compiled += alternatives.length;
    if (this.#compiled > maxCompiled) throw tooLarge();
    return alternatives.flatMap((one) => this.#flattened(mergedSchema(this.#dereferenced(one), base), steps + 1));
  }

  #dereferenced(schema: Schema, steps = 0): Schema {
    if (typeof schema !== 'object' || typeof schema.$ref !== 'string') return schema;
    if (steps > maxSteps) throw tooLarge();
    return mergedSchema(this.#dereferenced(resolved(this.#root, schema.$ref), steps + 1), without(schema, '$ref'));
  }

  // Recursive references end at a maximum depth: deeper values don't match.
  #reference(reference: string, depth: number): Expression | undefined {
    if (depth >= this.limits.depth) return undefined;
    const key = `${depth} ${reference}`;
    if (!this.#references.has(key))
      this.#references.set(key, this.#named(this.compile(resolved(this.#root, reference), depth + 1)));
    return this.#references.get(key);
  }

  #named(expression: Expression | undefined): Expression | undefined {
    return expression === undefined || /^r\d+$/.test(expression) ? expression : this.rules.named(expression);
  }

  #plain(schema: JsonSchema, depth: number): Expression | undefined {
    const values = this.values(schema);
    if (values) return this.#named(anyOf(values.map(jsonLiteral)));
    const types = typesOf(schema);
    if (types === allTypes) return this.#anything(depth);
    return this.#named(anyOf(types.map((type) => this.#typed(type, schema, depth))));
  }

  // The listed values that also match the rest of the schema.
  values(schema: JsonSchema): unknown[] | undefined {
    const values = valuesOf(schema);
    const isListedOnly = Object.keys(schema).every((keyword) => listing.has(keyword) || isAnnotation(keyword));
    if (!values || isListedOnly) return values;
    const { $defs = {}, definitions = {} } = this.#root;
    try {
      return values.filter(validatorOf({ ...schema, $defs, definitions }));
    } catch (error) {
      if (!(error instanceof BadSchema)) throw error;
      throw new EngineError('schema', "The schema combines 'enum' or 'const' with keywords that can't be enforced.");
    }
  }

  #typed(type: string, schema: JsonSchema, depth: number): Expression | undefined {
    switch (type) {
      case 'object':
        return objectExpression(this, schema, depth);
      case 'array':
        return arrayExpression(this, schema, depth);
      case 'string':
        return stringExpression(this, schema);
      case 'integer':
        return integerBetween(boundsOf(schema), this.limits.digits);
      case 'number':
        return (isInteger(schema) ? integerBetween : numberBetween)(boundsOf(schema), this.limits.digits);
      case 'boolean':
        return '("true" | "false")';
      case 'null':
        return '"null"';
      default:
        throw new EngineError('schema', `The schema names the type '${type}', which does not exist.`);
    }
  }

  #anything(depth: number): Expression | undefined {
    const key = `${depth} anything`;
    if (!this.#references.has(key)) this.#references.set(key, this.#anythingAt(depth));
    return this.#references.get(key);
  }

  #anythingAt(depth: number): Expression | undefined {
    const scalars = ['string', 'number', 'boolean', 'null'];
    const types = depth < this.limits.depth ? ['object', 'array', ...scalars] : scalars;
    const parts = types.map((type) => {
      if (type === 'object') return objectExpression(this, { additionalProperties: true }, depth + 1);
      return this.#typed(type, {}, depth + 1);
    });
    return this.#named(anyOf(parts));
  }
}

function without(schema: JsonSchema, keyword: string): JsonSchema {
  const { [keyword]: _, ...rest } = schema;
  return rest;
}

function boundsOf(schema: JsonSchema): NumberBounds {
  const number = (keyword: string): number | undefined =>
    typeof schema[keyword] === 'number' ? (schema[keyword] as number) : undefined;
  const is32 = schema.format === 'int32';
  const [minimum, above] = [atLeast(number('minimum'), is32 ? -(2 ** 31) : undefined), number('exclusiveMinimum')];
  const [maximum, below] = [atMost(number('maximum'), is32 ? 2 ** 31 - 1 : undefined), number('exclusiveMaximum')];
  const isLeastExcluded = above !== undefined && (minimum === undefined || above >= minimum);
  const isMostExcluded = below !== undefined && (maximum === undefined || below <= maximum);
  const least = isLeastExcluded ? above : minimum;
  const most = isMostExcluded ? below : maximum;
  const multipleOf = number('multipleOf');
  return {
    ...(least !== undefined && { least }),
    ...(most !== undefined && { most }),
    ...(multipleOf !== undefined && { multipleOf }),
    isLeastExcluded,
    isMostExcluded,
  };
}

const isInteger = ({ format }: JsonSchema): boolean => format === 'int32' || format === 'int64';
const atLeast = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.max(one, other);
const atMost = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? (one ?? other) : Math.min(one, other);
