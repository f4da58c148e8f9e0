// `what_changed`: the audit between two times, grouped by what was done.
import { iso } from '../../base/clock.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import { retentionMs } from '../../core/audit/audit-log.ts';
import { contract, flag, input, numberOf, optional, type Sight, type Tool, text, textOf, whole } from '../tool.ts';
import { momentArgument, searched, spanOf } from '../tools/activity.ts';
import { contractOf } from './contract.ts';

const dayMs = 86_400_000;

export const whatChanged: Tool = {
  name: 'what_changed',
  group: 'insight',
  description:
    'What was created, changed or deleted between two times, grouped by action, with who did it and on which resources; failures apart. The last 24 hours by default; entries are kept for 35 days.',
  input: input({
    from: momentArgument('First moment'),
    to: momentArgument('End, exclusive'),
    contract: optional(contract),
    resource_id: optional(text('Only what concerns the resource with this id')),
    user: optional(text('Only of the user with this e-mail, or a part of it')),
    include_refused: optional(flag('With changes that were refused')),
    limit: optional(whole('How many groups at most; 50 by default', 1, 500)),
  }),
  read: summarize,
};

interface Changes {
  action: string;
  count: number;
  failed: number;
  users: Set<string>;
  resources: Map<string, Values>;
  first: string;
  last: string;
}

const mostResources = 10; // of a group

async function summarize(args: Values, sight: Sight): Promise<Json> {
  const span = spanOf(args, ['from', 'to'], dayMs, sight.now());
  const [user, resourceId] = [textOf(args, 'user')?.toLowerCase(), textOf(args, 'resource_id')];
  const isAsked = (event: Values): boolean =>
    event.type !== 'Retrieval' &&
    event.type !== 'RequestStatusUpdate' &&
    (args.include_refused === true || event.type !== 'Error') &&
    (user === undefined || String(event.user).toLowerCase().includes(user)) &&
    (resourceId === undefined || resourcesOf(event).some(({ id }) => id === resourceId));
  const own = { contract: args.contract ?? (await contractOf(sight)) };
  const { events, isWhole } = await searched(sight, own, span, isAsked);
  const groups = grouped(events);
  const notes = [
    ...(isWhole ? [] : ['There were too many entries for all of them: ask for a shorter span.']),
    ...(span.from < sight.now() - retentionMs
      ? [`The audit is kept for ${retentionMs / dayMs} days: older entries are gone.`]
      : []),
  ];
  const shown = groups.slice(0, numberOf(args, 'limit', 50));
  return {
    from: iso(span.from),
    to: iso(span.to),
    events: events.length,
    changes: shown.map(drawn),
    ...(shown.length < groups.length && { more_groups: groups.length - shown.length }),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  };
}

const resourcesOf = ({ resources }: Values): Values[] => (Array.isArray(resources) ? resources.filter(isObject) : []);

// The most frequent first.
function grouped(events: readonly Values[]): Changes[] {
  const groups = new Map<string, Changes>();
  for (const event of events) {
    const action = String(event.action ?? '');
    const time = String(event.time ?? '');
    const none = {
      action,
      count: 0,
      failed: 0,
      users: new Set<string>(),
      resources: new Map(),
      first: time,
      last: time,
    };
    const group: Changes = groups.get(action) ?? none;
    groups.set(action, group);
    group.count += 1;
    group.first = time; // they come newest first
    if (event.status === 'FAILED' || event.type === 'Error') group.failed += 1;
    group.users.add(String(event.user ?? ''));
    const [target] = resourcesOf(event);
    if (target) group.resources.set(`${target.type}/${target.id}`, { type: target.type ?? '', id: target.id ?? '' });
  }
  return [...groups.values()].toSorted((a, b) => b.count - a.count);
}

function drawn({ action, count, failed, users, resources, first, last }: Changes): Values {
  const all = [...resources.values()];
  return {
    action,
    count,
    ...(failed > 0 && { failed }),
    users: [...users],
    first,
    last,
    resources: all.slice(0, mostResources),
    ...(all.length > mostResources && { more_resources: all.length - mostResources }),
  };
}
