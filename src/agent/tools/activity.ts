// Activity log tools: who did what, when and from where.
import { iso, timeOf } from '../../base/clock.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { Failure } from '../client/failure.ts';
import { pathOf } from '../client/platform-api.ts';
import { withContract } from '../contract.ts';
import { fittingItems } from '../result.ts';
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
  texts,
  textsOf,
  whole,
} from '../tool.ts';

const dayMs = 86_400_000;
const maxDays = 90;
const pageSize = 1000;
const maxSearched = 20_000; // entries, for filters that the API does not have

export interface TimeSpan {
  from: number;
  to: number;
}

export const momentArgument = (description: string): Values => optional(text(`${description}: YYYY-MM-DD or RFC 3339`));

// A wrong value is reported without a call to the API.
export function spanOf(args: Values, names: [from: string, to: string], usualMs: number, now: number): TimeSpan {
  const moment = (name: string): number | undefined => {
    const given = textOf(args, name);
    if (given === undefined) return undefined;
    const time = timeOf(given);
    if (Number.isNaN(time))
      throw new Failure(`${name}: '${given.slice(0, 40)}' is not a valid time. Use YYYY-MM-DD or RFC 3339.`);
    return time;
  };
  const to = moment(names[1]) ?? now;
  const from = moment(names[0]) ?? to - usualMs;
  if (from > to) throw new Failure(`${names[0]} is after ${names[1]}.`);
  if (to - from > maxDays * dayMs) throw new Failure(`The span has more than ${maxDays} days.`);
  return { from, to };
}

export const activityTools: readonly Tool[] = [
  {
    name: 'list_activitylog_contracts',
    group: 'activitylog',
    description: 'List the contracts whose activity log the caller may read.',
    input: input({}),
    read: async (_, { api }) => ({ contracts: await api.json('activitylog', '/contracts') }),
  },
  {
    name: 'list_activitylog_events',
    group: 'activitylog',
    description:
      'List the activities in a contract, newest first: who did what, from where, on which resources, and with which outcome. The last 7 days by default, at most 90.',
    input: input({
      contract,
      date_start: momentArgument('First moment'),
      date_end: momentArgument('End, exclusive'),
      offset: optional(whole('Number of entries to skip', 0, 1_000_000_000)),
      limit: optional(whole('Maximum number of entries; 25 by default', 1, 500)),
      user: optional(text('Only of the user with this e-mail, or a part of it')),
      event_types: optional(texts('Only of these types: RequestAccepted, Provision, Retrieval, Error …')),
      include_status_updates: optional(flag('Include entries that only report the progress of a request')),
    }),
    read: async (args, context) => listEvents(await withContract(args, context), context),
  },
];

async function listEvents(args: Values, context: ToolContext): Promise<Json> {
  const span = spanOf(args, ['date_start', 'date_end'], 7 * dayMs, await context.now());
  const [offset, limit] = [numberOf(args, 'offset', 0), numberOf(args, 'limit', 25)];
  const [user, types] = [textOf(args, 'user')?.toLowerCase(), textsOf(args, 'event_types')];
  const matchesFilter = (event: Values): boolean =>
    (args.include_status_updates === true || event.type !== 'RequestStatusUpdate') &&
    (user === undefined || String(event.user).toLowerCase().includes(user)) &&
    (types.length === 0 || types.includes(String(event.type)));
  if (user === undefined && types.length === 0) {
    const { events, total } = await eventsOf(context, args, span, offset, limit);
    const matching = events.filter(matchesFilter);
    const shown = matching.slice(0, fittingItems(matching));
    const left = matching[shown.length]; // the first that does not fit: the next page begins with it
    const next = offset + (left ? events.indexOf(left) : events.length);
    return { events: shown, total, ...(next < total && { next_offset: next }) };
  }
  const { events, isWhole } = await searched(context, args, span, matchesFilter);
  const requested = events.slice(offset, offset + limit);
  const page = requested.slice(0, fittingItems(requested));
  const next = offset + page.length;
  return {
    events: page,
    total: events.length,
    ...(next < events.length && { next_offset: next }),
    ...(!isWhole && { note: `Only the newest ${maxSearched} entries were searched. Choose a shorter time span.` }),
  };
}

// All matching entries of a time span, newest first, up to the search limit.
export async function searched(
  context: ToolContext,
  args: Values,
  span: TimeSpan,
  matchesFilter: (event: Values) => boolean,
): Promise<{ events: Values[]; isWhole: boolean }> {
  const found: Values[] = [];
  for (let offset = 0; offset < maxSearched; offset += pageSize) {
    const { events, total } = await eventsOf(context, args, span, offset, pageSize);
    found.push(...events.filter(matchesFilter));
    if (offset + events.length >= total || events.length === 0) return { events: found, isWhole: true };
  }
  return { events: found, isWhole: false };
}

async function eventsOf(context: ToolContext, args: Values, span: TimeSpan, offset: number, limit: number) {
  const query = { dateStart: iso(span.from), dateEnd: iso(span.to), offset, limit };
  const answer = await context.api.object('activitylog', pathOf('/contracts/{contract}', args), query);
  const hits = isObject(answer.hits) ? answer.hits : {};
  const rows = Array.isArray(hits.hits) ? hits.hits.filter(isObject) : [];
  return { events: rows.map(eventOf), total: Number(hits.total ?? rows.length) };
}

const inside = (value: Json | undefined): Values => (isObject(value) ? value : {});

function eventOf(hit: Values): Values {
  const source = inside(hit._source);
  const [meta, principal, event] = [inside(source.meta), inside(source.principal), inside(source.event)];
  const [identity, param] = [inside(principal.identity), inside(event.param)];
  const error = inside(param.error);
  const messages = Array.isArray(error.messages) ? error.messages.filter(isObject) : [];
  const fields: { [name: string]: Json | undefined } = {
    time: source.time ?? meta.time,
    type: event.type,
    action: source.action,
    status: event.status,
    message: event.message,
    uri: param.uri,
    request_id: meta.requestId,
    queue_ref_id: meta.queueRefId,
    user: source.user ?? identity.username,
    service: principal.sourceService,
    source_ip: principal.sourceIP,
    initiator: param.initiator,
    param_service: param.sourceService,
    error_code: messages[0]?.errorCode,
    error: param.error === undefined ? undefined : { http_status: error.httpStatus ?? null, messages },
    count: event.count,
    resources: event.resources,
  };
  const answer = Object.entries(fields).filter(
    (entry): entry is [string, Json] => entry[1] !== undefined && entry[1] !== null,
  );
  return Object.fromEntries(answer);
}
