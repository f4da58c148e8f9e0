// The attributes and values of OTLP in JSON, which metrics and logs share.
import { isObject, type Json, type Values } from '../../../base/json.ts';
import { listAt, numberAt, objectAt, textAt } from '../json-values.ts';
import { UnreadablePush } from '../push-body.ts';
import { type Attributes, mostAttributes } from './attributes.ts';

const deepest = 16;

export function* objects(value: Json | undefined, path: string): Generator<[Values, string]> {
  const list = listAt(value, path);
  for (let at = 0; at < list.length; at++) yield [objectAt(list[at], `${path}[${at}]`), `${path}[${at}]`];
}

export function attributesAt(value: Json | undefined, path: string): Attributes {
  const attributes: Attributes = [];
  for (const [attribute, at] of objects(value, path)) {
    if (attributes.length > mostAttributes) break;
    attributes.push([textAt(attribute.key, `${at}.key`), valueAt(attribute.value, `${at}.value`, 0)]);
  }
  return attributes;
}

export function valueAt(value: Json | undefined, path: string, depth = 0): Json {
  if (depth > deepest) throw new UnreadablePush(`${path}: nested deeper than ${deepest} levels`);
  if (value === undefined || value === null) return '';
  const anyValue = objectAt(value, path);
  if (anyValue.stringValue !== undefined) return textAt(anyValue.stringValue, `${path}.stringValue`);
  if (anyValue.bytesValue !== undefined) return textAt(anyValue.bytesValue, `${path}.bytesValue`);
  if (anyValue.boolValue !== undefined) return anyValue.boolValue === true;
  if (anyValue.intValue !== undefined) return integerAt(anyValue.intValue, `${path}.intValue`);
  if (anyValue.doubleValue !== undefined) return numberAt(anyValue.doubleValue, `${path}.doubleValue`);
  if (isObject(anyValue.arrayValue)) return listOf(anyValue.arrayValue, `${path}.arrayValue.values`, depth + 1);
  if (isObject(anyValue.kvlistValue)) return mapOf(anyValue.kvlistValue, `${path}.kvlistValue.values`, depth + 1);
  return '';
}

function integerAt(value: Json, path: string): Json {
  const number = numberAt(value, path);
  return Number.isSafeInteger(number) ? number : String(value);
}

const listOf = ({ values }: Values, path: string, depth: number): Json[] =>
  listAt(values, path)
    .slice(0, mostAttributes)
    .map((value, at) => valueAt(value, `${path}[${at}]`, depth));

function mapOf({ values }: Values, path: string, depth: number): Json {
  const entries: [string, Json][] = [];
  for (const [{ key, value }, at] of objects(values, path)) {
    if (entries.length >= mostAttributes) break;
    entries.push([textAt(key, `${at}.key`), valueAt(value, `${at}.value`, depth)]);
  }
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
