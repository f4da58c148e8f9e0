// Properties as data: what a resource's fields are, their bounds and marks. Validation, defaults, OpenAPI and
// later forms derive from them. All problems of one body are gathered; each names its place: `[(root).properties.x] …`.

import { mostProblems, type Problem } from '../base/fault.ts';
import { equalJson, isObject, type Json, type Values } from '../base/json.ts';

export interface Property {
  type: 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object';
  title?: string; // what people call it, where its name in plain words is not that
  unit?: string; // of a number: MB
  description?: string;
  deprecated?: boolean; // it means nothing
  inForms?: 'create' | 'change' | 'never'; // the only forms that ask people for it; a body may have it all the same
  rare?: boolean; // most people keep the default: forms fold it, within an object that has it
  example?: Json;
  required?: boolean; // on creation
  needed?: true | Readonly<Record<string, readonly string[]>>; // by a rule: on creation, or with such values of others
  immutable?: boolean; // a change to another value is refused
  serverFilled?: boolean; // a client that sets it is refused (a PUT that sends it back is not)
  derived?: boolean; // server-filled, and not stored: computed whenever it is read
  settable?: boolean; // with derived: may be sent all the same, for the decision to find among the sealed
  late?: boolean; // names resources that are created after it: seeds set it when all exist
  ignored?: boolean; // may be sent, and is ignored: read-only in documents
  writeOnly?: boolean; // reads back as null, and is never stored unchanged
  inRequests?: boolean; // with writeOnly: not secret, so the stored body of a request has it
  secret?: boolean; // readable by its owner, but never in a request row, a log or the audit
  omitNull?: boolean; // absent rather than null when it was never set
  default?: Json;
  oneOf?: readonly string[] | (() => readonly string[]);
  anyCase?: boolean; // with oneOf: accepted in any case, kept as listed
  aliases?: Readonly<Record<string, string>>; // with oneOf: other words in upper case, which are kept as listed ones
  among?: readonly number[]; // of an integer: the ones that are possible
  words?: Readonly<Record<string, number>>; // with an integer: texts in lower case that stand for one, in any case
  min?: number; // of a number, of a text's length, of a list's length
  max?: number;
  step?: number;
  pattern?: RegExp;
  says?: string; // describes the pattern in the message of a refusal
  items?: Property; // of a list, or the values of a map
  properties?: Properties;
}

export type Properties = { readonly [name: string]: Property };
type Marks = Omit<Property, 'type' | 'items' | 'properties'>;

export const text = (marks: Marks = {}): Property => ({ type: 'string', max: 4096, ...marks });
export const integer = (marks: Marks = {}): Property => ({
  type: 'integer',
  min: -2147483648,
  max: 2147483647,
  ...marks,
});
export const decimal = (marks: Marks = {}): Property => ({ type: 'number', ...marks });
export const flag = (marks: Marks = {}): Property => ({ type: 'boolean', ...marks });
export const list = (items: Property, marks: Marks = {}): Property => ({ type: 'array', max: 1000, items, ...marks });
export const shape = (properties: Properties, marks: Marks = {}): Property => ({
  type: 'object',
  properties,
  ...marks,
});

// Keys of the client's own, with values of one kind.
export const map = (items: Property, marks: Marks = {}): Property => ({ type: 'object', max: 256, items, ...marks });

export type Way = 'create' | 'replace' | 'change';
// update: a PUT that keeps omitted properties; copy: a creation that may set what the region chooses otherwise.
export type CheckedAs = Way | 'update' | 'copy';

export interface Checked {
  values: Values; // every property, in declared order, ready to be shown
  sealed: Values; // the write-only ones that were sent, and never shown
  problems: Problem[];
}

// Adds its findings to `problems`, up to the maximum that one request reports.
export function check(
  properties: Properties,
  sent: Json | undefined,
  way: CheckedAs,
  at: string,
  before?: Values,
  problems: Problem[] = [],
): Checked {
  const checked: Checked = { values: {}, sealed: {}, problems };
  if (sent === undefined && isCreation(way)) sent = {};
  if (!isObject(sent)) {
    report(problems, at, 'An object is expected', '100');
    return checked;
  }
  for (const key in sent) {
    if (problems.length >= mostProblems) break;
    if (!Object.hasOwn(properties, key)) report(problems, `${at}.${key}`, 'Attribute is unknown', '106');
  }
  for (const field of fieldsOf(properties)) {
    const given = Object.hasOwn(sent, field.name) ? sent[field.name] : undefined;
    if (field.derived) {
      if (given !== undefined) settleDerived(checked, field, given, way, at);
      continue;
    }
    const previous = before?.[field.name];
    const value =
      given === undefined
        ? absent(checked, field, way, at, previous)
        : settle(checked, field, given, way, at, previous);
    if (value !== null || !field.omitNull) checked.values[field.name] = value;
  }
  return checked;
}

// A property with its name and with all of its marks written out, so that all of them have one shape.
interface Field {
  name: string;
  property: Property;
  derived: boolean;
  settable: boolean;
  serverFilled: boolean;
  required: boolean;
  immutable: boolean;
  writeOnly: boolean;
  omitNull: boolean;
  fallback: Json;
}

const knownFields = new WeakMap<Properties, readonly Field[]>();

function fieldsOf(properties: Properties): readonly Field[] {
  const known = knownFields.get(properties);
  if (known) return known;
  const fields = Object.entries(properties).map(([name, property]): Field => {
    const { derived = false, settable = false, serverFilled = false, required = false } = property;
    const { immutable = false, writeOnly = false, omitNull = false, default: fallback = null } = property;
    return { name, property, derived, settable, serverFilled, required, immutable, writeOnly, omitNull, fallback };
  });
  knownFields.set(properties, fields);
  return fields;
}

function settleDerived(
  out: Checked,
  { name, property, settable }: Field,
  given: Json,
  way: CheckedAs,
  above: string,
): void {
  const at = `${above}.${name}`;
  if (settable) out.sealed[name] = given === null ? null : examine(property, given, at, out.problems);
  else if (!isPut(way)) report(out.problems, at, 'Attribute is read-only', '105');
}

// A PUT may send read-only properties back.
const isPut = (way: CheckedAs): boolean => way === 'replace' || way === 'update';
const isCreation = (way: CheckedAs): boolean => way === 'create' || way === 'copy';

// A property that was not sent: its previous value, or its default.
function absent(out: Checked, field: Field, way: CheckedAs, above: string, previous: Json | undefined): Json {
  const { name, fallback, required } = field;
  if (field.serverFilled) return previous ?? fallback;
  if (required && isCreation(way)) report(out.problems, `${above}.${name}`, 'Attribute is required', '100');
  if (field.writeOnly) return null;
  return way === 'change' || way === 'update' || field.immutable || required ? (previous ?? fallback) : fallback;
}

// One that was.
function settle(
  out: Checked,
  field: Field,
  given: Json,
  way: CheckedAs,
  above: string,
  previous: Json | undefined,
): Json {
  const { name, fallback, immutable, writeOnly } = field;
  const at = `${above}.${name}`;
  if (field.serverFilled && way !== 'copy') {
    if (!isPut(way)) report(out.problems, at, 'Attribute is read-only', '105');
    return previous ?? fallback;
  }
  if (given === null) {
    if (field.required) report(out.problems, at, 'Attribute must not be null', '100');
    if (writeOnly) return null;
    return immutable ? (previous ?? fallback) : fallback;
  }
  const value = examine(field.property, given, at, out.problems);
  if (immutable && !isCreation(way) && previous !== undefined && !equalJson(previous, value))
    report(out.problems, at, 'Attribute can not be changed after creation', '100');
  if (!writeOnly) return value;
  out.sealed[name] = value;
  return null;
}

// Returns the value to store: as sent, except for the case of an enumerated word. Adds its findings to `problems`.
function examine(property: Property, value: Json, at: string, problems: Problem[]): Json {
  if (problems.length >= mostProblems) return value;
  switch (property.type) {
    case 'string':
      return typeof value === 'string'
        ? examineText(property, value, at, problems)
        : wrong(value, 'a string', at, problems);
    case 'boolean':
      return typeof value === 'boolean' ? value : wrong(value, 'true or false', at, problems);
    case 'integer':
      return examineInteger(property, value, at, problems);
    case 'number':
      return typeof value === 'number'
        ? examineNumber(property, value, at, problems)
        : wrong(value, 'a number', at, problems);
    case 'array':
      return Array.isArray(value) ? examineList(property, value, at, problems) : wrong(value, 'a list', at, problems);
    case 'object': {
      if (!isObject(value)) return wrong(value, 'an object', at, problems);
      if (property.items) return examineMap(property.items, property.max, value, at, problems);
      return check(property.properties ?? {}, value, 'create', at, undefined, problems).values;
    }
  }
}

function examineText(property: Property, value: string, at: string, problems: Problem[]): Json {
  if (property.oneOf) {
    const words = typeof property.oneOf === 'function' ? property.oneOf() : property.oneOf;
    if (words.includes(value)) return value;
    const found = property.anyCase ? words.find((word) => word.toLowerCase() === value.toLowerCase()) : undefined;
    if (found !== undefined) return found;
    const meant = property.aliases?.[value.toUpperCase()];
    if (meant !== undefined) return meant;
    report(
      problems,
      at,
      `Attribute value '${shorten(value)}' not allowed. Expected one of [${words.join(', ')}]`,
      '109',
    );
    return value;
  }
  const { min = 0 } = property;
  if (value.length < min) report(problems, at, `Expected at least ${min} character${min === 1 ? '' : 's'}`, '100');
  else if (value.length > (property.max ?? Infinity))
    report(problems, at, `Expected at most ${property.max} characters`, '100');
  else if (property.pattern && !property.pattern.test(value))
    report(
      problems,
      at,
      `Attribute value '${property.writeOnly || property.secret ? '…' : shorten(value)}' not allowed. ${property.says ?? ''}`.trim(),
      '100',
    );
  // A lone surrogate can't be stored as UTF-8 and would read back as another text; a NUL ends a text too early.
  else if (!value.isWellFormed() || value.includes('\0'))
    report(problems, at, 'Expected well-formed Unicode without NUL', '100');
  return value;
}

function examineInteger(property: Property, value: Json, at: string, problems: Problem[]): Json {
  const { among, words } = property;
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  const meant = words && Object.hasOwn(words, word) ? words[word] : undefined;
  if (meant !== undefined) return meant;
  if (!Number.isSafeInteger(value)) return wrong(value, 'an integer', at, problems);
  if (among && !among.includes(value as number)) {
    const possible = [...among, ...Object.keys(words ?? {})].join(', ');
    report(problems, at, `Attribute value ${value} not allowed. Expected one of [${possible}]`, '109');
    return value;
  }
  return examineNumber(property, value as number, at, problems);
}

function examineNumber(property: Property, value: number, at: string, problems: Problem[]): Json {
  const { min, max, step } = property;
  if (min !== undefined && value < min)
    report(problems, at, `Attribute value ${value} is below the minimum of ${min}`, '100');
  else if (max !== undefined && value > max)
    report(problems, at, `Attribute value ${value} is above the maximum of ${max}`, '100');
  else if (step !== undefined && value % step !== 0)
    report(problems, at, `Attribute value ${value} is not a multiple of ${step}`, '100');
  return value;
}

function examineList(property: Property, value: Json[], at: string, problems: Problem[]): Json {
  if (value.length < (property.min ?? 0)) report(problems, at, `Expected at least ${property.min} elements`, '100');
  if (value.length > (property.max ?? Infinity)) {
    report(problems, at, `Expected at most ${property.max} elements, got ${value.length}`, '100');
    return value;
  }
  const { items } = property;
  if (!items) return value;
  return value.map((item, index) => examine(items, item, `${at}.[${index}]`, problems));
}

function examineMap(items: Property, most: number | undefined, value: Values, at: string, problems: Problem[]): Json {
  const entries = Object.entries(value);
  if (most !== undefined && entries.length > most) {
    report(problems, at, `Expected at most ${most} keys, got ${entries.length}`, '100');
    return value;
  }
  return Object.fromEntries(
    entries.map(([key, one]) => {
      if (key.length > 256 || !key.isWellFormed() || key.includes('\0'))
        report(problems, at, 'A key has at most 256 characters of well-formed Unicode without NUL', '100');
      return [key, examine(items, one, `${at}.${key}`, problems)];
    }),
  );
}

function wrong(value: Json, expected: string, at: string, problems: Problem[]): Json {
  const kind =
    value === null ? 'null' : Array.isArray(value) ? 'a list' : isObject(value) ? 'an object' : `a ${typeof value}`;
  report(problems, at, `Expected ${expected}, got ${kind}`, '100');
  return value;
}

export function report(problems: Problem[], at: string, message: string, code: string): void {
  if (problems.length < mostProblems) problems.push({ code, message: `[${shortened(at)}] ${message}` });
}

// A place may end with a key that the client made up.
const shortened = (at: string): string => (at.length > 300 ? `${at.slice(0, 299)}…` : at);

const shorten = (value: string): string => (value.length > 80 ? `${value.slice(0, 77)}…` : value);
