// Creates a value that matches a JSON schema. Open choices are random. The value is validated, and created again if
// keywords that can't be followed directly (`not`, `if`, `oneOf`) reject it.
import { isObject, type Json, type Values } from '../../../base/json.ts';
import { EngineError, type JsonSchema } from '../engine.ts';
import { validatorOf } from '../schema-validator.ts';
import { pick, type Random, wholeBetween } from './random.ts';
import { flattened, heightsOf } from './schema-shape.ts';
import { stringFor } from './string-instance.ts';
import { WorkBudget } from './work-budget.ts';

const maxTries = 100;
const maxValues = 5000; // in one instance
const valueCost = 10; // of the budget of all tries
const deepest = 5; // below this depth, only required parts are created

export function instanceOf(schema: JsonSchema, random: Random): Json {
  const validate = validatorOf(schema);
  const maker = new Maker(schema as Values, random);
  for (let tries = 0; tries < maxTries; tries++) {
    const value = maker.make(tries);
    if (validate(value)) return value;
  }
  throw new EngineError('schema', 'The tiny built-in model found no value that matches this schema.');
}

class Maker {
  readonly #root: Values;
  readonly #random: Random;
  readonly #heightOf: (schema: Json) => number;
  readonly #work = new WorkBudget(); // of all tries
  #left = 0;

  constructor(root: Values, random: Random) {
    this.#root = root;
    this.#random = random;
    this.#heightOf = heightsOf(root, this.#work);
    if (this.#heightOf(root) === Number.POSITIVE_INFINITY)
      throw new EngineError('schema', 'No finite value matches this schema.');
  }

  make(tries: number): Json {
    this.#left = maxValues;
    // Later tries create smaller values, with fewer parts that can be wrong.
    return this.#value(this.#root, tries > maxTries / 2 ? deepest : 0);
  }

  #value(raw: Json, depth: number): Json {
    this.#work.take(valueCost);
    this.#left -= 1;
    if (this.#left < 0) throw new EngineError('schema', 'A value of this schema is too large for the tiny model.');
    const schema = this.#chosen(flattened(this.#root, raw, this.#work), depth);
    if (schema.const !== undefined) return schema.const;
    if (Array.isArray(schema.enum)) return schema.enum.length > 0 ? pick(this.#random, schema.enum) : null;
    switch (this.#typeOf(schema)) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, depth);
      case 'string':
        return stringFor(schema, this.#random, this.#work);
      case 'integer':
        return this.#number(schema, true);
      case 'number':
        return this.#number(schema, false);
      case 'boolean':
        return this.#random() < 0.5;
      default:
        return null;
    }
  }

  // One random branch of each choice, merged with its siblings.
  #chosen(schema: Values, depth: number): Values {
    for (const word of ['anyOf', 'oneOf'] as const) {
      const branches = schema[word];
      if (!Array.isArray(branches) || branches.length === 0) continue;
      const { [word]: _, ...rest } = schema;
      const finite = branches.filter((one) => this.#heightOf(one) < Number.POSITIVE_INFINITY);
      const lowest = Math.min(...finite.map((one) => this.#heightOf(one)));
      const possible = depth < deepest ? finite : finite.filter((one) => this.#heightOf(one) === lowest);
      if (possible.length === 0) return rest;
      const branch = pick(this.#random, possible);
      return this.#chosen(flattened(this.#root, { allOf: [rest, branch] }, this.#work), depth);
    }
    return schema;
  }

  #typeOf(schema: Values): string {
    const { type } = schema;
    if (Array.isArray(type)) return String(pick(this.#random, type));
    if (typeof type === 'string') return type;
    if (schema.properties || schema.required || schema.additionalProperties !== undefined) return 'object';
    if (schema.items !== undefined || schema.prefixItems || schema.minItems !== undefined) return 'array';
    if (schema.minimum !== undefined || schema.maximum !== undefined || schema.multipleOf !== undefined)
      return 'number';
    return 'string';
  }

  #object(schema: Values, depth: number): Values {
    const properties = isObject(schema.properties) ? schema.properties : {};
    const required = new Set(Array.isArray(schema.required) ? schema.required.map(String) : []);
    const made: Values = {};
    const isDeep = depth >= deepest;
    for (const [name, property] of Object.entries(properties)) {
      const isWanted = !isDeep && this.#heightOf(property) < Number.POSITIVE_INFINITY && this.#random() < 0.7;
      if (property !== false && (required.has(name) || isWanted)) set(made, name, this.#value(property, depth + 1));
    }
    const more = isObject(schema.additionalProperties) ? schema.additionalProperties : {};
    for (const name of required) if (!Object.hasOwn(made, name)) set(made, name, this.#value(more, depth + 1));
    const least = typeof schema.minProperties === 'number' ? schema.minProperties : 0;
    for (let at = 1; Object.keys(made).length < least && at <= least * 2; at++)
      set(made, `key${at}`, this.#value(more, depth + 1));
    return made;
  }

  #array(schema: Values, depth: number): Json[] {
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems : [];
    const items = schema.items === undefined ? {} : schema.items;
    const canEnd = items !== false && this.#heightOf(items) < Number.POSITIVE_INFINITY;
    const least = Math.max(Number(schema.minItems ?? 0), schema.contains === undefined ? 0 : 1);
    const usual = Math.max(least, first.length > 0 && schema.items === undefined ? first.length : 3);
    const most = Math.min(Number(schema.maxItems ?? usual), canEnd ? usual : first.length);
    const size = depth >= deepest ? least : wholeBetween(this.#random, least, Math.max(least, most));
    const made: Json[] = [];
    const seen = new Set<string>();
    for (let tries = 0; made.length < size && tries < size * 20; tries++) {
      const isContained = schema.contains !== undefined && made.length === 0;
      const value = this.#value(isContained ? (schema.contains as Json) : (first[made.length] ?? items), depth + 1);
      const text = JSON.stringify(value);
      if (schema.uniqueItems === true && seen.has(text)) continue;
      seen.add(text);
      made.push(value);
    }
    return made;
  }

  #number(schema: Values, isWhole: boolean): number {
    const step = typeof schema.multipleOf === 'number' ? schema.multipleOf : isWhole ? 1 : 0.01;
    const bound = (name: string): number | undefined => (typeof schema[name] === 'number' ? schema[name] : undefined);
    const lows = [bound('minimum'), above(bound('exclusiveMinimum'), step)].filter((one) => one !== undefined);
    const highs = [bound('maximum'), above(bound('exclusiveMaximum'), -step)].filter((one) => one !== undefined);
    let low = lows.length > 0 ? Math.max(...lows) : Number.NEGATIVE_INFINITY;
    let high = highs.length > 0 ? Math.min(...highs) : Number.POSITIVE_INFINITY;
    // Small numbers, where they are possible.
    if (low < 0 && high >= 0) low = 0;
    if (low === Number.NEGATIVE_INFINITY) low = high - 100 * step;
    high = Math.min(high, low + 100 * step);
    const from = Math.ceil(low / step);
    const to = Math.floor(high / step);
    // If no multiple fits between the bounds, the middle is tried.
    if (to < from) return isWhole ? from : (low + high) / 2;
    return rounded(wholeBetween(this.#random, from, to) * step);
  }
}

const above = (bound: number | undefined, step: number): number | undefined =>
  bound === undefined ? undefined : bound + step;

const rounded = (value: number): number => Number(value.toPrecision(15));

// Works for the name `__proto__`, too.
const set = (into: Values, name: string, value: Json): void =>
  void Object.defineProperty(into, name, { value, enumerable: true, writable: true, configurable: true });
