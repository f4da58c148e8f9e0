// The dashboard of the region itself. An agent pushes its /metrics to a pipeline.
import { at, several, type Template } from './template.ts';

export const region: Template = {
  key: 'region',
  name: 'Region',
  note: 'The process itself, from /metrics in the chosen pipeline',
  metric: 'process_cpu_seconds_total',
  isCentral: false,
  variables: [several('service', 'Service', 'label_values(cumulet_requests_total, service)')],
  panels: [
    {
      title: 'Memory',
      kind: 'stat',
      queries: [['sum(process_resident_memory_bytes)', 'Memory']],
      unit: 'bytes',
      grid: at(0, 0, 3, 5),
    },
    {
      title: 'Main thread',
      kind: 'gauge',
      queries: [['max(rate(process_event_loop_busy_seconds_total[$__rate_interval]))', 'Busy']],
      unit: 'ratio',
      thresholds: [{ colour: 'good' }, { value: 0.7, colour: 'warning' }, { value: 0.9, colour: 'danger' }],
      grid: at(3, 0, 3, 5),
    },
    {
      title: 'Busiest operations',
      kind: 'bargauge',
      queries: [
        [
          'topk(5, sum by (operation) (rate(cumulet_requests_total{service=~"$service"}[$__rate_interval])))',
          '{{operation}}',
        ],
      ],
      unit: 'rate',
      grid: at(6, 0, 6, 5),
    },
    {
      title: 'Requests',
      queries: [
        ['sum by (service) (rate(cumulet_requests_total{service=~"$service"}[$__rate_interval]))', '{{service}}'],
      ],
      unit: 'rate',
      grid: at(0, 5, 6, 8),
    },
    {
      title: 'Server errors',
      queries: [
        [
          'sum by (service) (rate(cumulet_requests_total{service=~"$service", status=~"5.."}[$__rate_interval]))',
          '{{service}}',
        ],
      ],
      unit: 'rate',
      grid: at(6, 5, 6, 8),
    },
    {
      title: 'Processor',
      queries: [['sum(rate(process_cpu_seconds_total[$__rate_interval]))', 'Processors in use']],
      unit: 'number',
      grid: at(0, 13, 6, 8),
    },
    {
      title: 'Operations',
      queries: [
        ['sum(cumulet_operations_running)', 'Running'],
        ['sum(rate(cumulet_operations_failed_total[$__rate_interval]))', 'Failed per second'],
      ],
      unit: 'number',
      grid: at(6, 13, 6, 8),
    },
    {
      title: 'Connections',
      queries: [
        ['sum(cumulet_connections_open)', 'Open'],
        ['sum(process_open_fds)', 'Open files'],
      ],
      unit: 'number',
      grid: at(0, 21, 6, 8),
    },
    {
      title: 'State',
      queries: [
        ['sum(rate(cumulet_state_commits_total[$__rate_interval]))', 'Commits'],
        ['sum(rate(cumulet_state_syncs_total[$__rate_interval]))', 'Synced commits'],
      ],
      unit: 'rate',
      grid: at(6, 21, 6, 8),
    },
  ],
};
