// How metrics get into a pipeline: what the usual agents need, with its real address. The key is known to nobody but
// who has kept it, so the way to a new one is here too.
import { button, type Child, element } from '../dom.ts';
import { confirmed } from '../parts/confirm.ts';
import { openDialog } from '../parts/dialog.ts';
import { perform, toast } from '../parts/toast.ts';
import { copyable, showOnce } from './once-shown.ts';
import { newKey, type Pipeline } from './sources.ts';

const keyWord = '<key>';

export function pushHelp(region: string, pipeline: Pipeline, ...more: Child[]): Child {
  return [
    texts(pipeline.metadata.httpEndpoint ?? '', keyWord),
    element(
      'p',
      {},
      `In place of ${keyWord} stands the pipeline's key. It was told when the pipeline was made, and is known here no more. If nobody has it, make a new one.`,
    ),
    element('div', { class: 'actions' }, keyButton(region, pipeline), more),
  ];
}

export function openPushHelp(region: string, pipeline: Pipeline): void {
  const dialog = openDialog();
  const close = button('Close', () => dialog.close(), { look: 'plain' });
  close.setAttribute('autofocus', '');
  dialog.show(`Push to ${pipeline.properties.name}`, pushHelp(region, pipeline, close));
}

export function texts(endpoint: string, key: string): Child {
  return [
    copyable('Try it with curl', curlText(endpoint, key)),
    copyable('Prometheus, in its configuration', prometheusText(endpoint, key)),
    copyable('OpenTelemetry, in the environment', openTelemetryText(endpoint, key)),
  ];
}

const curlText = (endpoint: string, key: string): string =>
  `echo 'example_value{from="curl"} 42' |
  curl -H 'APIKEY: ${key}' -H 'Content-Type: text/plain' \\
    --data-binary @- ${endpoint}/api/v1/push`;

const prometheusText = (endpoint: string, key: string): string =>
  `remote_write:
  - url: ${endpoint}/api/v1/push
    authorization:
      credentials: ${key}`;

const openTelemetryText = (endpoint: string, key: string): string =>
  `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=${endpoint}/v1/metrics
OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=http/protobuf
OTEL_EXPORTER_OTLP_METRICS_HEADERS=apikey=${key}`;

export const keyButton = (region: string, pipeline: Pipeline): HTMLElement =>
  button('New key', () => perform(() => rotate(region, pipeline)), {
    look: 'plain',
    label: `New key for ${pipeline.properties.name}`,
  });

async function rotate(region: string, { id, properties, metadata }: Pipeline): Promise<void> {
  let key = '';
  const isDone = await confirmed({
    title: 'Make a new key?',
    text: `What pushes to ${properties.name} with the key of now is refused at once, until it is given the new one.`,
    action: 'Make a new key',
    act: async () => {
      key = await newKey(region, id);
    },
  });
  if (!isDone) return;
  toast('The key was replaced.');
  showKey(properties.name, key, metadata.httpEndpoint ?? '');
}

export function showKey(name: string, key: string, endpoint: string, onClose?: () => void): void {
  const secret = { title: `The key of ${name}`, name: 'Key', value: key, about: 'Keep it like a password.' };
  showOnce(secret, onClose, copyable('Try it with curl', curlText(endpoint, key)));
}
