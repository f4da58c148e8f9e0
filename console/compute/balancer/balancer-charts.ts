// The charts of a load balancer by forwarding rule and target, and the health history of its targets, from the metrics
// of central monitoring (docs/network.md).
import type { Plot, Query } from '../../plot/plot.ts';
import type { Unit } from '../../plot/units.ts';
import type { Span } from '../../time/time-range.ts';

export interface Rule {
  id: string;
  name: string;
}

interface BalancerChart {
  title: string;
  lead?: string;
  queries: readonly Query[];
  unit: Unit;
}

type Of = 'rules' | 'targets';

// The region counts per minute; charts show rates per second.
export function chartsOf(balancer: string, rules: readonly Rule[]): BalancerChart[] {
  const perSecond = (metric: string, of: Of, more = '') => queriesOf(balancer, rules, metric, of, ' / 60', more);
  const bytes = (of: Of): Query[] => [
    ...perSecond('loadbalancer_in_bytes', of, ' in'),
    ...perSecond('loadbalancer_out_bytes', of, ' out'),
  ];
  const connections = 'TCP rules count connections.';
  return [
    { title: 'Requests', lead: connections, queries: perSecond('loadbalancer_requests', 'rules'), unit: 'rate' },
    { title: 'Errors', queries: perSecond('loadbalancer_errors', 'rules'), unit: 'rate' },
    { title: 'Traffic', queries: bytes('rules'), unit: 'byteRate' },
    {
      title: 'Latency of targets',
      lead: 'The mean until a target responds; for TCP rules, until it accepts the connection.',
      queries: queriesOf(balancer, rules, 'loadbalancer_response_milliseconds', 'targets'),
      unit: 'milliseconds',
    },
    { title: 'Requests of targets', queries: perSecond('loadbalancer_requests', 'targets'), unit: 'rate' },
    { title: 'Errors of targets', queries: perSecond('loadbalancer_errors', 'targets'), unit: 'rate' },
    { title: 'Traffic of targets', queries: bytes('targets'), unit: 'byteRate' },
  ];
}

export const healthQueries = (balancer: string, rules: readonly Rule[]): Query[] =>
  queriesOf(balancer, rules, 'loadbalancer_target_healthy', 'targets');

function queriesOf(
  balancer: string,
  rules: readonly Rule[],
  metric: string,
  of: Of,
  operation = '',
  more = '',
): Query[] {
  return rules.map(({ id, name }) => {
    const labels = `balancer_id=${JSON.stringify(balancer)},rule_id=${JSON.stringify(id)}`;
    const target = rules.length === 1 ? '{{target}}' : `${name} · {{target}}`;
    return {
      expression: `${metric}{${labels},target${of === 'rules' ? '=' : '!='}""}${operation}`,
      legend: `${of === 'rules' ? name : target}${more}`,
    };
  });
}

export interface Period extends Span {
  isHealthy: boolean;
}

export interface TargetHealth {
  name: string;
  isHealthy: boolean; // at last
  periods: readonly Period[]; // a gap has no values
}

// The health of each target over the time of the plot, from values of 1 and 0.
export function healthOf({ times, lines }: Plot): TargetHealth[] {
  const stepS = (times[1] ?? 0) - (times[0] ?? 0);
  return lines.map(({ name, values, last }) => {
    const periods: Period[] = [];
    for (const [at, value] of values.entries()) {
      if (value === null) continue;
      const [fromS, isHealthy] = [times[at] as number, value >= 1];
      const before = periods.at(-1);
      if (before?.isHealthy === isHealthy && before.toS === fromS) before.toS = fromS + stepS;
      else periods.push({ fromS, toS: fromS + stepS, isHealthy });
    }
    return { name, isHealthy: last === 1, periods };
  });
}
