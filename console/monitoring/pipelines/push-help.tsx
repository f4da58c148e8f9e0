// How metrics get into a pipeline: what the usual agents need, with its real address. The platform keeps no readable
// key, so the way to a new one is here too.
import type { ComponentChildren } from 'preact';
import { Actions, Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Copyable, SecretContent } from '../../components/secret-dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { newKey, type Pipeline } from '../sources.ts';

const keyWord = '<key>';

export interface PushHelpProps {
  region: string;
  pipeline: Pipeline;
  children?: ComponentChildren;
}

export function PushHelp({ region, pipeline, children }: PushHelpProps) {
  const endpoint = pipeline.metadata.httpEndpoint ?? '';
  return (
    <>
      <Copyable title="Try it with curl" text={curlText(endpoint, keyWord)} />
      <Copyable title="Prometheus, in its configuration" text={prometheusText(endpoint)} />
      <Copyable title="OpenTelemetry, in the environment" text={openTelemetryText(endpoint)} />
      <p>
        Put the pipeline's key in place of {keyWord}. It was shown when the pipeline was made, and is not kept here. If
        nobody has it, make a new one.
      </p>
      <Actions>
        <Button
          text="New key"
          look="plain"
          label={`New key for ${pipeline.properties.name}`}
          onPress={() => replaceKey(region, pipeline)}
        />
        {children}
      </Actions>
    </>
  );
}

export function openPushHelp(region: string, pipeline: Pipeline): void {
  openDialog((close) => (
    <Dialog title={`Push to ${pipeline.properties.name}`} close={close}>
      <PushHelp region={region} pipeline={pipeline}>
        <Button text="Close" look="plain" takesFocus onPress={close} />
      </PushHelp>
    </Dialog>
  ));
}

const curlText = (endpoint: string, key: string): string =>
  `echo 'example_value{from="curl"} 42' |
  curl -H 'APIKEY: ${key}' -H 'Content-Type: text/plain' \\
    --data-binary @- ${endpoint}/api/v1/push`;

const prometheusText = (endpoint: string): string =>
  `remote_write:
  - url: ${endpoint}/api/v1/push
    authorization:
      credentials: ${keyWord}`;

const openTelemetryText = (endpoint: string): string =>
  `OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=${endpoint}/v1/metrics
OTEL_EXPORTER_OTLP_METRICS_PROTOCOL=http/protobuf
OTEL_EXPORTER_OTLP_METRICS_HEADERS=apikey=${keyWord}`;

export function replaceKey(region: string, { id, properties, metadata }: Pipeline): void {
  let key = '';
  confirm({
    title: 'Make a new key?',
    text: `What pushes to ${properties.name} with the current key is refused at once, until it is given the new one.`,
    action: 'Make a new key',
    act: async () => {
      key = await newKey(region, id);
    },
    onDone: () => {
      toast('The key was replaced.');
      showKey(properties.name, key, metadata.httpEndpoint ?? '');
    },
  });
}

export function showKey(name: string, key: string, endpoint: string, onClosed?: () => void): void {
  const secret = { title: `The key of ${name}`, name: 'Key', value: key, about: 'Keep it like a password.' };
  openDialog((close) => (
    <Dialog title={secret.title} close={close} onClosed={onClosed}>
      <SecretContent secret={secret} close={close}>
        <Copyable title="Try it with curl" text={curlText(endpoint, key)} />
      </SecretContent>
    </Dialog>
  ));
}
