// Charts of one source over the same time span, for example for a server or an auto scaling group.
import { untracked } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo } from 'preact/hooks';
import { useAbortSignal } from '../../components/resource.ts';
import { Section } from '../../components/text.tsx';
import type { Query } from '../../plot/plot.ts';
import type { Unit } from '../../plot/units.ts';
import { TimeBar } from '../../time/time-bar.tsx';
import { type Span, usualRange } from '../../time/time-range.ts';
import type { Source } from '../sources.ts';
import { Panel } from './panel.tsx';
import { SourceTime } from './source-time.ts';

export interface SourceChart {
  title: string;
  lead?: string;
  queries: readonly Query[];
  unit: Unit;
  thresholds?: readonly number[];
}

export interface SourceChartsProps {
  source: Source;
  charts: readonly SourceChart[]; // a new array reloads the charts
  children?(span: Span): ComponentChildren; // above the charts
}

export function SourceCharts({ source, charts, children }: SourceChartsProps) {
  const signal = useAbortSignal();
  const model = useMemo(() => untracked(() => new SourceTime(source, usualRange, signal)), [source.id]);
  useLayoutEffect(() => model.refresh(), [model]);
  return (
    <div class="charts">
      <TimeBar time={model.time} onRefresh={() => model.refresh()} />
      <p class="problem" role="status">
        {model.problem}
      </p>
      {model.span.value && children?.(model.span.value)}
      <div class="source-charts">
        {charts.map(({ title, lead, queries, unit, thresholds = [] }) => (
          <Section key={title} title={title} {...(lead !== undefined && { lead })}>
            <Panel
              settings={{ queries, unit, isTable: false }}
              source={source}
              span={model.span.value}
              thresholdsOf={() => thresholds}
              onZoom={(span) => model.time.select(span)}
            />
          </Section>
        ))}
      </div>
    </div>
  );
}
