// The model of the activity page: search filters, steps of the bar chart, groups of similar entries, and texts.

import { lower } from '../resources/words.ts';
import { kindTitle } from '../sitemap.ts';
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

// The resources of a group of entries, each once, by name if there is one. Entries without resources show the path that
// was called.
export function subjectOf(entries: readonly Entry[]): string {
  const [first] = entries;
  const byId = new Map(
    entries.flatMap(({ resources }) => resources.map((one) => [`${one.type} ${one.id}`, one] as const)),
  );
  const named = [...byId.values()];
  if (named.length === 0) return entries.length === 1 ? calledText(first?.resource ?? '') : '';
  const said = new Set<string>();
  const done = actionText(first?.action ?? '').toLowerCase(); // `Create server` already contains the kind
  const texts = named.slice(0, mostNamed).map(({ type, id, name = id }) => {
    const kind = lower(kindTitle(type));
    const isSaid = said.has(kind) || done.endsWith(` ${kind.toLowerCase()}`);
    said.add(kind);
    return isSaid ? name : `${kind} ${name}`;
  });
  const more = named.length - texts.length;
  return texts.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

// The console's own calls are shown without prefix: objects by bucket and key, lists by kind.
const calledText = (path: string): string =>
  /^\/console\/(?:s3|across)\/(.*)$/s.exec(path)?.[1] ?? (path.startsWith('/console/') ? '' : path);

// Whether the entry is about this resource or one of its children.
export const isAboutResource = (entry: Entry, path: string, id: string): boolean =>
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

// The spans of a range's bars, oldest first; the last one contains the present. They start at full hours or days of the
// time zone, which is `zoneMs` ahead of UTC.
export function stepsOf({ stepMs, steps }: Pick<Range, 'stepMs' | 'steps'>, nowMs: number, zoneMs: number): Span[] {
  const end = Math.floor((nowMs + zoneMs) / stepMs) * stepMs + stepMs - zoneMs;
  return Array.from({ length: steps }, (_, at) => {
    const from = end - (steps - at) * stepMs;
    return { from, to: from + stepMs };
  });
}

// Five minutes before and after a moment that a link names.
export const around = (ms: number): Span => ({ from: ms - 5 * minute, to: ms + 5 * minute });

export const zoneOf = (ms: number): number => -new Date(ms).getTimezoneOffset() * minute;

export interface Group {
  key: string;
  entries: readonly Entry[]; // newest first; same user, action and outcome
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

const synonyms: Readonly<Record<string, string>> = {
  Create: 'create make generate',
  Change: 'change replace update modify patch put set',
  Delete: 'delete remove',
  Read: 'read get show head',
  Search: 'query',
};
const plainVerbs =
  'add advance assign attach complete confirm detach list plant push reboot renew rerank reset restore resume scale ' +
  'send start stop suspend test upgrade';

const verbs: ReadonlyMap<string, string> = new Map([
  ...Object.entries(synonyms).flatMap(([verb, words]) => words.split(' ').map((word) => [word, verb] as const)),
  ...plainVerbs.split(' ').map((verb) => [verb, capital(verb)] as const),
]);

// Operations whose names have no verb, or one that misleads.
const irregular: readonly (readonly [end: RegExp, text: string])[] = [
  [/pipeline[._]key(?:_replace)?$/, 'Replace pipeline key'],
  [/channel[._]secret(?:_replace)?$/, 'Replace channel secret'],
  [/^user_login$/, 'Sign in'],
  [/^group_users_remove$/, 'Remove user'],
  [/^loadbalancer_balancednics_remove$/, 'Remove balanced NIC'],
  [/_PutObject$/, 'Upload object'],
];

// Nouns of operations that are not kinds of resources.
const nouns: Readonly<Record<string, string>> = {
  across: 'resource',
  alertgroup: 'alert rule group',
  alertrules: 'alert rule',
  certificatechain: 'certificate chain',
  dnslookup: 'DNS name',
  dnsquota: 'DNS quota',
  evn: 'EVN',
  gpus: 'GPU',
  logs: 'logs',
  metrics: 'metrics',
  savepoint: 'save point',
};

function nounOf(word: string): string {
  const kind = word.replace(/^(?:central)?(?:log)?(?=alert(?:group|rules|s)$)/, '');
  return nouns[kind] ?? lower(kindTitle(kind));
}

// Parts of operation names that only distinguish two ways of calling the same.
const variants = new Set(['below', 'encoded', 'form', 'format']);

// `ip.ipblock.create`, `server_volumes_attach` and `objects_PutObject` as people say them: Create IP block, Attach
// volume, Upload object.
export function actionText(action: string): string {
  const known = irregular.find(([end]) => end.test(action));
  if (known) return known[1];
  const words = action.split(/[._]/).filter((word) => word !== '' && !variants.has(word));
  const parts = words.map((word) => word.replace(/(?<=[a-z])(?:By[A-Z].*|All)$/, '')); // listByRegion
  const at = parts.findLastIndex((word, place) => place > 0 && verbs.has(word.toLowerCase()));
  if (at > 0) {
    const verb = verbs.get((parts[at] as string).toLowerCase()) as string;
    const noun = nounOf(parts[at - 1] as string);
    return `${verb} ${noun}${verb === 'List' && !/(?:s|ing)$/.test(noun) ? 's' : ''}`;
  }
  const phrase = (parts.at(-1) ?? '')
    .replace(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .replace(/ v2$/, '')
    .replace(/\b(?:acl|cors)\b/g, (word) => word.toUpperCase());
  const [first = '', ...rest] = phrase.split(' ');
  if (rest.length > 0) return [verbs.get(first) ?? capital(first), ...rest].join(' ');
  const subject = parts.at(-2);
  return subject === undefined ? capital(phrase) : `${capital(nounOf(subject))} ${phrase}`;
}

export function queryOf(search: URLSearchParams): Query {
  const kind = search.get('kind') ?? '';
  const text = (name: string): string => search.get(name) ?? '';
  const known = kinds.find(([one]) => one === kind)?.[0];
  // A link to one resource shows all entries about it, reads included.
  const usual: Kind = search.has('resource') ? 'all' : 'changes';
  return { kind: known ?? usual, user: text('user'), resource: text('resource'), action: text('action') };
}
