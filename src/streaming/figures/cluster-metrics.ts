// The metrics of one cluster, under the names of the usual Kafka exporters: for scrapers of GET
// …/clusters/{clusterId}/metrics, and for central monitoring.

import { regionOf } from '../../core/regional.ts';
import type { MetricSource, ResourceMetric } from '../../core/resource-metrics.ts';
import type { Row } from '../../core/state/engine.ts';
import type { ClusterFigures } from '../engine/engine.ts';
import type { Readings } from './readings.ts';

export interface ClusterMetric {
  name: string;
  type: 'counter' | 'gauge';
  help: string;
  labels: Readonly<Record<string, string>>;
  value: number;
}

export function* metricsOf({ topics, groups, ...figures }: ClusterFigures): Generator<ClusterMetric> {
  const one = (name: string, type: ClusterMetric['type'], help: string, value: number, labels = {}): ClusterMetric => ({
    name,
    type,
    help,
    labels,
    value,
  });
  yield one('kafka_cluster_bytes_in_total', 'counter', 'Bytes received from clients.', figures.bytesIn);
  yield one('kafka_cluster_bytes_out_total', 'counter', 'Bytes sent to clients.', figures.bytesOut);
  yield one('kafka_cluster_requests_total', 'counter', 'Requests answered.', figures.requests);
  yield one('kafka_cluster_connections', 'gauge', 'Open connections.', figures.connections);
  yield one('kafka_cluster_partitions', 'gauge', 'Partitions of all topics.', figures.partitions);
  yield one('kafka_cluster_log_size_bytes', 'gauge', 'Bytes of all records.', figures.storedBytes);
  for (const { name: topic, bytes } of topics)
    yield one('kafka_topic_log_size_bytes', 'gauge', 'Bytes of the records of a topic.', bytes, { topic });
  for (const { name: topic, records } of topics)
    yield one('kafka_topic_records', 'gauge', 'Offsets from the start to the end of the logs of a topic.', records, {
      topic,
    });
  for (const { id: consumergroup, members } of groups)
    yield one('kafka_consumergroup_members', 'gauge', 'Members of a group.', members, { consumergroup });
  const lagHelp = 'Offsets that a group has not committed yet; without a commit, counted from the start of the log.';
  for (const { id: consumergroup, lag } of groups)
    for (const { topic, records } of lag)
      yield one('kafka_consumergroup_lag', 'gauge', lagHelp, records, { consumergroup, topic });
}

// Writes the metrics in Prometheus' text format.
export function metricsText(figures: ClusterFigures): string {
  const lines: string[] = [];
  let last = '';
  for (const { name, type, help, labels, value } of metricsOf(figures)) {
    if (name !== last) lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
    last = name;
    const shown = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
    lines.push(`${name}${shown.length > 0 ? `{${shown.join(',')}}` : ''} ${value}`);
  }
  return `${lines.join('\n')}\n`;
}

const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

// Returns current values: earlier ones are not stored.
export const clusterNumbers = (readings: Readings): MetricSource =>
  async function* (contract, region, ends) {
    for (const { cluster, figures } of await readings.read())
      if (cluster.contract === contract && regionOf(cluster.place) === region)
        for (const { name, labels, value } of metricsOf(figures))
          yield numberOf(cluster, name, labels, value, ends.length);
  };

function numberOf(cluster: Row, name: string, labels: object, value: number, minutes: number): ResourceMetric {
  const { name: clusterName } = JSON.parse(cluster.body) as { name: string };
  return {
    name,
    labels: { cluster_id: cluster.id, cluster_name: clusterName, ...labels },
    values: Array.from({ length: minutes }, (_, at) => (at === minutes - 1 ? value : undefined)),
  };
}
