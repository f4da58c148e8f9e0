// The tab Metrics of a network or application load balancer, from central monitoring of its region.
import { useMemo } from 'preact/hooks';
import { call } from '../../api.ts';
import { useResource } from '../../components/resource.ts';
import { Empty, Loaded } from '../../components/states.tsx';
import { CentralCharts } from '../../monitoring/plot/central-charts.tsx';
import { SourceCharts } from '../../monitoring/plot/source-charts.tsx';
import type { Source } from '../../monitoring/sources.ts';
import type { TabProps } from '../../resources/extension.ts';
import type { Item } from '../../resources/model.ts';
import { regionOf } from '../location.ts';
import { chartsOf, type Rule } from './balancer-charts.ts';
import { HealthHistory } from './health-history.tsx';

export const BalancerMetricsTab = (props: TabProps) =>
  props.facts.machines.isReal ? (
    <Measured {...props} />
  ) : (
    <Empty text="Load balancers of this region are simulated, so there is nothing to measure." />
  );

function Measured({ item, path, facts }: TabProps) {
  const found = useResource(async (signal) => {
    const [region, rules] = await Promise.all([regionOf(path, signal), rulesOf(path, signal)]);
    return { region, rules };
  });
  return (
    <Loaded resource={found} what="the forwarding rules">
      {({ region, rules }) =>
        rules.length === 0 ? (
          <Empty text="This load balancer has no forwarding rule, so nothing reaches it." />
        ) : (
          <CentralCharts region={region} regions={facts.regions} what="the metrics of load balancers">
            {(source) => <Charts source={source} balancer={item.id} rules={rules} />}
          </CentralCharts>
        )
      }
    </Loaded>
  );
}

function Charts({ source, balancer, rules }: { source: Source; balancer: string; rules: readonly Rule[] }) {
  const charts = useMemo(() => chartsOf(balancer, rules), [balancer, rules]);
  return (
    <SourceCharts source={source} charts={charts}>
      {(span) => <HealthHistory source={source} span={span} balancer={balancer} rules={rules} />}
    </SourceCharts>
  );
}

async function rulesOf(path: string, signal: AbortSignal): Promise<Rule[]> {
  const { items } = await call<{ items: Item[] }>('GET', `${path}/forwardingrules?depth=1`, { signal });
  return items.map(({ id, properties }) => ({ id, name: String(properties.name ?? id) }));
}
