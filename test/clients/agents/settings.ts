// The configuration files of agents, as their own documentation writes them.
import type { Pipeline } from './pipeline.ts';

export const scraping = (address: string): string => `global:
  scrape_interval: 250ms
scrape_configs:
  - job_name: page
    static_configs:
      - targets: ['${address}']
`;

// As in the collector's documentation, with the key in a header.
export const collectorSettings = ({ endpoint, key }: Pipeline): string => `receivers:
  looks:
exporters:
  prometheusremotewrite:
    endpoint: ${endpoint}/api/v1/push
    headers:
      APIKEY: ${key}
service:
  pipelines:
    metrics:
      receivers: [looks]
      exporters: [prometheusremotewrite]
  telemetry:
    metrics:
      level: none
`;

export const telegrafSettings = (address: string, { endpoint, key }: Pipeline): string => `[agent]
  interval = "300ms"
  flush_interval = "300ms"
[[inputs.http]]
  urls = ["http://${address}/metrics"]
  data_format = "prometheus"
  prometheus_metric_version = 2
[[outputs.http]]
  url = "${endpoint}/api/v1/push"
  data_format = "prometheusremotewrite"
  [outputs.http.headers]
    Content-Type = "application/x-protobuf"
    Content-Encoding = "snappy"
    X-Prometheus-Remote-Write-Version = "0.1.0"
    APIKEY = "${key}"
`;

// Receives traces, and sends them to another receiver.
export const tracesSettings = (address: string, receiver: string): string => `receivers:
  otlp:
    protocols:
      http:
        endpoint: ${address}
exporters:
  otlphttp:
    endpoint: ${receiver}
    encoding: json
    compression: none
service:
  pipelines:
    traces:
      receivers: [otlp]
      exporters: [otlphttp]
  telemetry:
    metrics:
      level: none
`;
