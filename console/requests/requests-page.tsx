// The contract's requests as a timeline, newest first. Running requests are followed until they end.
import { type Signal, useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { CommandLine } from '../components/command-line.tsx';
import type { Resource } from '../components/fetched.ts';
import { Choice, Labelled, TextInput } from '../components/field.tsx';
import { useAbortSignal, useResource } from '../components/resource.ts';
import { Empty, Loaded } from '../components/states.tsx';
import { useChanges } from '../live.ts';
import { regionNowMs } from '../region-clock.ts';
import { firstDatacenter } from '../resources/client-commands/page-commands.ts';
import { knownModels, type Models } from '../resources/page-urls.ts';
import { activityUrl } from '../urls.ts';
import { RequestRows } from './request-rows.tsx';
import {
  awaitEnd,
  type RequestsPage as Listed,
  listRequests,
  noFilter,
  type Requested,
  type RequestFilter,
} from './requests-api.ts';

const pageSize = 50;
const mostFollowed = 5;

const states = [
  ['', 'Any state'],
  ['BUSY', 'Running'],
  ['DONE', 'Done'],
  ['FAILED', 'Failed'],
] as const;
const methods = [['', 'Any'], ...['POST', 'PUT', 'PATCH', 'DELETE'].map((one) => [one, one] as const)] as const;
const times = [
  ['', 'Any time'],
  ['900000', 'Last 15 minutes'],
  ['3600000', 'Last hour'],
  ['86400000', 'Last day'],
  ['604800000', 'Last 7 days'],
] as const;

interface LoadedRequests extends Listed {
  models: Models;
}

export function RequestsPage() {
  const filter = useSignal<RequestFilter>(filterOf(location.search));
  const lastMs = useSignal('');
  const offset = useSignal(0);
  const page = useResource<LoadedRequests>(async (signal) => {
    const after = lastMs.value === '' ? '' : new Date(regionNowMs() - Number(lastMs.value)).toISOString();
    const [listed, models] = await Promise.all([
      listRequests({ ...filter.value, after }, offset.value, pageSize, signal),
      knownModels(),
    ]);
    return { ...listed, models };
  });
  const ended = useFollowed(page);
  useChanges(['/cloudapi/v6'], () => void page.reload());
  const change = (next: Partial<RequestFilter>): void => {
    filter.value = { ...filter.value, ...next };
    offset.value = 0;
    history.replaceState(history.state, '', `${location.pathname}${searchOf(filter.value)}`);
    void page.reload();
  };
  const turn = (by: number): void => {
    offset.value = Math.max(0, offset.value + by);
    void page.reload();
  };
  return (
    <div class="requests">
      <h1 tabIndex={-1}>Requests</h1>
      <p class="lead">
        Changes of datacenters, networks, images and access, newest first. Requests are kept for 35 days. Changes of
        other products take effect immediately and are listed under <a href={activityUrl()}>Activity</a>.
      </p>
      <Filters
        filter={filter}
        lastMs={lastMs.value}
        onChange={change}
        onTime={(ms) => {
          lastMs.value = ms;
          change({});
        }}
      />
      <Loaded resource={page} what="the requests">
        {({ items, hasMore, models }) => (
          <>
            {items.length === 0 ? (
              <Nothing isFiltered={isFiltered(filter.value) || lastMs.value !== ''} />
            ) : (
              <RequestRows requests={items} models={models} nowMs={regionNowMs()} ended={ended.value} />
            )}
            {(hasMore || offset.value > 0) && (
              <div class="bar requests-paging">
                <p>
                  {offset.value + 1} to {offset.value + items.length}
                </p>
                <Button text="Newer" look="plain" disabled={offset.value === 0} onPress={() => turn(-pageSize)} />
                <Button text="Older" look="plain" disabled={!hasMore} onPress={() => turn(pageSize)} />
              </div>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

const isFiltered = (filter: RequestFilter): boolean => Object.values(filter).some((one) => one !== '');

interface FiltersProps {
  filter: Signal<RequestFilter>;
  lastMs: string;
  onChange(next: Partial<RequestFilter>): void;
  onTime(ms: string): void;
}

function Filters({ filter, lastMs, onChange, onTime }: FiltersProps) {
  const { state, method } = filter.value;
  const resource = useSignal(filter.value.resource);
  const by = useSignal(filter.value.by);
  const apply = (event: Event): void => {
    event.preventDefault();
    onChange({ resource: resource.value.trim(), by: by.value.trim() });
  };
  return (
    <form class="filters" aria-label="Filters" onSubmit={apply}>
      <Labelled title="State">
        {(id) => (
          <Choice
            id={id}
            value={state}
            options={states}
            onChange={(one) => onChange({ state: one as RequestFilter['state'] })}
          />
        )}
      </Labelled>
      <Labelled title="Method">
        {(id) => <Choice id={id} value={method} options={methods} onChange={(one) => onChange({ method: one })} />}
      </Labelled>
      <Labelled title="Time">{(id) => <Choice id={id} value={lastMs} options={times} onChange={onTime} />}</Labelled>
      <Labelled title="Resource">
        {(id) => <TextInput id={id} value={resource} placeholder="type or id, for example servers" />}
      </Labelled>
      <Labelled title="User">{(id) => <TextInput id={id} value={by} placeholder="e-mail" />}</Labelled>
      <button type="submit" class="plain">
        Search
      </button>
    </form>
  );
}

const Nothing = ({ isFiltered: filters }: { isFiltered: boolean }) =>
  filters ? (
    <Empty text="No request matches these filters." />
  ) : (
    <Empty text="There are no requests yet. Create a resource to see one here.">
      <CommandLine text={firstDatacenter} />
    </Empty>
  );

function filterOf(search: string): RequestFilter {
  const query = new URLSearchParams(search);
  const text = (name: string): string => query.get(name) ?? '';
  const state = text('state');
  return {
    ...noFilter,
    state: states.some(([one]) => one === state) ? (state as RequestFilter['state']) : '',
    method: text('method'),
    resource: text('resource'),
    by: text('by'),
  };
}

function searchOf(filter: RequestFilter): string {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`;
}

// When this page noticed the end of running requests, by id.
function useFollowed(page: Resource<LoadedRequests>): Signal<ReadonlyMap<string, number>> {
  const ended = useSignal<ReadonlyMap<string, number>>(new Map());
  const signal = useAbortSignal();
  useLayoutEffect(() => {
    const followed = new Set<string>();
    const follow = async ({ id }: Requested): Promise<void> => {
      followed.add(id);
      await awaitEnd(id, signal);
      ended.value = new Map([...ended.value, [id, regionNowMs()]]);
      await page.reload();
    };
    const stop = page.answer.subscribe((answer) => {
      const items = answer && 'value' in answer ? answer.value.items : [];
      const running = items.filter(({ id, state }) => state === 'BUSY' && !followed.has(id));
      for (const one of running.slice(0, mostFollowed)) follow(one).catch(() => followed.delete(one.id));
    });
    return stop;
  }, []);
  return ended;
}
