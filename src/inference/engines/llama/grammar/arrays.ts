// Arrays: items of one schema, or one schema for each of the first positions.
import { EngineError, type JsonSchema } from '../../engine.ts';
import type { Compiler } from './compiler.ts';
import type { Schema } from './merge.ts';
import { anyOf, type Expression, jsonLiteral, maxRepeated, repeated, sequence, tooLarge } from './rules.ts';

const separator = '"," " "?';
const maxUnique = 100; // the rules grow with the square

export function arrayExpression(compiler: Compiler, schema: JsonSchema, depth: number): Expression | undefined {
  const { minItems = 0, prefixItems } = schema as { minItems?: number; prefixItems?: Schema[] };
  const given = (schema.items ?? true) as Schema | Schema[];
  const places = prefixItems ?? (Array.isArray(given) ? given : []);
  const others = (Array.isArray(given) ? (schema.additionalItems ?? true) : given) as Schema;
  const most = Number(schema.maxItems ?? Math.max(minItems, compiler.limits.items));
  if (schema.uniqueItems === true && most > 1) return uniqueItems(compiler, schema, { others, least: minItems, most });
  if (places.length > 0) return tuple(compiler, { places, others, least: minItems, most }, depth);
  const item = most === 0 ? undefined : compiler.compile(others, depth);
  if (item === undefined) return minItems === 0 ? '"[" "]"' : undefined;
  const rest = most === 1 ? '' : repeated(`${separator} ${item}`, Math.max(0, minItems - 1), most - 1);
  const all = sequence(item, rest);
  return minItems === 0 ? `"[" (${all})? "]"` : `"[" ${all} "]"`;
}

interface Places {
  places: Schema[];
  others: Schema;
  least: number;
  most: number;
}

// All positions that are named, and as many further items as required.
function tuple(compiler: Compiler, { places, others, least, most }: Places, depth: number): Expression | undefined {
  if (least > maxRepeated) throw tooLarge();
  const kinds = [...places, ...Array.from({ length: Math.max(0, least - places.length) }, () => others)];
  const items = kinds.slice(0, most).map((kind) => compiler.compile(kind, depth));
  const all = sequence(...items.flatMap((item, at) => (at === 0 ? [item] : [separator, item])));
  return all === undefined ? undefined : `"[" ${all} "]"`;
}

// Listed items come in the order of the list, each at most once. Of unlisted schemas only one can be enforced as
// unique.
function uniqueItems(
  compiler: Compiler,
  schema: JsonSchema,
  { others, least, most }: Omit<Places, 'places'>,
): Expression | undefined {
  const { rules } = compiler;
  const listed = typeof others === 'object' && Array.isArray(others.enum) ? compiler.values(others) : undefined;
  if (!listed)
    throw new EngineError('schema', "The schema uses 'uniqueItems' for items without 'enum', which can't be enforced.");
  if ('prefixItems' in schema)
    throw new EngineError('schema', "'uniqueItems' and 'prefixItems' can't be enforced together.");
  if (listed.length > maxUnique) throw tooLarge();
  const known = new Map<string, Expression | undefined>();
  // The possible continuations after `count` items, if the items from `at` on are left.
  const from = (at: number, count: number): Expression | undefined => {
    const key = `${at} ${count}`;
    if (known.has(key)) return known.get(key);
    const isEnough = count >= least ? '' : undefined;
    if (at === listed.length || count === most) return isEnough;
    const item = jsonLiteral(listed[at]);
    const taken = sequence(count === 0 ? item : `${separator} ${item}`, from(at + 1, count + 1));
    const skipped = from(at + 1, count);
    const found = skipped === '' && taken !== undefined ? `(${taken})?` : anyOf([taken, skipped]);
    // Two branches share it: written out, it would double with every item.
    known.set(key, found && rules.named(found));
    return known.get(key);
  };
  const all = from(0, 0);
  return all === undefined ? undefined : sequence('"["', all, '"]"');
}
