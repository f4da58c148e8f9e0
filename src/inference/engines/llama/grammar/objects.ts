// Objects: the properties that the schema names, in its order; optional ones may be omitted.
import { EngineError, type JsonSchema } from '../../engine.ts';
import type { Compiler } from './compiler.ts';
import { mergedSchema, type Schema } from './merge.ts';
import { anyOf, type Expression, jsonLiteral, repeated, sequence } from './rules.ts';

const separator = '"," " "?';
const colon = '":" " "?';

export function objectExpression(compiler: Compiler, schema: JsonSchema, depth: number): Expression | undefined {
  const properties = propertiesOf(schema);
  const required = new Set((schema.required as string[] | undefined) ?? []);
  checkCounts(schema, properties.length, required.size);
  if (properties.length === 0) return mapExpression(compiler, schema, depth);
  const members = properties.map(([name, one]) => {
    const value = compiler.compile(one, depth);
    return { isRequired: required.has(name), text: value && `${jsonLiteral(name)} ${colon} ${value}` };
  });
  // From the last to the first: the possible continuations, with and without a preceding property.
  let after: Expression | undefined = '';
  let first: Expression | undefined = '';
  for (const { isRequired, text } of members.reverse()) {
    const [next, begin]: [Expression | undefined, Expression | undefined] = [after, first];
    const asNext = sequence(separator, text, next);
    const asFirst = sequence(text, next);
    after = named(compiler, isRequired ? asNext : orEmpty(asNext, next));
    first = named(compiler, isRequired ? asFirst : orEmpty(asFirst, begin));
  }
  return sequence('"{"', first, '"}"');
}

function named({ rules }: Compiler, expression: Expression | undefined): Expression | undefined {
  return expression && !/^r\d+$/.test(expression) ? rules.named(expression) : expression;
}

const orEmpty = (one: Expression | undefined, other: Expression | undefined): Expression | undefined =>
  other === '' && one !== undefined ? `(${one})?` : anyOf([one, other]);

function propertiesOf(schema: JsonSchema): [string, Schema][] {
  const named = Object.entries((schema.properties as Record<string, Schema> | undefined) ?? {});
  const required = (schema.required as string[] | undefined) ?? [];
  const others = (schema.additionalProperties as Schema | undefined) ?? true;
  const unnamed = required.filter((name) => !named.some(([known]) => known === name));
  return [...named, ...unnamed.map((name): [string, Schema] => [name, others])];
}

// Names that the schema lets the model choose.
function mapExpression(compiler: Compiler, schema: JsonSchema, depth: number): Expression | undefined {
  const { additionalProperties = true, propertyNames = true, minProperties = 0, maxProperties } = schema;
  const value = compiler.compile(additionalProperties as Schema, depth);
  const names = mergedSchema({ type: 'string', minLength: 1, maxLength: 24 }, propertyNames as Schema);
  const key = compiler.compile(names, depth);
  const most = Math.min(compiler.limits.items, Number(maxProperties ?? compiler.limits.items));
  const pair = sequence(key, colon, value);
  if (pair === undefined || most === 0) return minProperties === 0 ? '"{" "}"' : undefined;
  const pairs = sequence(pair, repeated(`${separator} ${pair}`, 0, most - 1));
  return minProperties === 0 ? `"{" (${pairs})? "}"` : `"{" ${pairs} "}"`;
}

function checkCounts({ minProperties, maxProperties }: JsonSchema, count: number, required: number): void {
  const isReached = typeof minProperties !== 'number' || minProperties <= Math.max(required, count === 0 ? 1 : 0);
  const isKept = typeof maxProperties !== 'number' || count === 0 || maxProperties >= count;
  if (!isReached) throw new EngineError('schema', "The schema uses 'minProperties', which can't be enforced here.");
  if (!isKept) throw new EngineError('schema', "The schema uses 'maxProperties', which can't be enforced here.");
}
