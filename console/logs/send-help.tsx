// Help for an empty source: how to send lines to a pipeline, with its real addresses, and the switch of central
// logging.
import { Button } from '../components/button.tsx';
import { Copyable } from '../components/secret-dialog.tsx';
import { Empty } from '../components/states.tsx';
import { perform, toast } from '../components/toast.tsx';
import { resourceUrl } from '../urls.ts';
import { createText, curlText, fluentHttpText, fluentText, keyWord } from './send-texts.ts';
import { type LogPipeline, type LogSource, type LogSources, switchCentral } from './sources.ts';

export interface SendHelpProps {
  source: LogSource;
  sources: LogSources;
  onChange(): void;
}

export function SendHelp({ source, sources, onChange }: SendHelpProps) {
  if (source.pipeline) return <PipelineHelp pipeline={source.pipeline} />;
  const { region, central } = sources;
  if (central.properties.enabled)
    return <Empty text="Central logging has no lines yet. The platform’s products log here." />;
  const switchOn = async (): Promise<void> => {
    await switchCentral(region, central, true);
    toast('Central logging is on.');
    onChange();
  };
  return (
    <Empty text="Central logging is off. It collects log lines of the platform’s products.">
      <Button text="Switch on" onPress={() => perform(switchOn)} />
      <p>
        To collect your own lines, create a pipeline under{' '}
        <a href={resourceUrl('logging', '/pipelines')}>Log pipelines</a>, or with this call:
      </p>
      <Copyable title="Create pipeline with curl" text={createText(location.origin, region)} />
    </Empty>
  );
}

function PipelineHelp({ pipeline: { id, properties } }: { pipeline: LogPipeline }) {
  const { name, logs, httpAddress, tcpAddress } = properties;
  const byHttp = logs.find(({ protocol }) => protocol === 'http');
  const byForward = logs.find(({ protocol }) => protocol === 'tcp');
  return (
    <Empty text={`${name} has no lines yet.`}>
      {byHttp && <Copyable title="Try with curl" text={curlText(httpAddress, byHttp.tag, keyWord)} />}
      {byForward && <Copyable title="Fluent Bit configuration" text={fluentText(tcpAddress, byForward.tag)} />}
      {!byForward && byHttp && (
        <Copyable title="Fluent Bit configuration" text={fluentHttpText(httpAddress, byHttp.tag)} />
      )}
      <p>
        Replace {keyWord} by the pipeline’s key. It was shown when the pipeline was created and can’t be shown again. If
        it is lost, create a new one on <a href={resourceUrl('logging', `/pipelines/${id}`)}>the pipeline’s page</a>.
      </p>
    </Empty>
  );
}
