// Turns answers into text for a model: short, on one line, and always recognisable as data. Users' texts (names,
// descriptions, log lines) stay inside JSON strings. Invisible characters, which could hide an instruction or change
// the reading direction, are written as escapes.
import { isObject, type Json, type Values } from '../base/json.ts';

const maxCharacters = 60_000; // about 15,000 tokens

// `hint`: how to request the rest of a long answer.
export function resultText(value: Json, hint = ''): string {
  if (typeof value === 'string') return fitText(escapeInvisible(value), hint);
  return escapeInvisible(JSON.stringify(fit(value, hint)));
}

// Control characters except line breaks and tabs, formatting characters (direction marks, zero-width characters, tags),
// other line separators, variation selectors.
const invisible = /(?![\n\t])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{VS}]/gu;

export const escapeInvisible = (text: string): string =>
  text.replace(invisible, (found) =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  );

const fitText = (text: string, hint: string): string =>
  text.length <= maxCharacters
    ? text
    : `${text.slice(0, maxCharacters)}\n… ${text.length - maxCharacters} more characters were omitted. ${hint}`;

const besidesItems = 5000; // characters of a page that are not its items

// How many items of a page go into one answer: at least one, which is truncated if it is too long alone. The list ends
// its page there, so that the next page begins with the first item that was not shown.
export const fittingItems = (items: readonly Json[]): number => countWithin(items, maxCharacters - besidesItems);

interface Cut {
  at: string;
  shown: number;
  left_out: number;
}

const noteSize = 2000; // characters for `shortened` and `note`
const fairShare = maxCharacters / 4; // what each list keeps if several are long

// Truncates the longest list first, then the next one. The result says which lists were truncated, by how much, and how
// to request the rest.
function fit(value: Json, hint: string): Json {
  let length = JSON.stringify(value).length;
  if (length <= maxCharacters) return value;
  const cuts = new Map<string, Cut>();
  const whole = structuredClone(Array.isArray(value) ? { items: value } : value);
  const most = maxCharacters - noteSize;
  while (length > most) {
    const longest = longestList(whole, '');
    if (!longest || longest.list.length < 2) return withNote(shortenTexts(whole), cuts, hint);
    const { at, list, size } = longest;
    const room = Math.max(size - (length - most), Math.min(fairShare, size / 2));
    const kept = Math.min(countWithin(list, room), list.length - 1);
    const left = list.length - kept + (cuts.get(at)?.left_out ?? 0);
    list.length = kept;
    cuts.set(at, { at, shown: kept, left_out: left });
    length = JSON.stringify(whole).length;
  }
  return withNote(whole, cuts, hint);
}

// How many of the first items fit; at least one.
function countWithin(items: readonly Json[], room: number): number {
  let left = room;
  const past = items.findIndex((item) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0;
  });
  return past === -1 ? items.length : Math.max(past, 1);
}

const maxCuts = 20;

function withNote(whole: Json, cuts: ReadonlyMap<string, Cut>, hint: string): Json {
  const shortened: Values[] = [...cuts.values()].slice(0, maxCuts).map((cut) => ({ ...cut }));
  const note = `The result is too long for one answer, so a part is omitted. ${hint || 'Request less.'}`;
  return { ...(isObject(whole) ? whole : { value: whole }), shortened, note };
}

// No list can be shortened further, so the long part is a text.
function shortenTexts(one: Json): Json {
  if (typeof one === 'string') return one.length > 1000 ? `${one.slice(0, 1000)}… (${one.length} characters)` : one;
  if (Array.isArray(one)) return one.map(shortenTexts);
  if (!isObject(one)) return one;
  return Object.fromEntries(Object.entries(one).map(([name, each]) => [name, shortenTexts(each)]));
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
    // A nested list counts only if it makes up most of the outer one.
    if (found && (!longest || found.size > longest.size * 0.8)) longest = found;
  }
  return longest;
}

const secretNames =
  /^(?:privateKey|secretKey|secretAccessKey|secret|password|imagePassword|keySecret|sharedKey|hmacKey)$/;

export const notShown = '(set, not shown)';

// Secrets that an API shows to their owner must not reach a model.
export function redacted(value: Json, alsoSecret: ReadonlySet<string> = new Set()): Json {
  if (Array.isArray(value)) return value.map((one) => redacted(one, alsoSecret));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      (secretNames.test(name) || alsoSecret.has(name)) && typeof inner === 'string' && inner !== ''
        ? notShown
        : redacted(inner, alsoSecret),
    ]),
  );
}
