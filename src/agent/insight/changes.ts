// `what_changed`: the audit between two times, told by what was changed. A server stands for all that is in it, a zone
// for its records; below it come the users, and what each of them did, in the order of time. What was sent with a
// change is in its request.
import { iso } from '../../base/clock.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { retentionMs } from '../../core/audit/audit-log.ts';
import type { Resource } from '../../core/resource.ts';
import { pathOf } from '../client/platform-api.ts';
import { contractOf } from '../contract.ts';
import { redacted } from '../result.ts';
import { contract, flag, input, numberOf, optional, type Sight, type Tool, text, textOf, whole } from '../tool.ts';
import { momentArgument, searched, spanOf } from '../tools/activity.ts';
import { nameOf } from '../tools/named-ids.ts';
import { wordOf } from './inventory.ts';
import { atOnce, keyOf, type Mention, mentionsIn, namesNow, noneOf, type Thing, Things } from './things.ts';

const dayMs = 86_400_000;
const usualGroups = 40;
const mostRequests = 300; // whose bodies are read
const mostTold = 10; // names of a merged change
const longestValue = 200;

export const whatChanged = (resources: readonly Resource[]): Tool => ({
  name: 'what_changed',
  group: 'insight',
  description:
    'What was created, changed or deleted between two times: by resource (with what is in it), newest first, then by user, with names and the values that were sent. The last 24 hours by default; entries are kept for 35 days.',
  input: input({
    from: momentArgument('First moment'),
    to: momentArgument('End, exclusive'),
    contract,
    resource_id: optional(text('Only what concerns the resource with this id or name, and what is in it')),
    user: optional(text('Only of the user with this e-mail, or a part of it')),
    include_refused: optional(flag('With changes that were refused')),
    limit: optional(whole(`How many resources at most; ${usualGroups} by default`, 1, 500)),
    offset: optional(whole('How many resources to pass over', 0, 1_000_000)),
  }),
  read: (args, sight) => summarize(args, sight, new Things(resources)),
});

interface Change {
  event: Values;
  chain: readonly Thing[]; // of what was changed, uppermost first
  besides: readonly Thing[]; // of the same request: made or removed with it, or what it was attached to
}

interface Group {
  thing: Thing;
  above: readonly Thing[];
  changes: Change[];
}

const quietTypes = new Set(['Retrieval', 'RequestStatusUpdate', 'Login']);
const ownCalls = 'agent_call'; // of these tools, over HTTP

async function summarize(args: Values, sight: Sight, things: Things): Promise<Json> {
  const span = spanOf(args, ['from', 'to'], dayMs, sight.now());
  const user = textOf(args, 'user')?.toLowerCase();
  const isAsked = (event: Values): boolean =>
    !quietTypes.has(String(event.type)) &&
    event.action !== ownCalls &&
    (args.include_refused === true || event.type !== 'Error') &&
    (user === undefined || String(event.user).toLowerCase().includes(user));
  const own = { contract: args.contract ?? (await contractOf(sight)) };
  const { events, isWhole } = await searched(sight, own, span, isAsked);
  const all = grouped(events, things);
  const asked = textOf(args, 'resource_id');
  const story = new Story(sight);
  const found = asked === undefined ? all : await concerning(asked, all, story);
  const [offset, limit] = [numberOf(args, 'offset', 0), numberOf(args, 'limit', usualGroups)];
  const shown = found.slice(offset, offset + limit);
  await story.read(shown);
  await story.findOlderNames(shown, own, span.from);
  const notes = [
    ...(isWhole ? [] : ['There were too many entries for all of them: ask for a shorter span.']),
    ...(span.from < sight.now() - retentionMs
      ? [`The audit is kept for ${retentionMs / dayMs} days: older entries are gone.`]
      : []),
    ...(asked !== undefined && found.length === 0
      ? [`Nothing was done to ${JSON.stringify(asked.slice(0, 120))} in this time.`]
      : []),
  ];
  const next = offset + shown.length;
  return {
    from: iso(span.from),
    to: iso(span.to),
    entries: found.reduce((sum, { changes }) => sum + changes.length, 0),
    resources: found.length,
    changes: shown.map((group) => drawn(group, story)),
    ...(next < found.length && { next_offset: next }),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  };
}

// Newest first. Within a datacenter it is the server, the balancer, the LAN that was changed.
function grouped(events: readonly Values[], things: Things): Group[] {
  const groups = new Map<string, Group>();
  for (const event of events) {
    const mentions = mentionsIn(event);
    const [target = { kind: String(event.action ?? ''), id: String(event.uri ?? '') }, ...others] = mentions;
    const uri = String(event.uri ?? '');
    const thingsOf = (one: Mention): Thing[] => things.find(one, uri, mentions);
    const chain = thingsOf(target);
    const level = chain[0]?.kind === 'datacenter' && chain.length > 1 ? 1 : 0;
    const thing = chain[level] as Thing;
    const known = groups.get(keyOf(thing)) ?? { thing, above: chain.slice(0, level), changes: [] };
    groups.set(keyOf(thing), known);
    const server = serverIn(uri, [...mentions, ...chain]);
    const besides = [...others, ...(server ? [server] : [])].map((one) => thingsOf(one).at(-1) as Thing);
    known.changes.push({ event, chain, besides });
  }
  return [...groups.values()];
}

// What is attached or detached is no part of its server: only the address that was called names that one.
function serverIn(uri: string, named: readonly Mention[]): Mention | undefined {
  const [, id] = /\/servers\/([\w-]+)\/(?:volumes|cdroms)/.exec(uri) ?? [];
  return id === undefined || named.some((one) => one.id === id) ? undefined : { kind: 'server', id };
}

const thingsIn = ({ thing, above, changes }: Group): Thing[] => [
  ...above,
  thing,
  ...changes.flatMap(({ chain, besides }) => [...chain, ...besides]),
];

async function concerning(asked: string, all: readonly Group[], story: Story): Promise<Group[]> {
  const byId = all.filter((group) => thingsIn(group).some(({ id }) => id === asked));
  if (byId.length > 0) return byId;
  await story.read(all);
  const word = asked.toLowerCase();
  return all.filter((group) => thingsIn(group).some((thing) => story.namesOf(thing).includes(word)));
}

// What the audit does not say: the names of things, and what was sent.
class Story {
  readonly #sight: Sight;
  readonly #now = new Map<string, string>(); // names, by keyOf
  readonly #sent = new Map<string, Values>(); // bodies, by request
  readonly #once = new Map<string, string>(); // names that were sent, the newest, by keyOf
  readonly #read = new Set<string>();

  constructor(sight: Sight) {
    this.#sight = sight;
  }

  async read(groups: readonly Group[]): Promise<void> {
    const fresh = groups.filter(({ thing }) => !this.#read.has(keyOf(thing)));
    for (const { thing } of fresh) this.#read.add(keyOf(thing));
    const changes = fresh.flatMap((group) => group.changes);
    const [names] = await Promise.all([namesNow(this.#sight, fresh.flatMap(thingsIn)), this.#readBodies(changes)]);
    for (const [key, name] of names) this.#now.set(key, name);
    for (const { event, chain } of changes.toReversed()) this.#note(chain.at(-1) as Thing, this.sentWith(event));
  }

  // What is gone was named when it was made, which may be long ago.
  async findOlderNames(groups: readonly Group[], own: Values, before: number): Promise<void> {
    const nameless = new Map(
      groups
        .flatMap(thingsIn)
        .filter((thing) => thing.place && this.nameOf(thing) === '' && !this.exists(thing))
        .map((thing) => [thing.id, thing]),
    );
    if (nameless.size === 0) return;
    const isTheirs = (event: Values): boolean =>
      event.request_id !== undefined && event.type !== 'Error' && nameless.has(mentionsIn(event)[0]?.id ?? '');
    const span = { from: Math.max(0, this.#sight.now() - retentionMs), to: before };
    if (span.from >= span.to) return;
    const { events } = await searched(this.#sight, own, span, isTheirs);
    const changes = events.map((event) => ({ event, chain: [nameless.get(mentionsIn(event)[0]?.id ?? '') as Thing] }));
    await this.#readBodies(changes);
    for (const { event, chain } of changes.toReversed()) this.#note(chain[0] as Thing, this.sentWith(event));
  }

  exists(thing: Thing): boolean {
    return this.#now.has(keyOf(thing));
  }

  nameOf(thing: Thing): string {
    return this.#now.get(keyOf(thing)) || this.#once.get(keyOf(thing)) || (thing.place ? '' : thing.id);
  }

  namesOf(thing: Thing): string[] {
    return [this.#now.get(keyOf(thing)), this.#once.get(keyOf(thing)), thing.id].flatMap(
      (one) => one?.toLowerCase() ?? [],
    );
  }

  // The properties that were sent, without secrets.
  sentWith({ request_id: id, message, type }: Values): Values {
    if (typeof id === 'string') return this.#sent.get(id) ?? {};
    return type === 'Error' ? {} : propertiesSent(wordOf(message));
  }

  async #readBodies(changes: readonly { event: Values }[]): Promise<void> {
    const ids = changes.flatMap(({ event: { request_id: id } }) => (typeof id === 'string' ? [id] : []));
    const unread = [...new Set(ids)].filter((id) => !this.#sent.has(id)).slice(0, mostRequests);
    await atOnce(unread, async (id) => {
      const told = await this.#sight.api.object('cloudapi', pathOf('/requests/{id}', { id })).catch(noneOf);
      this.#sent.set(id, propertiesSent(isObject(told.properties) ? wordOf(told.properties.body) : ''));
    });
  }

  #note(thing: Thing, sent: Values): void {
    const name = nameOf(sent);
    if (name !== '') this.#once.set(keyOf(thing), name);
  }
}

function propertiesSent(body: string): Values {
  if (!body.startsWith('{')) return {};
  try {
    const sent = redacted(JSON.parse(body) as Json) as Values;
    return isObject(sent.properties) ? sent.properties : sent;
  } catch {
    return {}; // the audit keeps only the beginning of a long one
  }
}

function drawn({ thing, above, changes }: Group, story: Story): Values {
  const users = Map.groupBy(changes.toReversed(), ({ event }) => String(event.user ?? ''));
  return {
    ...called(thing, story),
    ...(above.length > 0 && { in: above.map((one) => called(one, story)) }),
    ...(thing.place && !story.exists(thing) && { now: 'gone, or not yours to read' }),
    by: [...users].map(([user, own]) => ({ user, changes: merged(own, thing, story) })),
  };
}

const called = (thing: Thing, story: Story): Values => {
  const name = story.nameOf(thing);
  return { type: thing.noun, id: thing.id, ...(name !== '' && name !== thing.id && { name }) };
};

// What was done in a row and in the same way is told as one.
function merged(changes: readonly Change[], thing: Thing, story: Story): Values[] {
  const runs: Change[][] = [];
  const wayOf = ({ event: { action, status, type } }: Change): string => `${action} ${status} ${type}`;
  for (const change of changes) {
    const last = runs.at(-1);
    const before = last?.[0];
    if (last && before && wayOf(before) === wayOf(change)) last.push(change);
    else runs.push([change]);
  }
  return runs.map((run) => told(run, thing, story));
}

function told(run: readonly Change[], thing: Thing, story: Story): Values {
  const [{ event, besides }] = run as [Change];
  const { time = '', action = '', status, message, error, uri } = event;
  const count = run.reduce((sum, change) => sum + Number(change.event.count ?? 1), 0);
  const each = run.map((change) => whatOf(change, thing, story)).filter((one) => Object.keys(one).length > 0);
  return {
    time,
    ...(run.length > 1 && { until: run.at(-1)?.event.time ?? '' }),
    action,
    ...(count > 1 && { count }),
    ...(run.length === 1 ? whatOf(run[0] as Change, thing, story) : some('each', each)),
    ...(run.length === 1 &&
      some(
        'with',
        besides.map((one) => called(one, story)),
      )),
    ...(status !== undefined && status !== 'DONE' && { status, message: message ?? '' }),
    ...(event.type === 'Error' && { refused: error ?? message ?? '', uri: uri ?? '' }),
  };
}

// What it was done to, where that is something in the thing, and what was sent.
function whatOf({ event, chain }: Change, thing: Thing, story: Story): Values {
  const target = chain.at(-1) as Thing;
  const { id, ...sent } = short(story.sentWith(event));
  if (id !== undefined && id !== target.id) sent.id = id;
  return {
    ...(keyOf(target) !== keyOf(thing) && { on: called(target, story) }),
    ...(Object.keys(sent).length > 0 && { sent }),
  };
}

function some(name: string, all: readonly Values[]): Values {
  if (all.length === 0) return {};
  return { [name]: all.slice(0, mostTold), ...(all.length > mostTold && { [`more_${name}`]: all.length - mostTold }) };
}

const short = (sent: Values): Values =>
  Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const length = JSON.stringify(value).length;
      return [name, length > longestValue ? `(${length} characters: get_request has them)` : value];
    }),
  );
