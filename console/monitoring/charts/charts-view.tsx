// The dashboard, explorer and pipelines of a region.
import { untracked } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { Select } from '../../components/field.tsx';
import { useAbortSignal } from '../../components/resource.ts';
import { Empty, Loaded } from '../../components/states.tsx';
import { perform, toast } from '../../components/toast.tsx';
import { TimeBar } from '../../time/time-bar.tsx';
import type { Span } from '../../time/time-range.ts';
import { ruleRefusal } from '../alerts/alerting-api.ts';
import { openRuleForm } from '../alerts/rule-form.tsx';
import { Dashboard } from '../dashboard/dashboard.tsx';
import { Explorer } from '../explorer/explorer.tsx';
import { CreatePipeline, PipelinesSection } from '../pipelines/pipelines-section.tsx';
import { PushHelp } from '../pipelines/push-help.tsx';
import type { PanelSettings } from '../plot/panel-settings.ts';
import { dashboardRefusal } from '../refusal.ts';
import type { Source, Sources } from '../sources.ts';
import { ChartsModel, type ChartsOptions } from './charts-model.ts';

export interface ChartsViewProps extends Omit<ChartsOptions, 'signal'> {
  onChange(pipeline?: string): void; // the sources changed; with an id: open this one
}

export function ChartsView({ onChange, ...options }: ChartsViewProps) {
  const signal = useAbortSignal();
  const model = useMemo(() => untracked(() => new ChartsModel({ ...options, signal })), []);
  const { sources, dashboard, time, span, thresholdsOf } = model;
  const { source, explorer, metrics, isBegun } = model.exploring.value;
  const plots = { span, thresholdsOf, onZoom: (zoomed: Span) => time.select(zoomed) };
  const keep = (text: string, change: (settings: PanelSettings) => Promise<void>) => (settings: PanelSettings) =>
    perform(async () => {
      await change(settings);
      toast(`${settings.title} ${text}`);
    });
  const makeAlert = (expression: string, pipeline = source.id): void =>
    openRuleForm({
      sources,
      values: { expression, pipeline },
      onDone: () => {
        toast('Rule created. See Alerts.');
        void model.readThresholds();
      },
    });
  const place = useRef<HTMLDivElement>(null);
  const isEmpty = dashboard.panels.value.length === 0;
  const panels = (
    <Dashboard
      {...plots}
      span={model.panelSpan}
      model={dashboard}
      sources={sources}
      chosen={source.id}
      variables={model.variables.states.value}
      resolve={model.resolve}
      onSelect={(name, values) => perform(() => model.select(name, values))}
      onEdit={(panel) => model.edit(panel)}
      onExplore={(panel) => {
        model.explore(panel);
        place.current?.scrollIntoView({ block: 'start' });
      }}
      onAlert={({ settings }) => {
        const [first] = settings.queries;
        const from = model.sourceOf(settings.source);
        makeAlert(model.resolve(from, first?.expression ?? '', span.value), from?.id);
      }}
    />
  );
  return (
    <div class="charts">
      <div class="bars">
        <Select
          title="Pipeline"
          value={source.id}
          options={sources.all.map((one) => [one.id, titleOf(one, sources)] as const)}
          onChange={(id) => model.choose(id)}
        />
        <TimeBar time={time} onRefresh={() => model.refresh()} />
      </div>
      <p class="problem" role="status">
        {model.problem}
      </p>
      {!isEmpty && panels}
      <div class="part" ref={place}>
        <Loaded key={explorer} resource={metrics} what="the metrics">
          {(found) =>
            isBegun.value ? (
              <Explorer
                refusals={{ panel: dashboardRefusal(sources, dashboard), rule: ruleRefusal(sources.region, 'POST') }}
                {...plots}
                model={explorer}
                source={source}
                metrics={found}
                edited={dashboard.edited}
                resolve={(text, shown, stepS) => model.resolve(source, text, shown, stepS)}
                onAdd={keep('added to the dashboard.', (settings) => dashboard.add(settings))}
                onSave={keep('saved.', (settings) => dashboard.replaceEdited(settings))}
                onAlert={makeAlert}
              />
            ) : (
              <NothingYet source={source} sources={sources} onChange={onChange} />
            )
          }
        </Loaded>
      </div>
      {isEmpty && panels}
      <PipelinesSection sources={sources} onChange={onChange} />
    </div>
  );
}

const titleOf = ({ name, pipeline }: Source, { central }: Sources): string =>
  pipeline || central.properties.enabled ? name : `${name} (off)`;

interface NothingYetProps extends Pick<ChartsViewProps, 'sources' | 'onChange'> {
  source: Source;
}

function NothingYet({ source: { name, pipeline }, sources, onChange }: NothingYetProps) {
  const { region, pipelines, central } = sources;
  if (pipeline)
    return (
      <Empty text={`${name} has no metrics yet.`}>
        <PushHelp region={region} pipeline={pipeline} />
      </Empty>
    );
  if (central.properties.enabled)
    return <Empty text="There are no metrics yet. The products push them once a minute." />;
  if (pipelines.length > 0) return <Empty text="Central monitoring is off. The switch is at the end of this page." />;
  return (
    <Empty text="There are no pipelines yet. Create one, and push metrics to it.">
      <CreatePipeline region={region} onChange={onChange} />
    </Empty>
  );
}
