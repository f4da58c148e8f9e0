// How answers become text for a model: short, on one line, and always recognisable as data. What users of the platform
// have written (names, descriptions, log lines) stays inside JSON strings; characters that nobody sees, which could
// hide an instruction or turn the reading direction, are written as escapes.
import { isObject, type Json, type Values } from '../base/json.ts';

const mostCharacters = 60_000; // about 15,000 tokens

export function resultText(value: Json): string {
  if (typeof value === 'string') return fitText(escapeInvisible(value));
  const fitted = fit(value);
  return escapeInvisible(JSON.stringify(fitted));
}

// Control characters but for line breaks and tabs, formatting characters (marks of direction, zero-width ones, tags),
// other separators of lines, variation selectors.
const invisible = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{VS}]/gu;

export const escapeInvisible = (text: string): string =>
  text.replace(invisible, (found) =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

const fitText = (text: string): string =>
  text.length <= mostCharacters
    ? text
    : `${text.slice(0, mostCharacters)}\n… ${text.length - mostCharacters} more characters are left out.`;

const besidesItems = 5000; // characters of a page that are not its items

// How many items of a page go into one answer: at least one, which is shortened where it is too long alone. A list
// ends its page there, so that the next one begins with the first item that was not shown.
export function fittingItems(items: readonly Json[]): number {
  let left = mostCharacters - besidesItems;
  const past = items.findIndex((item) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0;
  });
  return past === -1 ? items.length : Math.max(past, 1);
}

interface Cut {
  at: string;
  shown: number;
  of: number;
}

// The longest lists are halved until the whole fits, and the result says which and by how much.
function fit(value: Json): Json {
  if (JSON.stringify(value).length <= mostCharacters) return value;
  const cuts = new Map<string, Cut>();
  const whole = structuredClone(Array.isArray(value) ? { items: value } : value);
  for (let length = Number.POSITIVE_INFINITY; length > mostCharacters; length = JSON.stringify(whole).length) {
    const longest = longestList(whole, '');
    if (!longest || longest.list.length < 2) return shortenTexts(whole, cuts);
    const { at, list } = longest;
    const of = cuts.get(at)?.of ?? list.length;
    list.length = Math.ceil(list.length / 2);
    cuts.set(at, { at, shown: list.length, of });
  }
  return withNote(whole, cuts);
}

function withNote(whole: Json, cuts: ReadonlyMap<string, Cut>): Json {
  const shortened: Values[] = [...cuts.values()].map(({ at, shown, of }) => ({ at, shown, of }));
  const note = 'The answer is too long: ask for less, by a filter, a smaller limit and an offset, or one resource.';
  return { ...(isObject(whole) ? whole : { value: whole }), shortened, note };
}

// No list is left to shorten: what is long is a text.
function shortenTexts(value: Json, cuts: ReadonlyMap<string, Cut>): Json {
  const shorten = (one: Json): Json => {
    if (typeof one === 'string') return one.length > 1000 ? `${one.slice(0, 1000)}… (${one.length} characters)` : one;
    if (Array.isArray(one)) return one.map(shorten);
    return isObject(one) ? Object.fromEntries(Object.entries(one).map(([name, each]) => [name, shorten(each)])) : one;
  };
  return withNote(shorten(value), cuts);
}

interface FoundList {
  at: string;
  list: Json[];
  size: number;
}

function longestList(value: Json, at: string): FoundList | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  let longest: FoundList | undefined;
  if (Array.isArray(value) && value.length > 1) longest = { at, list: value, size: JSON.stringify(value).length };
  for (const [name, inner] of Object.entries(value)) {
    const found = longestList(inner as Json, at === '' ? name : `${at}.${name}`);
    // A list in a long one counts only where it is most of it.
    if (found && (!longest || found.size > longest.size * 0.8)) longest = found;
  }
  return longest;
}

const secretNames =
  /^(?:privateKey|secretKey|secretAccessKey|secret|password|imagePassword|keySecret|sharedKey|hmacKey)$/;

// Secrets that an API shows to their owner are not for a model.
export function redacted(value: Json, alsoSecret: ReadonlySet<string> = new Set()): Json {
  if (Array.isArray(value)) return value.map((one) => redacted(one, alsoSecret));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      (secretNames.test(name) || alsoSecret.has(name)) && typeof inner === 'string' && inner !== ''
        ? '(set, not shown)'
        : redacted(inner, alsoSecret),
    ]),
  );
}
