// The dashboards of servers and load balancers, from central monitoring.
import { at, load, several, type Template } from './template.ts';

const server = 'instance_name=~"$server"';
const balancer = 'balancer_name=~"$balancer"';

export const machines: Template = {
  key: 'machines',
  name: 'Machines',
  note: 'Processor and network of servers',
  metric: 'instance_cpu_utilization_average',
  isCentral: true,
  variables: [several('server', 'Server', 'label_values(instance_cpu_utilization_average, instance_name)')],
  panels: [
    {
      title: 'Running servers',
      kind: 'stat',
      queries: [[`count(instance_cpu_utilization_average{${server}})`, 'Servers']],
      unit: 'number',
      grid: at(0, 0, 3, 5),
    },
    {
      title: 'Mean processor load',
      kind: 'gauge',
      queries: [[`avg(instance_cpu_utilization_average{${server}})`, 'Mean']],
      unit: 'percent',
      thresholds: load,
      grid: at(3, 0, 3, 5),
    },
    {
      title: 'Busiest servers',
      kind: 'bargauge',
      queries: [[`topk(5, instance_cpu_utilization_average{${server}})`, '{{instance_name}}']],
      unit: 'percent',
      thresholds: load,
      grid: at(6, 0, 6, 5),
    },
    {
      title: 'Processor load',
      queries: [[`instance_cpu_utilization_average{${server}}`, '{{instance_name}}']],
      unit: 'percent',
      grid: at(0, 5, 12, 8),
    },
    {
      title: 'Received',
      queries: [[`sum by (instance_name) (instance_network_in_bytes{${server}}) / 60`, '{{instance_name}}']],
      unit: 'byteRate',
      grid: at(0, 13, 6, 8),
    },
    {
      title: 'Sent',
      queries: [[`sum by (instance_name) (instance_network_out_bytes{${server}}) / 60`, '{{instance_name}}']],
      unit: 'byteRate',
      grid: at(6, 13, 6, 8),
    },
    {
      title: 'Servers',
      kind: 'table',
      queries: [
        [`sum by (instance_name, location) (instance_cpu_utilization_average{${server}})`, 'Load'],
        [`sum by (instance_name, location) (instance_network_in_packets{${server}})`, 'Packets in'],
        [`sum by (instance_name, location) (instance_network_out_packets{${server}})`, 'Packets out'],
      ],
      unit: 'number',
      grid: at(0, 21, 12, 8),
    },
  ],
};

export const balancers: Template = {
  key: 'balancers',
  name: 'Load balancers',
  note: 'Requests, errors and targets',
  metric: 'loadbalancer_requests',
  isCentral: true,
  variables: [several('balancer', 'Load balancer', 'label_values(loadbalancer_requests, balancer_name)')],
  panels: [
    {
      title: 'Requests per second',
      kind: 'stat',
      queries: [[`sum(loadbalancer_requests{target="", ${balancer}}) / 60`, 'Requests']],
      unit: 'rate',
      grid: at(0, 0, 3, 5),
    },
    {
      title: 'Errors',
      kind: 'stat',
      queries: [
        [
          `sum(loadbalancer_errors{target="", ${balancer}}) / (sum(loadbalancer_requests{target="", ${balancer}}) > 0)`,
          'Errors',
        ],
      ],
      unit: 'ratio',
      thresholds: [{ colour: 'good' }, { value: 0.01, colour: 'warning' }, { value: 0.05, colour: 'danger' }],
      grid: at(3, 0, 3, 5),
    },
    {
      title: 'Healthy targets',
      kind: 'bargauge',
      queries: [[`avg by (balancer_name) (loadbalancer_target_healthy{${balancer}})`, '{{balancer_name}}']],
      unit: 'ratio',
      thresholds: [{ colour: 'danger' }, { value: 0.5, colour: 'warning' }, { value: 1, colour: 'good' }],
      grid: at(6, 0, 6, 5),
    },
    {
      title: 'Requests',
      queries: [[`sum by (balancer_name) (loadbalancer_requests{target="", ${balancer}}) / 60`, '{{balancer_name}}']],
      unit: 'rate',
      grid: at(0, 5, 6, 8),
    },
    {
      title: 'Response time of targets',
      queries: [[`loadbalancer_response_milliseconds{${balancer}}`, '{{balancer_name}} {{target}}']],
      unit: 'milliseconds',
      grid: at(6, 5, 6, 8),
    },
    {
      title: 'Traffic',
      queries: [
        [`sum(loadbalancer_in_bytes{target="", ${balancer}}) / 60`, 'From clients'],
        [`sum(loadbalancer_out_bytes{target="", ${balancer}}) / 60`, 'To clients'],
      ],
      unit: 'byteRate',
      grid: at(0, 13, 6, 8),
    },
    {
      title: 'Requests by target',
      queries: [[`sum by (target) (loadbalancer_requests{target!="", ${balancer}}) / 60`, '{{target}}']],
      unit: 'rate',
      grid: at(6, 13, 6, 8),
    },
  ],
};
