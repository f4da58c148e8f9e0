// The dashboards of event streams and buckets, from central monitoring.
import { at, several, type Template } from './template.ts';

const cluster = 'cluster_name=~"$cluster"';
const bucket = 'bucket=~"$bucket"';

export const brokers: Template = {
  key: 'brokers',
  name: 'Event streams',
  note: 'Traffic, topics and lag of clusters',
  metric: 'kafka_cluster_requests_total',
  isCentral: true,
  variables: [several('cluster', 'Cluster', 'label_values(kafka_cluster_requests_total, cluster_name)')],
  panels: [
    {
      title: 'Connections',
      kind: 'stat',
      queries: [[`sum(kafka_cluster_connections{${cluster}})`, 'Connections']],
      unit: 'number',
      grid: at(0, 0, 3, 5),
    },
    {
      title: 'Stored',
      kind: 'stat',
      queries: [[`sum(kafka_cluster_log_size_bytes{${cluster}})`, 'Stored']],
      unit: 'bytes',
      grid: at(3, 0, 3, 5),
    },
    {
      title: 'Largest lags',
      kind: 'bargauge',
      queries: [
        [`topk(5, sum by (consumergroup, topic) (kafka_consumergroup_lag{${cluster}}))`, '{{consumergroup}} {{topic}}'],
      ],
      unit: 'number',
      grid: at(6, 0, 6, 5),
    },
    {
      title: 'Traffic',
      queries: [
        [`sum(rate(kafka_cluster_bytes_in_total{${cluster}}[$__rate_interval]))`, 'From clients'],
        [`sum(rate(kafka_cluster_bytes_out_total{${cluster}}[$__rate_interval]))`, 'To clients'],
      ],
      unit: 'byteRate',
      grid: at(0, 5, 6, 8),
    },
    {
      title: 'Requests',
      queries: [
        [
          `sum by (cluster_name) (rate(kafka_cluster_requests_total{${cluster}}[$__rate_interval]))`,
          '{{cluster_name}}',
        ],
      ],
      unit: 'rate',
      grid: at(6, 5, 6, 8),
    },
    {
      title: 'Lag of consumer groups',
      queries: [[`sum by (consumergroup, topic) (kafka_consumergroup_lag{${cluster}})`, '{{consumergroup}} {{topic}}']],
      unit: 'number',
      grid: at(0, 13, 6, 8),
    },
    {
      title: 'Topics',
      kind: 'table',
      queries: [
        [`sum by (cluster_name, topic) (kafka_topic_records{${cluster}})`, 'Records'],
        [`sum by (cluster_name, topic) (kafka_topic_log_size_bytes{${cluster}})`, 'Bytes'],
      ],
      unit: 'number',
      grid: at(6, 13, 6, 8),
    },
  ],
};

export const buckets: Template = {
  key: 'buckets',
  name: 'Buckets',
  note: 'Content and traffic of buckets',
  metric: 'bucket_objects',
  isCentral: true,
  variables: [several('bucket', 'Bucket', 'label_values(bucket_objects, bucket)')],
  panels: [
    {
      title: 'Objects',
      kind: 'stat',
      queries: [[`sum(bucket_objects{${bucket}})`, 'Objects']],
      unit: 'number',
      grid: at(0, 0, 3, 5),
    },
    {
      title: 'Stored',
      kind: 'stat',
      queries: [[`sum(bucket_size_bytes{${bucket}})`, 'Stored']],
      unit: 'bytes',
      grid: at(3, 0, 3, 5),
    },
    {
      title: 'Largest buckets',
      kind: 'bargauge',
      queries: [[`topk(5, bucket_size_bytes{${bucket}})`, '{{bucket}}']],
      unit: 'bytes',
      grid: at(6, 0, 6, 5),
    },
    {
      title: 'Requests',
      queries: [[`sum by (bucket) (rate(bucket_requests_total{${bucket}}[$__rate_interval]))`, '{{bucket}}']],
      unit: 'rate',
      grid: at(0, 5, 6, 8),
    },
    {
      title: 'Traffic',
      queries: [
        [`sum(rate(bucket_in_bytes_total{${bucket}}[$__rate_interval]))`, 'Uploaded'],
        [`sum(rate(bucket_out_bytes_total{${bucket}}[$__rate_interval]))`, 'Downloaded'],
      ],
      unit: 'byteRate',
      grid: at(6, 5, 6, 8),
    },
    {
      title: 'Stored bytes',
      queries: [[`bucket_size_bytes{${bucket}}`, '{{bucket}}']],
      unit: 'bytes',
      grid: at(0, 13, 12, 8),
    },
  ],
};
