// What is looked for in the activity log, the bars of a day, and entries that belong together.
import { kindTitle } from '../../src/console/titles.ts';
import { lower } from '../resources/words.ts';
import type { Affected, Entry, Span } from './activity-api.ts';

export type Kind = 'changes' | 'all' | 'reads' | 'failed' | 'access';

export interface Query {
  kind: Kind;
  user: string;
  resource: string; // a part of the path, a type or an id
  action: string;
}

export const kinds: readonly (readonly [Kind, string])[] = [
  ['changes', 'Changes'],
  ['failed', 'Failed and refused'],
  ['access', 'Sign-ins, tokens and keys'],
  ['reads', 'Reads'],
  ['all', 'Everything'],
];

const accessTypes = /login|logout|token|key|session/i;

export function fitsKind({ type, status, action }: Entry, kind: Kind): boolean {
  switch (kind) {
    case 'changes':
      return type !== 'Retrieval';
    case 'reads':
      return type === 'Retrieval';
    case 'failed':
      return status === 'FAILED' || status === 'REFUSED';
    case 'access':
      return type !== 'Retrieval' && accessTypes.test(`${type} ${action}`);
    case 'all':
      return true;
  }
}

export function fits(entry: Entry, { kind, user, resource, action }: Query): boolean {
  const has = (texts: readonly string[], word: string): boolean =>
    word === '' || texts.some((text) => text.toLowerCase().includes(word.toLowerCase()));
  return (
    fitsKind(entry, kind) &&
    has([entry.user, entry.address], user) &&
    has([entry.action, actionText(entry.action), entry.type, entry.method], action) &&
    has([entry.resource, entry.path, entry.requestId, ...entry.resources.flatMap(textsOf)], resource)
  );
}

const textsOf = ({ id, name }: Affected): string[] => (name === undefined ? [id] : [id, name]);

const mostNamed = 3;

// What entries that belong together were done to: each thing once, by its name where it has one. Those without things
// say which path was called.
export function subjectOf(entries: readonly Entry[]): string {
  const [first] = entries;
  const things = new Map(
    entries.flatMap(({ resources }) => resources.map((one) => [`${one.type} ${one.id}`, one] as const)),
  );
  const named = [...things.values()];
  if (named.length === 0) return entries.length === 1 ? calledText(first?.resource ?? '') : '';
  const said = new Set<string>();
  const done = actionText(first?.action ?? '').toLowerCase(); // `Create server` has said it
  const texts = named.slice(0, mostNamed).map(({ type, id, name = id }) => {
    const kind = lower(kindTitle(type));
    const isSaid = said.has(kind) || done.endsWith(` ${kind.toLowerCase()}`);
    said.add(kind);
    return isSaid ? name : `${kind} ${name}`;
  });
  const more = named.length - texts.length;
  return texts.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

// The console's own calls: objects by bucket and key, lists by their kind; the action says the rest.
const calledText = (path: string): string =>
  /^\/console\/(?:s3|across)\/(.*)$/s.exec(path)?.[1] ?? (path.startsWith('/console/') ? '' : path);

// It was done to this thing, or to something in it.
export const isOfThing = (entry: Entry, path: string, id: string): boolean =>
  entry.resources.some((one) => one.id === id) || entry.path === path || entry.path.startsWith(`${path}/`);

export interface Range {
  name: string;
  title: string;
  stepMs: number;
  steps: number;
}

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];

export const ranges: readonly Range[] = [
  { name: 'hour', title: 'Last hour', stepMs: 2 * minute, steps: 30 },
  { name: 'day', title: 'Last 24 hours', stepMs: hour, steps: 24 },
  { name: 'week', title: 'Last 7 days', stepMs: 6 * hour, steps: 28 },
  { name: 'all', title: 'All 35 days', stepMs: day, steps: 36 },
];

export const rangeNamed = (name: string): Range => ranges.find((one) => one.name === name) ?? (ranges[1] as Range);

// The spans of a range's bars, oldest first; the last one holds the present. They begin where a clock of this time zone
// strikes: `zoneMs` is how far it is ahead of UTC.
export function stepsOf({ stepMs, steps }: Pick<Range, 'stepMs' | 'steps'>, nowMs: number, zoneMs: number): Span[] {
  const end = Math.floor((nowMs + zoneMs) / stepMs) * stepMs + stepMs - zoneMs;
  return Array.from({ length: steps }, (_, at) => {
    const from = end - (steps - at) * stepMs;
    return { from, to: from + stepMs };
  });
}

// Around a moment that an address names.
export const around = (ms: number): Span => ({ from: ms - 5 * minute, to: ms + 5 * minute });

export const zoneOf = (ms: number): number => -new Date(ms).getTimezoneOffset() * minute;

export interface Group {
  key: string;
  entries: readonly Entry[]; // newest first; the same user did the same with the same outcome
}

export interface Day {
  title: string;
  groups: readonly Group[];
}

export function daysOf(entries: readonly Entry[], dayTitle: (iso: string) => string): Day[] {
  const days: { title: string; groups: { key: string; entries: Entry[] }[] }[] = [];
  for (const entry of entries) {
    const title = dayTitle(entry.time);
    let last = days.at(-1);
    if (last?.title !== title) {
      last = { title, groups: [] };
      days.push(last);
    }
    const group = last.groups.at(-1);
    if (group && isAlike(group.entries[0] as Entry, entry)) group.entries.push(entry);
    else last.groups.push({ key: entry.id, entries: [entry] });
  }
  return days;
}

const isAlike = (a: Entry, b: Entry): boolean =>
  a.user === b.user && a.action === b.action && a.type === b.type && a.status === b.status;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const verbs: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['create', 'make', 'generate'].map((verb) => [verb, 'Create'])),
  ...Object.fromEntries(
    ['replace', 'update', 'change', 'modify', 'patch', 'put', 'set'].map((verb) => [verb, 'Change']),
  ),
  ...Object.fromEntries(['remove', 'delete'].map((verb) => [verb, 'Delete'])),
  ...Object.fromEntries(['get', 'read', 'show', 'head'].map((verb) => [verb, 'Read'])),
  ...Object.fromEntries(
    (
      'add advance assign attach confirm detach list query reboot renew reset restore resume scale send start stop ' +
      'suspend upgrade'
    )
      .split(' ')
      .map((verb) => [verb, capital(verb)]),
  ),
};

// `ip.ipblock.create`, `server_volumes_attach` and `objects_PutObject` as people say them: Create IP block, Attach
// volume, Upload object.
export function actionText(action: string): string {
  const words = action.split(/[._]/).filter(Boolean);
  const end = words.findIndex((word, at) => at > 0 && /^(?:of|by|all)$/.test(word)); // factor_get_of_user
  const told = end < 0 ? words : words.slice(0, end);
  const last = told.at(-1) ?? '';
  const subject = told.at(-2);
  const verb = verbs[last.toLowerCase()];
  if (subject !== undefined && verb !== undefined) return `${verb} ${lower(kindTitle(subject))}`;
  const phrase = last.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
  const [first = '', ...rest] = phrase.split(' ');
  if (phrase === 'put object') return 'Upload object';
  if (rest.length > 0) return [verbs[first] ?? capital(first), ...rest].join(' ');
  return subject === undefined ? capital(phrase) : `${kindTitle(subject)} ${phrase}`;
}

export function queryOf(search: URLSearchParams): Query {
  const kind = search.get('kind') ?? '';
  const text = (name: string): string => search.get(name) ?? '';
  const known = kinds.find(([one]) => one === kind)?.[0];
  // A link that looks for one thing wants all that is known of it.
  const usual: Kind = search.has('resource') ? 'all' : 'changes';
  return { kind: known ?? usual, user: text('user'), resource: text('resource'), action: text('action') };
}
