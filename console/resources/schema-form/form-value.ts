// The value of a form as the JSON that will be sent, and its problems. A field is named by its path in the value:
// `properties.nics.0.lan`.
import { signal } from '@preact/signals';
import { ApiError, plainMessage } from '../../api.ts';
import type { FieldSchema } from '../model.ts';

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json | undefined };
export type Place = readonly string[];

type Fit = (value: Json, before: Json) => Json;

export class FormValue {
  readonly value;
  readonly problems = signal<Readonly<Record<string, string>>>({}); // by path
  readonly others = signal<unknown>(undefined); // errors that belong to no field

  #initial: string;
  readonly #unread = new Map<string, string>(); // problems of texts that can't be parsed, by path
  #fit: Fit;

  // `fit` adapts the value after each change.
  constructor(initial: Json, fit: Fit = (value) => value) {
    this.#fit = fit;
    this.value = signal<Json>(initial);
    this.#initial = textOf(initial);
  }

  get isChanged(): boolean {
    return this.#unread.size > 0 || textOf(this.value.value) !== this.#initial;
  }

  at(place: Place): Json | undefined {
    return valueAt(this.value.value, place);
  }

  set(place: Place, value: Json | undefined): void {
    const before = this.value.value;
    this.value.value = this.#fit(withValue(before, place, value) ?? {}, before);
    const key = place.join('.');
    if (key in this.problems.value)
      this.problems.value = Object.fromEntries(Object.entries(this.problems.value).filter(([name]) => name !== key));
  }

  // Sets an initial value, which does not count as a change by the user.
  begin(place: Place, value: Json | undefined): void {
    const { isChanged } = this;
    this.set(place, value);
    if (!isChanged) this.#initial = textOf(this.value.value);
  }

  // Marks a text that can't be parsed. The form is not sent until it is fixed, with `undefined` as problem.
  markUnreadable(place: Place, problem: string | undefined): void {
    const key = place.join('.');
    if (problem === undefined && !this.#unread.delete(key)) return;
    if (problem !== undefined) this.#unread.set(key, problem);
    const { [key]: _, ...others } = this.problems.value;
    this.problems.value = problem === undefined ? others : { ...others, [key]: problem };
  }

  // Checks the value, shows the problems and returns true if there are none.
  isReady(schema: FieldSchema, sent: Json | undefined = this.value.value): boolean {
    this.problems.value = { ...problemsOf(schema, sent), ...Object.fromEntries(this.#unread) };
    this.others.value = undefined;
    return Object.keys(this.problems.value).length === 0;
  }

  // Shows the problems of a check. If the first item of a list is missing, its empty field is added.
  reject(problems: Readonly<Record<string, string>>): void {
    for (const place of Object.keys(problems).map((key) => key.split('.')))
      if (place.at(-1) === '0' && this.at(place) === undefined) this.set(place.slice(0, -1), ['']);
    this.problems.value = problems;
  }

  // Moves problems of hidden fields to the general errors.
  reportHidden(isShown: (key: string) => boolean): void {
    const unshown = Object.entries(this.problems.value).filter(([key]) => !isShown(key));
    if (unshown.length === 0) return;
    const hidden = unshown.map(([key, message]) => ({ errorCode: '', message: `${key}: ${message}` }));
    const others = this.others.value instanceof ApiError ? this.others.value.problems : [];
    this.others.value = new ApiError(422, [...others, ...hidden]);
  }

  // Shows the errors of the platform next to the fields that they name.
  take(error: unknown, schema: FieldSchema): void {
    const [byPlace, others] = sorted(error, schema);
    this.problems.value = byPlace;
    this.others.value = others;
  }
}

// Equal for equal values, independent of the order of keys.
const textOf = (value: Json): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort())
      : one,
  );

export function valueAt(value: Json | undefined, place: Place): Json | undefined {
  let one: Json | undefined = value;
  for (const name of place) {
    if (typeof one !== 'object' || one === null) return undefined;
    one = (one as { readonly [name: string]: Json | undefined })[name];
  }
  return one;
}

export function withValue(whole: Json | undefined, place: Place, value: Json | undefined): Json | undefined {
  const [name, ...rest] = place;
  if (name === undefined) return value;
  if (Array.isArray(whole)) {
    const items: (Json | undefined)[] = [...(whole as readonly Json[])];
    items[Number(name)] = withValue(items[Number(name)], rest, value);
    return items.filter((one): one is Json => one !== undefined);
  }
  const object = typeof whole === 'object' && whole !== null ? (whole as Record<string, Json | undefined>) : {};
  const next = withValue(object[name], rest, value);
  const { [name]: _, ...others } = object;
  return next === undefined ? others : { ...others, [name]: next };
}

// The type of a schema without null, which only clears a value.
export const typeOf = (schema: FieldSchema): string | undefined =>
  [schema.type].flat().find((one): one is string => typeof one === 'string' && one !== 'null');

export const propertiesOf = (schema: FieldSchema): [string, FieldSchema][] =>
  Object.entries((schema.properties ?? {}) as Record<string, FieldSchema>);

// True for fields that the form shows: not read-only, deprecated or hidden ones.
export const isShownInForms = ({ readOnly, deprecated, 'x-asked': isInForms }: FieldSchema): boolean =>
  readOnly !== true && deprecated !== true && isInForms !== false;

// The required properties of an object with these values. A property that may be empty is never missing.
export function requiredOf(schema: FieldSchema, value?: Json): readonly string[] {
  const needed = propertiesOf(schema).filter(([, one]) => isNeeded(one['x-needed'], value));
  const named = new Set([...((schema.required ?? []) as readonly string[]), ...needed.map(([name]) => name)]);
  for (const [name, one] of propertiesOf(schema)) if (mayBeEmpty(one)) named.delete(name);
  return [...named];
}

// Rarely changed properties that have their default value.
export function rareIn(schema: FieldSchema, value?: Json): readonly string[] {
  const required = requiredOf(schema, value);
  return propertiesOf(schema)
    .filter(([name, one]) => one['x-rare'] === true && isShownInForms(one) && !required.includes(name))
    .filter(([name, one]) => isAsByDefault(one, valueAt(value, [name])))
    .map(([name]) => name);
}

const isAsByDefault = (schema: FieldSchema, value: Json | undefined): boolean =>
  value === undefined || value === null || JSON.stringify(value) === JSON.stringify(schema.default ?? []);

const isNeeded = (rule: unknown, value: Json | undefined): boolean =>
  rule === true ||
  (rule !== undefined &&
    Object.entries(rule as Record<string, readonly string[]>).every(([name, words]) =>
      words.includes(String(valueAt(value, [name]))),
    ));

export const mayBeEmpty = (schema: FieldSchema): boolean => schema.default === '';

export const choicesIn = (schema: FieldSchema): readonly (string | number | boolean)[] | undefined =>
  Array.isArray(schema.enum)
    ? (schema.enum as (string | number | boolean | null)[]).filter((one) => one !== null)
    : undefined;

// The initial value. Required lists start with one item, so that the user sees its fields.
export function initialValue(schema: FieldSchema): Json {
  const type = typeOf(schema);
  if (type === 'array') return [initialValue((schema.items ?? {}) as FieldSchema)];
  if (type !== 'object') return '';
  const required = requiredOf(schema);
  const lists = propertiesOf(schema).filter(
    ([name, one]) => required.includes(name) && isShownInForms(one) && typeOf(one) === 'array' && one.items,
  );
  return Object.fromEntries(lists.map(([name, one]) => [name, initialValue(one)]));
}

// Problems that are found before the form is sent, by path.
export function problemsOf(schema: FieldSchema, value: Json | undefined, place: Place = []): Record<string, string> {
  const key = place.join('.');
  if (value === undefined || value === null) return {};
  const type = typeOf(schema);
  if (typeof value === 'object' && !Array.isArray(value)) {
    const object = value as Record<string, Json | undefined>;
    const lacking = requiredOf(schema, value).filter((name) => object[name] === undefined || object[name] === '');
    return Object.assign(
      {},
      ...propertiesOf(schema).map(([name, one]) => problemsOf(one, object[name], [...place, name])),
      ...lacking.map((name) => ({ [[...place, name].join('.')]: 'This field is required.' })),
    ) as Record<string, string>;
  }
  if (Array.isArray(value)) {
    const items = (schema.items ?? {}) as FieldSchema;
    const problemsAt = (one: Json, at: string): Record<string, string> =>
      one === '' && !mayBeEmpty(items)
        ? { [[...place, at].join('.')]: 'This field is required.' }
        : problemsOf(items, one, [...place, at]);
    return Object.assign({}, ...value.map((one, at) => problemsAt(one as Json, String(at))));
  }
  const problem = typeof value === 'string' ? textProblem(schema, value) : numberProblem(schema, value, type);
  return problem === undefined ? {} : { [key]: problem };
}

// Finds a value that should be an object or a list but isn't, because a form can't show it.
export function shapeProblem(schema: FieldSchema, value: Json | undefined, place: Place = []): string | undefined {
  const type = typeOf(schema);
  if (value === undefined || value === null || (type !== 'object' && type !== 'array')) return undefined;
  const isList = Array.isArray(value);
  if (typeof value !== 'object' || isList !== (type === 'array'))
    return `${place.join('.') || 'Body'}: ${type === 'array' ? 'a list' : 'an object'} is expected.`;
  const inside = isList
    ? value.map((one: Json, at): [string, FieldSchema, Json] => [String(at), (schema.items ?? {}) as FieldSchema, one])
    : propertiesOf(schema).map(([name, one]): [string, FieldSchema, Json | undefined] => [
        name,
        one,
        (value as Record<string, Json | undefined>)[name],
      ]);
  for (const [name, one, part] of inside) {
    const problem = shapeProblem(one, part, [...place, name]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function textProblem(
  { minLength, maxLength, pattern, 'x-says': says }: FieldSchema,
  value: string,
): string | undefined {
  if (typeof minLength === 'number' && value.length < minLength) return `At least ${minLength} characters.`;
  if (typeof maxLength === 'number' && value.length > maxLength) return `At most ${maxLength} characters.`;
  if (typeof pattern === 'string' && !fits(pattern, value))
    return typeof says === 'string' ? sentence(says) : 'Invalid format.';
  return undefined;
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

// Patterns that the browser does not support are left to the region.
function fits(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(value);
  } catch {
    return true;
  }
}

function numberProblem(schema: FieldSchema, value: Json, type: string | undefined): string | undefined {
  if (typeof value !== 'number') return undefined;
  const { minimum, maximum, multipleOf } = schema;
  if (Number.isNaN(value)) return 'Enter a number.';
  if (type === 'integer' && !Number.isInteger(value)) return 'Enter a whole number.';
  if (typeof minimum === 'number' && value < minimum) return `At least ${minimum.toLocaleString()}.`;
  if (typeof maximum === 'number' && value > maximum) return `At most ${maximum.toLocaleString()}.`;
  if (typeof multipleOf === 'number' && value % multipleOf !== 0) return `Must be a multiple of ${multipleOf}.`;
  return undefined;
}

// `[(root).properties.nics[0].lan] …` belongs to the field properties.nics.0.lan or, if the body has no `properties`,
// to nics.0.lan.
function sorted(error: unknown, schema: FieldSchema): [byPlace: Record<string, string>, others: unknown] {
  if (!(error instanceof ApiError)) return [{}, error];
  const byPlace: Record<string, string> = {};
  const others = error.problems.filter(({ message }) => {
    const named = /^\[\(root\)\.?([^\s]*?)\]\s/.exec(message)?.[1];
    if (named === undefined || named === '') return true;
    const place = named.replace(/\[(\d+)\]/g, '.$1').split('.');
    const isNested = place[0] === 'entities'; // nested resources, whose fields the schema does not describe
    const own = [place, place.slice(1), ['properties', ...place]].find(
      (one) => one.length > 0 && (isNested || hasField(schema, one)),
    );
    if (!own) return true;
    byPlace[own.join('.')] = plainMessage(message);
    return false;
  });
  return [byPlace, others.length > 0 ? new ApiError(error.status, others) : undefined];
}

function hasField(schema: FieldSchema, [name, ...rest]: Place): boolean {
  if (name === undefined) return true;
  if (/^\d+$/.test(name) && schema.items) return hasField(schema.items as FieldSchema, rest);
  const inside = (schema.properties as Record<string, FieldSchema> | undefined)?.[name];
  return inside !== undefined && hasField(inside, rest);
}
