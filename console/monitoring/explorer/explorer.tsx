// The explorer: choose, filter and split a metric, or write PromQL. The result can become a dashboard panel or an alert
// rule.
import type { ReadonlySignal } from '@preact/signals';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { Actions, Button } from '../../components/button.tsx';
import { Labelled, Select, TextInput } from '../../components/field.tsx';
import { type Unit, units } from '../../plot/units.ts';
import type { Span } from '../../time/time-range.ts';
import { Panel, type PanelProps, ViewToggle } from '../plot/panel.tsx';
import { type Kind, kinds, type PanelSettings } from '../plot/panel-settings.ts';
import type { Source } from '../sources.ts';
import type { ExplorerModel } from './explorer-model.ts';
import { LabelFilters } from './label-filters.tsx';
import { MetricPicker } from './metric-picker.tsx';
import type { Metric } from './metrics.ts';
import { QueryRows } from './query-rows.tsx';

export interface ExplorerProps extends Pick<PanelProps, 'thresholdsOf' | 'onZoom' | 'resolve'> {
  model: ExplorerModel;
  source: Source;
  metrics: readonly Metric[];
  span: ReadonlySignal<Span | undefined>;
  edited: ReadonlySignal<object | undefined>; // the edited panel
  refusals: { panel: string | undefined; rule: string | undefined }; // why the user may not create them
  onAdd(settings: PanelSettings): void;
  onSave(settings: PanelSettings): void;
  onAlert(expression: string): void;
}

const kindOptions = Object.entries(kinds).filter(([kind]) => kind !== 'row' && kind !== 'logs');
const unitOptions: [string, string][] = [['auto', 'Automatic'], ...Object.entries(units)];

export function Explorer({
  model,
  source,
  metrics,
  span,
  edited,
  refusals,
  resolve,
  thresholdsOf,
  onZoom,
  ...events
}: ExplorerProps) {
  const id = useId();
  const section = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (edited.value === undefined) return;
    section.current?.scrollIntoView({ block: 'start' });
    section.current?.querySelector('textarea')?.focus({ preventScroll: true });
  }, [edited.value]);
  const add = (): void => {
    events.onAdd(model.settings.value);
    model.title.value = ''; // the next panel has another title
  };
  const { kind = 'timeseries', thresholds } = model.settings.value;
  const shown = {
    queries: model.plotted.value,
    unit: model.unit.value,
    isTable: model.isTable.value,
    kind,
    ...(thresholds && { thresholds }),
  };
  return (
    <section class="panel explorer" aria-labelledby={id} ref={section}>
      <div class="explorer-head">
        <h2 id={id}>Explore</h2>
        <Actions>
          <Button text="Show" onPress={() => model.ask()} />
          <Button text="Add expression" look="plain" onPress={() => model.addRow()} />
          <ViewToggle isTable={shown.isTable} onToggle={(isTable) => (model.isTable.value = isTable)} />
        </Actions>
      </div>
      <div class="builder">
        <MetricPicker
          metrics={metrics}
          chosen={model.metric.value?.name ?? ''}
          onChoose={(metric) => void model.choose(metric)}
        />
        <LabelFilters model={model} />
      </div>
      <QueryRows model={model} />
      <Panel
        settings={shown}
        source={source}
        span={span.value}
        resolve={resolve}
        thresholdsOf={thresholdsOf}
        onZoom={onZoom}
        onProblems={(problems) => model.showProblems(problems)}
      />
      <div class="keeping">
        <Labelled title="Title">{(titleId) => <TextInput id={titleId} maxLength={200} value={model.title} />}</Labelled>
        <Select
          title="Unit"
          value={model.unit.value}
          options={unitOptions}
          onChange={(unit) => (model.unit.value = unit as Unit | 'auto')}
        />
        <Select
          title="Kind"
          value={kind}
          options={kindOptions}
          onChange={(chosen) => (model.kind.value = chosen as Kind)}
        />
        <Labelled title="Thresholds">
          {(thresholdsId) => <TextInput id={thresholdsId} placeholder="70, 90" value={model.thresholds} />}
        </Labelled>
        <Actions>
          <Button
            text="Save panel"
            hidden={edited.value === undefined}
            onPress={() => events.onSave(model.settings.value)}
          />
          <Button text="Add to dashboard" look="plain" obstacle={refusals.panel} onPress={add} />
          <Button
            text="Create alert rule"
            look="plain"
            obstacle={refusals.rule}
            onPress={() => events.onAlert(model.settings.value.queries[0]?.expression ?? '')}
          />
        </Actions>
      </div>
    </section>
  );
}
