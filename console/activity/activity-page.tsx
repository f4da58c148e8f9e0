// The activity page: filters, a bar chart of entries over time, and the matching entries.
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { scope } from '../api.ts';
import { Bars } from '../components/bars.tsx';
import { Button } from '../components/button.tsx';
import { CommandLine } from '../components/command-line.tsx';
import { Choice, Labelled, TextInput } from '../components/field.tsx';
import { useAbortSignal } from '../components/resource.ts';
import { Empty, Failure, Waiting } from '../components/states.tsx';
import { activityLog } from '../resources/client-commands/page-commands.ts';
import type { Span } from './activity-api.ts';
import { type Kind, kinds, rangeNamed, ranges } from './activity-model.ts';
import { ActivityState, type Step } from './activity-state.ts';
import { Entries } from './entries.tsx';

export function ActivityPage() {
  const aborted = useAbortSignal();
  const state = useMemo(() => new ActivityState(location.search, aborted), []);
  useLayoutEffect(() => void state.load(), []);
  useLayoutEffect(
    () => history.replaceState(history.state, '', `${location.pathname}?${state.address()}`),
    [state.query.value, state.range.value],
  );
  return (
    <div class="activity">
      <h1 tabIndex={-1}>Activity</h1>
      <p class="lead">Who did what, when and from where. Entries are kept for 35 days.</p>
      <Filters state={state} />
      <Glance state={state} />
      <Found state={state} />
    </div>
  );
}

function Filters({ state }: { state: ActivityState }) {
  const { kind, ...texts } = state.query.peek();
  const user = useSignal(texts.user);
  const resource = useSignal(texts.resource);
  const action = useSignal(texts.action);
  const apply = (event: Event): void => {
    event.preventDefault();
    const [u, r, a] = [user, resource, action].map(({ value }) => value.trim()) as [string, string, string];
    state.change({ user: u, resource: r, action: a });
  };
  return (
    <form class="filters" aria-label="Search" onSubmit={apply}>
      <Labelled title="Time">
        {(id) => (
          <Choice
            id={id}
            value={state.range.value}
            options={ranges.map(({ name, title }) => [name, title] as const)}
            onChange={(name) => state.setRange(name)}
          />
        )}
      </Labelled>
      <Labelled title="Type">
        {(id) => (
          <Choice
            id={id}
            value={state.query.value.kind ?? kind}
            options={kinds}
            onChange={(one) => state.change({ kind: one as Kind })}
          />
        )}
      </Labelled>
      <Labelled title="User">{(id) => <TextInput id={id} value={user} placeholder="e-mail or IP address" />}</Labelled>
      <Labelled title="Resource">
        {(id) => <TextInput id={id} value={resource} placeholder="name, type, id or path" />}
      </Labelled>
      <Labelled title="Action">{(id) => <TextInput id={id} value={action} placeholder="create, login …" />}</Labelled>
      <button type="submit" class="plain">
        Search
      </button>
    </form>
  );
}

// The bar chart: all entries of each step, and in front of them the matching ones.
function Glance({ state }: { state: ActivityState }) {
  const { stepMs, title } = rangeNamed(state.range.value);
  const steps = state.steps.value;
  const chosen = state.chosen.value;
  const bars = steps.map((step, at) => {
    const fitting = Math.min(state.fitting(step), step.count ?? Number.POSITIVE_INFINITY);
    const rest = Math.max(0, (step.count ?? 0) - fitting);
    return {
      key: String(step.from),
      label: `${timeText(step, stepMs)}: ${step.count ?? 'some'} entries, ${fitting} matching`,
      tick: at % Math.ceil(steps.length / 8) === 0 ? tickText(step, stepMs) : '',
      parts: [
        { look: 'accent', value: fitting },
        { look: 'pale', value: rest },
      ],
    };
  });
  const choose = (key: string): void => {
    const step = steps.find(({ from }) => String(from) === key);
    state.choose(step && chosen?.from !== step.from ? { from: step.from, to: step.to } : undefined);
  };
  return (
    <section class="panel activity-glance" aria-label="Chart">
      <div class="bar">
        <p>
          {title}
          {chosen && `, only ${spanText(chosen)}`}
        </p>
        {chosen && <Button text="Show all" look="plain" onPress={() => state.choose(undefined)} />}
      </div>
      <Bars label="Entries over time" bars={bars} chosen={chosen && String(chosen.from)} onChoose={choose} />
    </section>
  );
}

function Found({ state }: { state: ActivityState }) {
  const found = state.found.value;
  if (state.failure.value !== undefined)
    return <Failure title="Could not get the activity." error={state.failure.value} retry={() => void state.load()} />;
  if (!found)
    return (
      <div class="loaded">
        <Waiting what="the activity" />
      </div>
    );
  const { entries, read, total } = found;
  return (
    <div class="loaded" aria-busy={state.isBusy.value || undefined}>
      {entries.length === 0 ? (
        <Empty text={`None of the ${read} searched entries matches. Change the filters or the time.`}>
          <CommandLine text={activityLog(location.origin, scope.contract)} />
        </Empty>
      ) : (
        <Entries entries={entries} models={state.models.value} />
      )}
      <div class="bar activity-more">
        <p role="status">
          {entries.length} found in {read} of {total} entries
        </p>
        {read < total && (
          <Button
            text="Search older entries"
            disabled={state.isBusy.value}
            look="plain"
            onPress={() => void state.further()}
          />
        )}
        <Button text="Refresh" look="plain" onPress={() => void state.load()} />
      </div>
    </div>
  );
}

const clock = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });

const tickText = ({ from }: Span, stepMs: number): string =>
  stepMs >= 6 * 3_600_000 ? date.format(from) : clock.format(from);
const timeText = (step: Step, stepMs: number): string =>
  stepMs >= 86_400_000 ? date.format(step.from) : `${date.format(step.from)}, ${clock.format(step.from)}`;
const spanText = ({ from, to }: Span): string => `${date.format(from)}, ${clock.format(from)} to ${clock.format(to)}`;
