// When the targets of a load balancer were healthy, as a strip of time for each.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { isAborted } from '../../api.ts';
import { Failure } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Badge, Section } from '../../components/text.tsx';
import { queryPlot } from '../../monitoring/plot/plot-query.ts';
import type { Source } from '../../monitoring/sources.ts';
import { type Span, spanText } from '../../time/time-range.ts';
import { healthOf, healthQueries, type Rule, type TargetHealth } from './balancer-charts.ts';

export interface HealthHistoryProps {
  source: Source;
  span: Span; // a new object for each refresh
  balancer: string;
  rules: readonly Rule[];
}

const widthPx = 1000; // finer than the strip

interface History {
  targets: readonly TargetHealth[];
  span: Span;
  problem: unknown;
}

export function HealthHistory({ source, span, balancer, rules }: HealthHistoryProps) {
  const history = useSignal<History | undefined>(undefined);
  useLayoutEffect(() => {
    const asking = new AbortController();
    const question = { source, queries: healthQueries(balancer, rules), span, widthPx, isInstant: false };
    queryPlot(question, asking.signal).then(
      ({ plot, problems: [first] }) => {
        if (!asking.signal.aborted) history.value = { targets: healthOf(plot), span, problem: first?.[1] };
      },
      (error: unknown) => {
        if (!isAborted(error)) history.value = { targets: [], span, problem: error };
      },
    );
    return () => asking.abort();
  }, [source.id, span, balancer, rules]);
  if (!history.value) return null;
  const { targets, span: shown, problem } = history.value;
  return (
    <Section title="Health of targets" lead={spanText(shown)}>
      {problem !== undefined && <Failure error={problem} />}
      {targets.length === 0 && problem === undefined && <p class="lead">No target was checked.</p>}
      {targets.length > 0 && (
        <Table
          caption="Health of targets"
          rows={targets}
          keyOf={({ name }) => name}
          columns={[
            { title: 'Target', cell: ({ name }) => <code class="health-target">{name}</code> },
            {
              title: 'Last check',
              cell: ({ isHealthy }) => (
                <Badge look={isHealthy ? 'good' : 'fires'} text={isHealthy ? 'healthy' : 'not healthy'} />
              ),
            },
            { title: 'History', cell: (one) => <Strip health={one} span={shown} /> },
          ]}
        />
      )}
    </Section>
  );
}

function Strip({ health: { periods }, span: { fromS, toS } }: { health: TargetHealth; span: Span }) {
  const lengthS = toS - fromS;
  const failures = periods.filter(({ isHealthy }) => !isHealthy).map(spanText);
  const text = failures.length === 0 ? 'Always healthy' : `Not healthy from ${failures.join('; from ')}`;
  return (
    <svg class="health-strip" viewBox="0 0 1000 10" preserveAspectRatio="none" role="img" aria-label={text}>
      <title>{text}</title>
      {periods.map((one) => (
        <rect
          key={one.fromS}
          class={one.isHealthy ? 'good' : 'failed'}
          x={((one.fromS - fromS) / lengthS) * 1000}
          y={one.isHealthy ? 2 : 0}
          width={((Math.min(one.toS, toS) - one.fromS) / lengthS) * 1000}
          height={one.isHealthy ? 6 : 10}
        />
      ))}
    </svg>
  );
}
