// Entries of the activity log by day: similar ones share a line, which opens to all details, with links to the
// resource, the request and the user's other entries.

import { Badge, type BadgeProps } from '../components/text.tsx';
import { type Models, pageUrlAt, pageUrlByName } from '../resources/page-urls.ts';
import { kindTitle } from '../sitemap.ts';
import { activityUrl, requestUrl } from '../urls.ts';
import type { Affected, Entry } from './activity-api.ts';
import { actionText, daysOf, type Group, subjectOf } from './activity-model.ts';

const looks: Readonly<Record<Exclude<Entry['status'], ''>, readonly [BadgeProps['look'], string]>> = {
  RUNNING: ['here', 'Running'],
  DONE: ['good', 'Done'],
  FAILED: ['fires', 'Failed'],
  REFUSED: ['waits', 'Refused'],
};

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const day = new Intl.DateTimeFormat(undefined, { weekday: 'long', day: 'numeric', month: 'long' });

export interface EntriesProps {
  entries: readonly Entry[];
  models: Models;
}

export const Entries = ({ entries, models }: EntriesProps) => (
  <div class="activity-days">
    {daysOf(entries, (iso) => day.format(new Date(iso))).map(({ title, groups }) => (
      <section key={title} class="activity-day" aria-label={title}>
        <h2>{title}</h2>
        {groups.map((group) => (
          <GroupRow key={group.key} group={group} models={models} />
        ))}
      </section>
    ))}
  </div>
);

const mostInGroup = 50;

function GroupRow({ group: { entries }, models }: { group: Group; models: Models }) {
  const [first] = entries as [Entry];
  const [last] = entries.slice(-1) as [Entry];
  const { status } = first;
  const count = entries.reduce((sum, one) => sum + one.count, 0);
  const time = clock.format(new Date(first.time));
  return (
    <details class="activity-row">
      <summary>
        <time
          dateTime={first.time}
          title={entries.length > 1 ? `since ${clock.format(new Date(last.time))}` : undefined}
        >
          {time}
        </time>
        <span class="activity-what">
          <strong>{actionText(first.action)}</strong>
          {count > 1 && <span class="activity-count">{count} ×</span>}
          <small>{subjectOf(entries)}</small>
        </span>
        <span class="activity-who">{first.user}</span>
        <span class="activity-status">
          {status !== '' && <Badge look={looks[status][0]} text={looks[status][1]} />}
        </span>
      </summary>
      {entries.slice(0, mostInGroup).map((entry) => (
        <EntryFacts key={entry.id} entry={entry} models={models} isOne={entries.length === 1} />
      ))}
      {entries.length > mostInGroup && <p class="activity-rest">and {entries.length - mostInGroup} more</p>}
    </details>
  );
}

interface FactsProps {
  entry: Entry;
  models: Models;
  isOne: boolean;
}

function EntryFacts({ entry, models, isOne }: FactsProps) {
  const { time, user, action, method, path, address, messages, requestId, resources } = entry;
  return (
    <dl class="activity-facts">
      {!isOne && (
        <>
          <dt>Time</dt>
          <dd>{clock.format(new Date(time))}</dd>
        </>
      )}
      {messages.length > 0 && (
        <>
          <dt>Message</dt>
          <dd>
            {messages.map((message) => (
              <p key={message}>{message}</p>
            ))}
          </dd>
        </>
      )}
      {resources.map((one) => (
        <ResourceFact key={one.id} resource={one} path={path} models={models} />
      ))}
      <dt>Call</dt>
      <dd>
        <code>
          {method} {path}
        </code>
      </dd>
      <dt>Action</dt>
      <dd>
        <code>{action}</code>
      </dd>
      <dt>User</dt>
      <dd>
        {user} from {address} · <a href={activityUrl({ user, kind: 'all' })}>All of this user</a>
      </dd>
      {requestId !== '' && (
        <>
          <dt>Request</dt>
          <dd>
            <a href={requestUrl(requestId)}>{requestId}</a>
          </dd>
        </>
      )}
    </dl>
  );
}

function ResourceFact({ resource, path, models }: { resource: Affected; path: string; models: Models }) {
  const { id, type, name } = resource;
  const url =
    (path.split('/').includes(id) ? pageUrlAt(models, path) : undefined) ?? pageUrlByName(models, type, id, path);
  return (
    <>
      <dt>{kindTitle(type)}</dt>
      <dd>
        {url ? <a href={url}>{name ?? id}</a> : (name ?? id)} {name !== undefined && <code>{id}</code>} ·{' '}
        <a href={activityUrl({ resource: id })}>Activity</a>
      </dd>
    </>
  );
}
