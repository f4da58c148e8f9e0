// Creates texts that match a schema: by pattern, by format, or words within the length bounds.
import { createRequire } from 'node:module';
import type { Values } from '../../../base/json.ts';
import { compileSearch } from '../../../core/regexp.ts';
import { EngineError } from '../engine.ts';
import { pick, type Random, wholeBetween } from './random.ts';
import type { WorkBudget } from './work-budget.ts';

const words =
  'amber birch cedar delta ember fjord grove harbor island jade kite lake maple north ocean pine quartz river stone tide'.split(
    ' ',
  );
const maxDraws = 20_000; // random choices per text: nested repetitions grow without end
const maxTries = 20;
const matchCost = 20; // for each character

export function stringFor(schema: Values, random: Random, work: WorkBudget): string {
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0;
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : Math.max(least, 40);
  work.take(least);
  if (typeof schema.pattern === 'string') return matching(schema.pattern, least, most, random, work);
  const form = typeof schema.format === 'string' ? formats[schema.format] : undefined;
  if (form) return form(random);
  let text = pick(random, words);
  while (text.length < least) text += ` ${pick(random, words)}`;
  return text.slice(0, most);
}

function matching(pattern: string, least: number, most: number, random: Random, work: WorkBudget): string {
  const isMatch = compileSearch(pattern); // throws if it is too large
  let made = '';
  for (let tries = 0; tries < maxTries; tries++) {
    made = drawn(pattern, Math.max(8, least), random);
    work.take(matchCost * (pattern.length + made.length + least));
    if (made.length >= least && made.length <= most && isMatch(made)) return made;
    // The text after a pattern without an end anchor is free.
    const padded = made.padEnd(least, 'x');
    if (padded.length <= most && isMatch(padded)) return padded;
  }
  return made; // the check of the whole value decides
}

function drawn(pattern: string, longest: number, random: Random): string {
  const RandExp = createRequire(import.meta.url)('randexp') as typeof import('randexp').default;
  let draws = 0;
  const expression = new RandExp(pattern);
  expression.max = longest;
  expression.randInt = (from, to) => {
    draws += 1;
    if (draws > maxDraws) throw new EngineError('schema', 'A pattern of this schema is too large for the tiny model.');
    return wholeBetween(random, from, to);
  };
  return expression.gen();
}

const two = (value: number): string => String(value).padStart(2, '0');
const hex = (random: Random, size: number): string =>
  Array.from({ length: size }, () => wholeBetween(random, 0, 15).toString(16)).join('');
const date = (random: Random): string =>
  `20${two(wholeBetween(random, 20, 39))}-${two(wholeBetween(random, 1, 12))}-${two(wholeBetween(random, 1, 28))}`;
const time = (random: Random): string =>
  `${two(wholeBetween(random, 0, 23))}:${two(wholeBetween(random, 0, 59))}:${two(wholeBetween(random, 0, 59))}Z`;
const email = (random: Random): string => `${pick(random, words)}@example.com`;
const uri = (random: Random): string => `https://example.com/${pick(random, words)}`;

const formats: Readonly<Record<string, (random: Random) => string>> = {
  date,
  time,
  'date-time': (random) => `${date(random)}T${time(random)}`,
  duration: (random) => `P${wholeBetween(random, 1, 30)}D`,
  email,
  'idn-email': email,
  uuid: (random) => `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-8${hex(random, 3)}-${hex(random, 12)}`,
  uri,
  'uri-reference': uri,
  url: uri,
  iri: uri,
  hostname: (random) => `${pick(random, words)}.example.com`,
  'idn-hostname': (random) => `${pick(random, words)}.example.com`,
  ipv4: (random) => `192.0.2.${wholeBetween(random, 1, 254)}`,
  ipv6: (random) => `2001:db8::${hex(random, 3)}1`,
  regex: () => '^[a-z]+$',
  'json-pointer': (random) => `/${pick(random, words)}`,
};
