// The command that creates the first resource of a collection: with the required values, and variables for values that
// only the user knows.
import type { FieldSchema, OperationModel } from '../model.ts';
import { choicesIn, type Json, propertiesOf, requiredOf, typeOf } from '../schema-form/form-value.ts';
import type { Call } from './call.ts';
import { markedTexts } from './client-texts.ts';
import { textMark, variableOf } from './variables.ts';

export type Words = Readonly<Record<string, readonly string[]>>; // common values of properties

// ionosctl if it can set all values, otherwise curl.
export function firstCommand(create: OperationModel, words: Words, at: Pick<Call, 'url' | 'params'>): string {
  const body = create.body && firstValue('', create.body, words);
  const [curl, ...others] = markedTexts({ operation: create, body, ...at });
  const whole = others.find(
    ({ client, leavesOut, needs }) => client === 'ionosctl' && leavesOut.length === 0 && needs.length === 0,
  );
  return (whole ?? curl)?.text ?? '';
}

function firstValue(name: string, schema: FieldSchema, words: Words): Json {
  const usual = words[name]?.[0] ?? schema.default ?? choicesIn(schema)?.[0];
  if (usual !== undefined && usual !== null) return usual as Json;
  switch (typeOf(schema)) {
    case 'object':
      return neededValues(schema, words);
    case 'array':
      return [firstValue(name, (schema.items ?? {}) as FieldSchema, words)];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1;
    default:
      return name === 'name' ? 'first' : textMark(variableOf(name));
  }
}

// Required properties, and the name if there is one.
function neededValues(schema: FieldSchema, words: Words): Json {
  const needed = new Set(['name', 'properties', ...requiredOf(schema)]);
  return Object.fromEntries(
    propertiesOf(schema)
      .filter(([name, { readOnly }]) => needed.has(name) && readOnly !== true)
      .map(([name, one]) => [name, firstValue(name, one, words)]),
  );
}
