// `what_changed`: the audit between two times, grouped by resource. A server includes everything in it, a zone its
// records. Below each resource come the users and their changes in the order of time. The values of a change come from
// its request.
import { iso } from '../../base/clock.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { retentionMs } from '../../core/audit/audit-log.ts';
import type { Resource } from '../../core/resource.ts';
import { pathOf } from '../client/platform-api.ts';
import { contractOf } from '../contract.ts';
import { redacted } from '../result.ts';
import {
  contract,
  flag,
  input,
  numberOf,
  optional,
  type Tool,
  type ToolContext,
  text,
  textOf,
  whole,
} from '../tool.ts';
import { momentArgument, searched, spanOf } from '../tools/activity.ts';
import { nameOf } from '../tools/named-ids.ts';
import {
  type AuditResource,
  AuditResources,
  atOnce,
  keyOf,
  type Mention,
  mentionsIn,
  namesNow,
  noneOf,
} from './audit-resources.ts';
import { wordOf } from './inventory.ts';

const dayMs = 86_400_000;
const defaultGroups = 40;
const maxRequests = 300; // whose bodies are read
const maxNames = 10; // names of a merged change
const longestValue = 200;

export const whatChanged = (resources: readonly Resource[]): Tool => ({
  name: 'what_changed',
  group: 'insight',
  description:
    'Show what was created, changed or deleted between two times: by resource (with its contents), newest first, then by user, with names and the values that were sent. The last 24 hours by default; entries are kept for 35 days.',
  input: input({
    from: momentArgument('First moment'),
    to: momentArgument('End, exclusive'),
    contract,
    resource_id: optional(text('Only changes of the resource with this id or name, and of its contents')),
    user: optional(text('Only of the user with this e-mail, or a part of it')),
    include_refused: optional(flag('Include changes that were refused')),
    limit: optional(whole(`Maximum number of resources; ${defaultGroups} by default`, 1, 500)),
    offset: optional(whole('Number of resources to skip', 0, 1_000_000)),
  }),
  read: (args, context) => summarize(args, context, new AuditResources(resources)),
});

interface Change {
  event: Values;
  chain: readonly AuditResource[]; // from the top-level resource down to the changed one
  besides: readonly AuditResource[]; // of the same request: created or deleted with it, or what it was attached to
}

interface Group {
  resource: AuditResource;
  above: readonly AuditResource[];
  changes: Change[];
}

const quietTypes = new Set(['Retrieval', 'RequestStatusUpdate', 'Login']);
const ownCalls = 'agent_call'; // of these tools, over HTTP

async function summarize(args: Values, context: ToolContext, resources: AuditResources): Promise<Json> {
  const now = await context.now();
  const span = spanOf(args, ['from', 'to'], dayMs, now);
  const user = textOf(args, 'user')?.toLowerCase();
  const matchesFilter = (event: Values): boolean =>
    !quietTypes.has(String(event.type)) &&
    event.action !== ownCalls &&
    (args.include_refused === true || event.type !== 'Error') &&
    (user === undefined || String(event.user).toLowerCase().includes(user));
  const own = { contract: args.contract ?? (await contractOf(context)) };
  const { events, isWhole } = await searched(context, own, span, matchesFilter);
  const all = grouped(events, resources);
  const idOrName = textOf(args, 'resource_id');
  const story = new Story(context);
  const found = idOrName === undefined ? all : await concerning(idOrName, all, story);
  const [offset, limit] = [numberOf(args, 'offset', 0), numberOf(args, 'limit', defaultGroups)];
  const shown = found.slice(offset, offset + limit);
  await story.read(shown);
  await story.findOlderNames(shown, own, span.from);
  const notes = [
    ...(isWhole ? [] : ['There were too many entries to read all of them. Choose a shorter time span.']),
    ...(span.from < now - retentionMs
      ? [`The audit is kept for ${retentionMs / dayMs} days: older entries were deleted.`]
      : []),
    ...(idOrName !== undefined && found.length === 0
      ? [`${JSON.stringify(idOrName.slice(0, 120))} did not change in this time.`]
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

// Newest first. Within a datacenter, the group is the changed server, load balancer or LAN.
function grouped(events: readonly Values[], resources: AuditResources): Group[] {
  const groups = new Map<string, Group>();
  for (const event of events) {
    const mentions = mentionsIn(event);
    const [target = { kind: String(event.action ?? ''), id: String(event.uri ?? '') }, ...others] = mentions;
    const uri = String(event.uri ?? '');
    const resourcesOf = (one: Mention): AuditResource[] => resources.find(one, uri, mentions);
    const chain = resourcesOf(target);
    const level = chain[0]?.kind === 'datacenter' && chain.length > 1 ? 1 : 0;
    const resource = chain[level] as AuditResource;
    const known = groups.get(keyOf(resource)) ?? { resource, above: chain.slice(0, level), changes: [] };
    groups.set(keyOf(resource), known);
    const server = serverIn(uri, [...mentions, ...chain]);
    const besides = [...others, ...(server ? [server] : [])].map((one) => resourcesOf(one).at(-1) as AuditResource);
    known.changes.push({ event, chain, besides });
  }
  return [...groups.values()];
}

// An attached volume is not nested in its server: only the path of the call names the server.
function serverIn(uri: string, named: readonly Mention[]): Mention | undefined {
  const [, id] = /\/servers\/([\w-]+)\/(?:volumes|cdroms)/.exec(uri) ?? [];
  return id === undefined || named.some((one) => one.id === id) ? undefined : { kind: 'server', id };
}

const resourcesIn = ({ resource, above, changes }: Group): AuditResource[] => [
  ...above,
  resource,
  ...changes.flatMap(({ chain, besides }) => [...chain, ...besides]),
];

async function concerning(idOrName: string, all: readonly Group[], story: Story): Promise<Group[]> {
  const byId = all.filter((group) => resourcesIn(group).some(({ id }) => id === idOrName));
  if (byId.length > 0) return byId;
  await story.read(all);
  const word = idOrName.toLowerCase();
  return all.filter((group) => resourcesIn(group).some((resource) => story.namesOf(resource).includes(word)));
}

// Adds what the audit does not contain: the names of resources, and the values of requests.
class Story {
  readonly #context: ToolContext;
  readonly #now = new Map<string, string>(); // names, by keyOf
  readonly #sent = new Map<string, Values>(); // bodies, by request
  readonly #once = new Map<string, string>(); // the newest names that were sent, by keyOf
  readonly #read = new Set<string>();

  constructor(context: ToolContext) {
    this.#context = context;
  }

  async read(groups: readonly Group[]): Promise<void> {
    const fresh = groups.filter(({ resource }) => !this.#read.has(keyOf(resource)));
    for (const { resource } of fresh) this.#read.add(keyOf(resource));
    const changes = fresh.flatMap((group) => group.changes);
    const [names] = await Promise.all([namesNow(this.#context, fresh.flatMap(resourcesIn)), this.#readBodies(changes)]);
    for (const [key, name] of names) this.#now.set(key, name);
    for (const { event, chain } of changes.toReversed())
      this.#note(chain.at(-1) as AuditResource, this.sentWith(event));
  }

  // A deleted resource got its name when it was created, which may be long ago.
  async findOlderNames(groups: readonly Group[], own: Values, before: number): Promise<void> {
    const nameless = new Map(
      groups
        .flatMap(resourcesIn)
        .filter((resource) => resource.place && this.nameOf(resource) === '' && !this.exists(resource))
        .map((resource) => [resource.id, resource]),
    );
    if (nameless.size === 0) return;
    const isTheirs = (event: Values): boolean =>
      event.request_id !== undefined && event.type !== 'Error' && nameless.has(mentionsIn(event)[0]?.id ?? '');
    const span = { from: Math.max(0, (await this.#context.now()) - retentionMs), to: before };
    if (span.from >= span.to) return;
    const { events } = await searched(this.#context, own, span, isTheirs);
    const changes = events.map((event) => ({
      event,
      chain: [nameless.get(mentionsIn(event)[0]?.id ?? '') as AuditResource],
    }));
    await this.#readBodies(changes);
    for (const { event, chain } of changes.toReversed()) this.#note(chain[0] as AuditResource, this.sentWith(event));
  }

  exists(resource: AuditResource): boolean {
    return this.#now.has(keyOf(resource));
  }

  nameOf(resource: AuditResource): string {
    return this.#now.get(keyOf(resource)) || this.#once.get(keyOf(resource)) || (resource.place ? '' : resource.id);
  }

  namesOf(resource: AuditResource): string[] {
    return [this.#now.get(keyOf(resource)), this.#once.get(keyOf(resource)), resource.id].flatMap(
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
    const unread = [...new Set(ids)].filter((id) => !this.#sent.has(id)).slice(0, maxRequests);
    await atOnce(unread, async (id) => {
      const answer = await this.#context.api.object('cloudapi', pathOf('/requests/{id}', { id })).catch(noneOf);
      this.#sent.set(id, propertiesSent(isObject(answer.properties) ? wordOf(answer.properties.body) : ''));
    });
  }

  #note(resource: AuditResource, sent: Values): void {
    const name = nameOf(sent);
    if (name !== '') this.#once.set(keyOf(resource), name);
  }
}

function propertiesSent(body: string): Values {
  if (!body.startsWith('{')) return {};
  try {
    const sent = redacted(JSON.parse(body) as Json) as Values;
    return isObject(sent.properties) ? sent.properties : sent;
  } catch {
    return {}; // the audit keeps only the beginning of a long body
  }
}

function drawn({ resource, above, changes }: Group, story: Story): Values {
  const users = Map.groupBy(changes.toReversed(), ({ event }) => String(event.user ?? ''));
  return {
    ...called(resource, story),
    ...(above.length > 0 && { in: above.map((one) => called(one, story)) }),
    ...(resource.place && !story.exists(resource) && { now: 'deleted, or not readable with this token' }),
    by: [...users].map(([user, own]) => ({ user, changes: merged(own, resource, story) })),
  };
}

const called = (resource: AuditResource, story: Story): Values => {
  const name = story.nameOf(resource);
  return { type: resource.noun, id: resource.id, ...(name !== '' && name !== resource.id && { name }) };
};

// Consecutive identical changes are grouped into one entry.
function merged(changes: readonly Change[], resource: AuditResource, story: Story): Values[] {
  const runs: Change[][] = [];
  const wayOf = ({ event: { action, status, type } }: Change): string => `${action} ${status} ${type}`;
  for (const change of changes) {
    const last = runs.at(-1);
    const before = last?.[0];
    if (last && before && wayOf(before) === wayOf(change)) last.push(change);
    else runs.push([change]);
  }
  return runs.map((run) => changeEntry(run, resource, story));
}

function changeEntry(run: readonly Change[], resource: AuditResource, story: Story): Values {
  const [{ event, besides }] = run as [Change];
  const { time = '', action = '', status, message, error, uri } = event;
  const count = run.reduce((sum, change) => sum + Number(change.event.count ?? 1), 0);
  const each = run.map((change) => whatOf(change, resource, story)).filter((one) => Object.keys(one).length > 0);
  return {
    time,
    ...(run.length > 1 && { until: run.at(-1)?.event.time ?? '' }),
    action,
    ...(count > 1 && { count }),
    ...(run.length === 1 ? whatOf(run[0] as Change, resource, story) : some('each', each)),
    ...(run.length === 1 &&
      some(
        'with',
        besides.map((one) => called(one, story)),
      )),
    ...(status !== undefined && status !== 'DONE' && { status, message: message ?? '' }),
    ...(event.type === 'Error' && { refused: error ?? message ?? '', uri: uri ?? '' }),
  };
}

// The resource that was changed, if it is inside the group's resource, and the values that were sent.
function whatOf({ event, chain }: Change, resource: AuditResource, story: Story): Values {
  const target = chain.at(-1) as AuditResource;
  const { id, ...sent } = short(story.sentWith(event));
  if (id !== undefined && id !== target.id) sent.id = id;
  return {
    ...(keyOf(target) !== keyOf(resource) && { on: called(target, story) }),
    ...(Object.keys(sent).length > 0 && { sent }),
  };
}

function some(name: string, all: readonly Values[]): Values {
  if (all.length === 0) return {};
  return {
    [name]: all.slice(0, maxNames),
    ...(all.length > maxNames && { [`more_${name}`]: all.length - maxNames }),
  };
}

const short = (sent: Values): Values =>
  Object.fromEntries(
    Object.entries(sent).map(([name, value]) => {
      const length = JSON.stringify(value).length;
      return [name, length > longestValue ? `(${length} characters: call get_request to read them)` : value];
    }),
  );
