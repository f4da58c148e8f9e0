// Parses the XML bodies of requests into elements. Hostile input is refused early: a document type (custom entities,
// external files), unknown entities, deep nesting, and more markup than any request needs.
import type { X2jOptions, XMLParser } from 'fast-xml-parser';
import { s3Fault } from '../error.ts';
import type { S3Code } from '../error-codes.ts';
import { library } from './library.ts';

export interface XmlLimits {
  bytes: number;
  marks: number; // tags, attributes and entities, which take the parser's time
}

// The limits of each kind of document: parsing delays all other requests.
const usual: XmlLimits = { bytes: 256 * 1024, marks: 1000 };
export const manyElements: XmlLimits = { ...usual, marks: 10_000 };
export const mostXmlBytes = 4 * 1024 * 1024; // of any kind: 10,000 parts with checksums need about 3 MB
const mostDepth = 16;
const longestTag = 4096; // including attributes: the parser is very slow with many of them

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const entity = /&(?:#x([0-9a-f]{1,6});|#(\d{1,7});|(\w+);)?/gi;

const decodeEntities = (text: string): string => (text.includes('&') ? text.replace(entity, decodeEntity) : text);

function decodeEntity(_whole: string, hex?: string, decimal?: string, name?: string): string {
  if (hex === undefined && decimal === undefined) {
    if (name !== undefined && Object.hasOwn(named, name)) return named[name] as string;
    return malformed('It has an unknown entity.');
  }
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  if (point === 0 || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) malformed('There is no such character.');
  return String.fromCodePoint(point);
}

const settings: X2jOptions = {
  ignoreAttributes: false,
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false, // an object key may begin or end with spaces
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: mostDepth,
  jPath: false,
  entityDecoder: {
    decode: decodeEntities,
    reset: () => {},
    setXmlVersion: () => {},
    setExternalEntities: () => {},
    addInputEntities: () => {},
  },
};

let parser: XMLParser | undefined;

// Returns the root element, which must have one of these names, in any namespace.
export function parseXml(body: string | Uint8Array, roots: string | string[], limits: XmlLimits = usual): Element {
  const text = textOf(body, limits);
  if (text.trim() === '') throw s3Fault('MissingRequestBodyError');
  if (/<!(?!--|\[CDATA\[)/.test(text)) malformed('A document type is not allowed.');
  checkMarks(text, limits);
  const parsed = parsedFrom(text);
  const [name = '', ...more] = Object.keys(parsed).filter((one) => one !== '#text');
  const allowed = [roots].flat();
  if (more.length > 0 || !allowed.includes(name) || Array.isArray(parsed[name]))
    malformed(`The root must be ${allowed.join(' or ')}.`);
  return new Element(name, parsed[name]);
}

function textOf(body: string | Uint8Array, { bytes }: XmlLimits): string {
  if (body.length > bytes) throw s3Fault('MaxMessageLengthExceeded');
  if (typeof body === 'string') return body;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return malformed('It is not UTF-8.');
  }
}

function checkMarks(text: string, { marks }: XmlLimits): void {
  let left = marks;
  for (const sign of ['<', '&', '=']) // the last one is in every attribute, but rarely in text
    for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1))
      if (--left < 0) malformed('It has too many elements.');
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) at = endOfMarkup(text, at);
}

const plainParts = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
] as const;

function endOfMarkup(text: string, from: number): number {
  for (const [begin, end] of plainParts) {
    if (!text.startsWith(begin, from)) continue;
    const at = text.indexOf(end, from + begin.length);
    return at < 0 ? malformed(`It has no '${end}'.`) : at + end.length;
  }
  let quote = '';
  for (let at = from + 1; at < from + longestTag; at++) {
    const sign = text[at];
    if (sign === undefined) return at; // the validator reports the error
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '>') return at + 1;
  }
  return malformed('A tag is too long.');
}

function parsedFrom(text: string): Record<string, unknown> {
  const { XMLParser, XMLValidator } = library();
  const verdict = XMLValidator.validate(text);
  if (verdict !== true) malformed(verdict.err.msg);
  try {
    parser ??= new XMLParser(settings);
    return parser.parse(text) as Record<string, unknown>;
  } catch (error) {
    throw s3Fault('MalformedXML', undefined, error);
  }
}

// One element as the readers see it. Elements that S3 does not know are ignored.
export class Element {
  readonly name: string;
  readonly #content: Record<string, unknown>;
  readonly text: string;

  constructor(name: string, content: unknown) {
    this.name = name;
    this.#content = typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : {};
    const text = typeof content === 'string' ? content : this.#content['#text'];
    this.text = typeof text === 'string' ? text : '';
  }

  attribute(name: string): string | undefined {
    const value = Object.hasOwn(this.#content, `@_${name}`) ? this.#content[`@_${name}`] : undefined;
    return typeof value === 'string' ? value : undefined;
  }

  all(name: string): Element[] {
    if (!Object.hasOwn(this.#content, name)) return [];
    const value = this.#content[name];
    return (Array.isArray(value) ? value : [value]).map((each) => new Element(name, each));
  }

  optional(name: string): Element | undefined {
    const [first, ...more] = this.all(name);
    if (more.length > 0) malformed(`${this.name} has more than one ${name}.`);
    return first;
  }

  required(name: string): Element {
    return this.optional(name) ?? malformed(`${this.name} needs ${name}.`);
  }

  // Returns the text of a child, with its white space.
  raw(name: string): string | undefined {
    return this.optional(name)?.text;
  }

  string(name: string): string | undefined {
    return this.optional(name)?.text.trim();
  }

  integer(name: string, least: number, most: number, code: S3Code = 'MalformedXML') {
    const text = this.string(name);
    if (text === undefined) return undefined;
    if (!/^[+-]?\d{1,15}$/.test(text)) malformed(`${name} must be a whole number.`);
    const number = Number(text);
    if (number >= least && number <= most) return number;
    throw s3Fault(code, `'${name}' must be from ${least} to ${most}.`);
  }

  boolean(name: string): boolean | undefined {
    const text = this.string(name)?.toLowerCase();
    if (text === undefined) return undefined;
    return text === 'true' || (text === 'false' ? false : malformed(`${name} must be true or false.`));
  }

  choice<const T extends string>(name: string, choices: readonly T[]): T | undefined {
    const text = this.string(name);
    if (text === undefined) return undefined;
    const found = choices.find((choice) => choice === text);
    return found ?? malformed(`${name} must be one of ${choices.join(', ')}.`);
  }
}

export function malformed(reason: string): never {
  throw s3Fault('MalformedXML', `The XML you provided was not well-formed or did not validate: ${reason}`);
}
