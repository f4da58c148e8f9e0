// Help for pushing metrics: configurations of common agents with the pipeline's address. The region stores only a hash
// of the key, so there is also a button for a new key.
import type { ComponentChildren } from 'preact';
import { Actions, Button } from '../../components/button.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Copyable, SecretContent } from '../../components/secret-dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { newKey, type Pipeline } from '../sources.ts';
import { curlText, keyWord, openTelemetryText, prometheusText } from './push-texts.ts';

export interface PushHelpProps {
  region: string;
  pipeline: Pipeline;
  children?: ComponentChildren;
}

export function PushHelp({ region, pipeline, children }: PushHelpProps) {
  const endpoint = pipeline.metadata.httpEndpoint ?? '';
  return (
    <>
      <Copyable title="Try with curl" text={curlText(endpoint, keyWord)} />
      <Copyable title="Prometheus configuration" text={prometheusText(endpoint)} />
      <Copyable title="OpenTelemetry environment" text={openTelemetryText(endpoint)} />
      <p>
        Replace {keyWord} by the pipeline’s key. It was shown when the pipeline was created and can’t be shown again. If
        it is lost, create a new one.
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

export function replaceKey(region: string, { id, properties, metadata }: Pipeline): void {
  let key = '';
  confirm({
    title: 'Create a new key?',
    text: `The current key of ${properties.name} stops working immediately. Clients that push need the new one.`,
    action: 'Create key',
    act: async () => {
      key = await newKey(region, id);
    },
    onDone: () => {
      toast('Key replaced.');
      showKey(properties.name, key, metadata.httpEndpoint ?? '');
    },
  });
}

export function showKey(name: string, key: string, endpoint: string, onClosed?: () => void): void {
  const secret = { title: `Key of ${name}`, name: 'Key', value: key, about: 'Keep it like a password.' };
  openDialog((close) => (
    <Dialog title={secret.title} close={close} onClosed={onClosed}>
      <SecretContent secret={secret} close={close}>
        <Copyable title="Try with curl" text={curlText(endpoint, key)} />
      </SecretContent>
    </Dialog>
  ));
}
