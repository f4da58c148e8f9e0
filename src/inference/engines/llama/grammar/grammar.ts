// The grammar of a requested form: any JSON object, a schema, or tool calls.
import { EngineError, type JsonSchema, type TextForm } from '../../engine.ts';
import type { Limits } from './compiler.ts';
import { SchemaCompiler } from './schema.ts';

// A small model does not end a long string or list by itself.
const forSmall: Limits = { depth: 3, items: 4, characters: 100, digits: 6 };
const usual: Limits = { depth: 8, items: 200, characters: Number.POSITIVE_INFINITY, digits: 15 };

export function grammarOf(form: TextForm, isSmall: boolean): string {
  const schema = schemaOf(form);
  const compiler = new SchemaCompiler(schema, isSmall ? forSmall : usual);
  const root = compiler.compile(schema, 0);
  if (root === undefined) throw new EngineError('schema', 'No value matches the schema.');
  compiler.rules.define('root', root);
  return compiler.rules.text();
}

function schemaOf(form: TextForm): JsonSchema {
  if (form.kind === 'schema') return form.schema;
  if (form.kind === 'object') return { type: 'object', additionalProperties: true };
  // Each tool has its own definitions, so references are rewritten to begin at the tool.
  const calls = form.tools.map(({ name, parameters }, at) => ({
    type: 'object',
    properties: { name: { const: name }, arguments: rebased(argumentsOf(parameters), `#/$defs/tool${at}`) },
    required: ['name', 'arguments'],
    additionalProperties: false,
  }));
  const $defs = Object.fromEntries(
    form.tools.map(({ parameters }, at) => [`tool${at}`, rebased(argumentsOf(parameters), `#/$defs/tool${at}`)]),
  );
  return { anyOf: calls, $defs };
}

const argumentsOf = (parameters: JsonSchema | undefined): JsonSchema =>
  parameters && Object.keys(parameters).length > 0
    ? { type: 'object', ...parameters }
    : { type: 'object', additionalProperties: false, maxProperties: 0 };

function rebased(schema: JsonSchema, base: string): JsonSchema {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      key === '$ref' && typeof value === 'string' ? value.replace(/^#/, base) : value,
    ),
  ) as JsonSchema;
}
