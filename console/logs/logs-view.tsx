// Search, histogram, fields and lines.
import { untracked, useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { copyPlain } from '../components/clipboard.ts';
import { Select } from '../components/field.tsx';
import { useAbortSignal } from '../components/resource.ts';
import { Empty, Waiting } from '../components/states.tsx';
import { perform, toast } from '../components/toast.tsx';
import { TimeBar } from '../time/time-bar.tsx';
import { isFollowing, spanText } from '../time/time-range.ts';
import { resourceUrl } from '../urls.ts';
import { FieldsPanel } from './fields/fields-panel.tsx';
import { Histogram } from './histogram/histogram.tsx';
import type { LevelTotal } from './histogram/histogram-plot.ts';
import { openContext } from './lines/context-dialog.tsx';
import { LineList } from './lines/line-list.tsx';
import { openSave } from './lines/save-dialog.tsx';
import { LogsModel, type LogsOptions } from './logs-model.ts';
import { MetricChart } from './metric-chart.tsx';
import { withFilter, wordsIn } from './query/search.ts';
import { SearchBar, Toggle } from './query/search-bar.tsx';
import { SendHelp } from './send-help.tsx';
import { useKeys } from './use-keys.ts';

export interface LogsViewProps extends Omit<LogsOptions, 'signal'> {
  contract: number;
  onChange(): void; // the sources have changed
}

export function LogsView({ contract, onChange, ...options }: LogsViewProps) {
  const signal = useAbortSignal();
  const model = useMemo(() => untracked(() => new LogsModel({ ...options, signal })), []);
  const work = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLTextAreaElement>(null);
  const active = useSignal<string | undefined>(undefined);
  const opened = useSignal<ReadonlySet<string>>(new Set());
  useLayoutEffect(() => {
    model.widthPx = work.current?.clientWidth || model.widthPx;
    model.refresh();
  }, []);
  useKeys({ model, field, active, opened });
  const { sources, source, time } = model;
  const onLevel = ({ words }: LevelTotal): void => {
    const levelField = model.histogram.value?.field;
    if (!levelField) return;
    model.change(
      words.reduce(
        (search, value) => withFilter(search, { ...levelField, isExcluded: false, value }),
        model.search.value,
      ),
    );
  };
  const isCounting = model.lines.series.value !== undefined;
  return (
    <>
      <div class="bars">
        <Select
          title="Pipeline"
          value={source.value.id}
          options={sources.all.map(({ id, name, pipeline }) => [
            id,
            pipeline || sources.central.properties.enabled ? name : `${name} (off)`,
          ])}
          onChange={(id) => model.choose(id)}
        />
        <TimeBar time={time} pause="0" onRefresh={() => model.refresh()} />
      </div>
      <SearchBar model={model} field={field} />
      {model.isUnused.value ? (
        <SendHelp source={source.value} sources={sources} onChange={onChange} />
      ) : (
        <div class="logs-work">
          {!isCounting && <FieldsPanel model={model.fields} onFilter={(filter) => model.filter(filter)} />}
          <div class="logs-found" ref={work}>
            {isCounting ? (
              <MetricChart model={model} />
            ) : (
              <>
                <Histogram
                  counts={model.histogram.value}
                  failure={model.countFailure.value}
                  onZoom={({ fromS, toS }) => time.select({ fromS: Math.floor(fromS), toS: Math.ceil(toS) })}
                  onLevel={onLevel}
                />
                <Toolbar model={model} contract={contract} />
                <Lines model={model} active={active} opened={opened} />
              </>
            )}
          </div>
        </div>
      )}
    </>
  );
}

const keys = [
  ['/', 'search'],
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'details'],
  ['c', 'context'],
  ['l', 'live'],
] as const;

function Toolbar({ model, contract }: { model: LogsModel; contract: number }) {
  const isLive = model.isLive.value;
  const copyLink = async (): Promise<void> => {
    await copyPlain(model.link(contract));
    toast('Link copied.');
  };
  const save = (): void => {
    if (model.submitted.value) openSave(model.submitted.value, model.histogram.value?.count);
  };
  return (
    <div class="logs-tools" role="toolbar" aria-label="Lines">
      <button
        type="button"
        class={isLive ? 'plain live' : 'plain'}
        aria-pressed={isLive}
        onClick={() => (isLive ? model.pause() : perform(() => model.follow()))}
      >
        {isLive ? 'Pause' : 'Live'}
      </button>
      <Toggle text="Wrap" value={model.doesWrap} />
      <Toggle text="Raw" value={model.isRaw} />
      <Button text="Copy link" look="plain" onPress={() => perform(copyLink)} />
      <Button text="Save lines" look="plain" onPress={save} />
      <a href={resourceUrl('logging', '/pipelines')}>Log pipelines</a>
      <p class="logs-keys">
        {keys.map(([key, what]) => (
          <span key={key}>
            <kbd>{key}</kbd> {what}{' '}
          </span>
        ))}
      </p>
    </div>
  );
}

type LinesProps = Pick<Parameters<typeof useKeys>[0], 'model' | 'active' | 'opened'>;

const dayS = 86_400;

function Lines({ model, active, opened }: LinesProps) {
  const { lines, search } = model;
  const span = model.submitted.value?.span;
  if (lines.lines.value.length === 0) {
    if (lines.isWaiting.value) return <Waiting what="the lines" />;
    if (lines.failure.value !== undefined) return null; // shown below the search
    return <NothingFound model={model} />;
  }
  const look = {
    doesWrap: model.doesWrap.value,
    isRaw: model.isRaw.value,
    hasDays: span !== undefined && span.toS - span.fromS > dayS / 2,
    words: search.value.isExpression ? [] : wordsIn(search.value.words),
  };
  return (
    <LineList
      model={lines}
      look={look}
      active={active}
      opened={opened}
      onFilter={(filter) => model.filter(filter)}
      onContext={(line) => openContext(model.source.value, line)}
    />
  );
}

function NothingFound({ model }: { model: LogsModel }) {
  const { time } = model;
  const span = model.submitted.value?.span;
  const longer = [dayS, 7 * dayS, 29 * dayS].filter((lastS) => {
    const range = time.range.value;
    return !isFollowing(range) || range.lastS < lastS;
  });
  return (
    <Empty text={span ? `No lines found from ${spanText(span)}. Try a longer time.` : 'No lines found.'}>
      <div class="actions">
        {longer.map((lastS) => (
          <Button
            key={lastS}
            text={lastS === dayS ? 'Last 24 hours' : `Last ${Math.ceil(lastS / dayS / 10) * 10 === 30 ? 30 : 7} days`}
            look="plain"
            onPress={() => time.select({ lastS })}
          />
        ))}
      </div>
    </Empty>
  );
}
