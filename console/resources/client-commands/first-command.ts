// The command that creates the first resource of a collection: with the required values, from the declaration's usual
// values and examples. The user can execute it unchanged, so there is none if the resource needs an unknown value, such
// as the id of another resource.
import type { FieldSchema, OperationModel } from '../model.ts';
import { missingParams } from '../place.ts';
import { choicesIn, type Json, type Place, propertiesOf, requiredOf, typeOf } from '../schema-form/form-value.ts';
import { isSecretName } from '../words.ts';
import type { Call, ClientText } from './call.ts';
import { markedTexts } from './client-texts.ts';
import { textMark, variableOf } from './variables.ts';

export type FirstProperties = { readonly [name: string]: Json | undefined };

export interface FirstValues {
  words: Readonly<Record<string, readonly string[]>>; // usual values by path
  start?: FirstProperties | undefined; // of the form's properties
  refers(place: Place): boolean; // whether the value of a field is an existing resource
}

export interface FirstCommand {
  shown: ClientText; // ionosctl if it can set all values, otherwise curl
  curl: ClientText;
}

export function firstCommand(
  create: OperationModel,
  values: FirstValues,
  at: Pick<Call, 'url' | 'params' | 'region'>,
): FirstCommand | undefined {
  if (missingParams(create.path, at.params).length > 0) return undefined;
  const first = new FirstBody(values);
  const body = create.body && first.of([], create.body);
  if (first.hasUnknown) return undefined;
  const texts = markedTexts({ operation: create, body, ...at }).map((one) => ({
    ...one,
    text: [...first.secrets.map((name) => `read -rs ${name}`), one.text].join('\n'),
  }));
  const whole = texts.find(
    ({ client, leavesOut, needs }) => client === 'ionosctl' && leavesOut.length === 0 && needs.length === 0,
  );
  const curl = texts.find(({ client }) => client === 'curl');
  return curl && { shown: whole ?? curl, curl };
}

type Path = readonly string[]; // below the properties

class FirstBody {
  readonly #values: FirstValues;
  readonly secrets: string[] = []; // the variables that the user types
  hasUnknown = false;

  constructor(values: FirstValues) {
    this.#values = values;
  }

  of(path: Path, schema: FieldSchema): Json {
    const known = this.#known(path, schema);
    if (known !== undefined && known !== null) return known;
    switch (typeOf(schema)) {
      case 'object':
        return this.#object(path, schema);
      case 'array':
        return [this.of(path, (schema.items ?? {}) as FieldSchema)];
      case 'boolean':
        return false;
      case 'integer':
      case 'number':
        return typeof schema.minimum === 'number' ? schema.minimum : 1;
      default:
        return this.#text(path.at(-1) ?? '');
    }
  }

  #known(path: Path, schema: FieldSchema): Json | undefined {
    const start = path.reduce<unknown>((value, name) => (value as Record<string, unknown>)?.[name], this.#values.start);
    if (start !== undefined && (typeof start !== 'object' || path.length > 1)) return start as Json;
    if (isSecretName(path.at(-1) ?? '')) return undefined;
    const [example] = Array.isArray(schema.examples) ? (schema.examples as Json[]) : [];
    const usual = schema.default === '' ? undefined : (schema.default as Json | undefined);
    const own = this.#values.words[path.join('.')]?.[0] ?? usual ?? choicesIn(schema)?.[0];
    if (own !== undefined && own !== null) return own;
    if (!this.#refers(path)) return exampleIn(example);
    this.hasUnknown = true;
    return undefined;
  }

  #refers(path: Path): boolean {
    const [name] = path;
    return name === 'id' || this.#values.refers(['properties', ...path]);
  }

  #text(name: string): Json {
    if (name === 'name') return 'first';
    if (!isSecretName(name)) this.hasUnknown = true;
    else if (!this.secrets.includes(variableOf(name))) this.secrets.push(variableOf(name));
    return textMark(variableOf(name));
  }

  // Required properties, those of the form's start, and the name if there is one.
  #object(path: Path, schema: FieldSchema): Json {
    const isWhole = path.length === 0 && propertiesOf(schema).some(([name]) => name === 'properties');
    const start = path.length === 0 && !isWhole ? Object.keys(this.#values.start ?? {}) : [];
    const needed = new Set(['name', 'properties', ...start, ...requiredOf(schema, {})]);
    return Object.fromEntries(
      propertiesOf(schema)
        .filter(([name, { readOnly }]) => needed.has(name) && readOnly !== true)
        .map(([name, one]) => [name, this.of(isWhole ? [] : [...path, name], one)]),
    );
  }
}

const exampleIn = (example: Json | undefined): Json | undefined => (example === 'example' ? undefined : example);
