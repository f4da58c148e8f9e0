// The tab Metrics of a server, from central monitoring of its region.
import { useMemo } from 'preact/hooks';
import { useResource } from '../../components/resource.ts';
import { Loaded } from '../../components/states.tsx';
import { CentralCharts } from '../../monitoring/plot/central-charts.tsx';
import { type SourceChart, SourceCharts } from '../../monitoring/plot/source-charts.tsx';
import type { TabProps } from '../../resources/extension.ts';
import { regionOf } from '../location.ts';

export function ServerMetricsTab({ item, path, facts }: TabProps) {
  const region = useResource((signal) => regionOf(path, signal));
  const charts = useMemo(() => chartsOf(item.id), [item.id]);
  return (
    <Loaded resource={region} what="the datacenter">
      {(name) => (
        <CentralCharts region={name} regions={facts.regions} what="the metrics of servers">
          {(source) => <SourceCharts source={source} charts={charts} />}
        </CentralCharts>
      )}
    </Loaded>
  );
}

// The region counts per minute; charts show rates per second.
function chartsOf(id: string): SourceChart[] {
  const of = (metric: string): string => `${metric}{instance_id=${JSON.stringify(id)}}`;
  const both = (metric: string) =>
    (['in', 'out'] as const).map((way) => ({
      expression: `${of(`instance_network_${way}_${metric}`)} / 60`,
      legend: way,
    }));
  return [
    {
      title: 'CPU',
      queries: [{ expression: of('instance_cpu_utilization_average'), legend: 'CPU' }],
      unit: 'percent',
    },
    { title: 'Network', queries: both('bytes'), unit: 'byteRate' },
    { title: 'Packets', queries: both('packets'), unit: 'rate' },
  ];
}
