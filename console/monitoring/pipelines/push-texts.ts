// How to push metrics to a pipeline: with curl, Prometheus and OpenTelemetry.
export const keyWord = '<key>';

export const curlText = (endpoint: string, key: string): string =>
  `echo 'example_value{from="curl"} 42' |
  curl -H 'APIKEY: ${key}' -H 'Content-Type: text/plain' \\
    --data-binary @- ${endpoint}/api/v1/push`;

export const prometheusText = (endpoint: string): string =>
  `remote_write:
  - url: ${endpoint}/api/v1/push
    authorization:
      credentials: ${keyWord}`;

export const openTelemetryText = (endpoint: string): string =>
  `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=${endpoint}/v1/metrics
OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=http/protobuf
OTEL_EXPORTER_OTLP_METRICS_HEADERS=apikey=${keyWord}`;
