// The usage of a contract's machines per minute, under the metric names of the real platform.

import { pathOf } from '../../core/resource.ts';
import { regionOfLocation } from '../../core/resource-logs.ts';
import { type MetricSource, minuteMs, type ResourceMetric } from '../../core/resource-metrics.ts';
import type { Row } from '../../core/state/engine.ts';
import type { Store } from '../../core/store.ts';
import type { Usage } from './load.ts';
import type { MachineMeter } from './meter.ts';

const metrics: [name: string, of: (usage: Usage) => number][] = [
  ['instance_cpu_utilization_average', ({ cpuPercent }) => cpuPercent],
  ['instance_network_in_bytes', ({ networkInBytes }) => networkInBytes],
  ['instance_network_in_packets', ({ networkInPackets }) => networkInPackets],
  ['instance_network_out_bytes', ({ networkOutBytes }) => networkOutBytes],
  ['instance_network_out_packets', ({ networkOutPackets }) => networkOutPackets],
];

export function machineMetrics(store: Store, meter: MachineMeter): MetricSource {
  return async function* (contract, region, ends) {
    for await (const datacenter of store.each({ contract, place: 'datacenters' })) {
      const { location } = JSON.parse(datacenter.body) as { location: string };
      if (regionOfLocation(location) !== region) continue;
      for await (const server of store.each({ contract, place: `${pathOf(datacenter)}/servers` })) {
        const usages = await meter.usages(
          server,
          ends.map((end) => [end - minuteMs, end]),
        );
        if (usages) yield* numbersOf(server, datacenter, location, usages);
      }
    }
  };
}

// A machine that did not run has no values, rather than zeros.
function* numbersOf(server: Row, datacenter: Row, location: string, usages: Usage[]): Generator<ResourceMetric> {
  if (usages.every(({ runningMs }) => runningMs === 0)) return;
  const { name } = JSON.parse(server.body) as { name: string };
  const labels = { datacenter_id: datacenter.id, instance_id: server.id, instance_name: name, location };
  for (const [metric, of] of metrics)
    yield {
      name: metric,
      labels,
      values: usages.map((usage) => (usage.runningMs > 0 ? of(usage) : undefined)),
    };
}
