// The pipelines of the region, what can be done with them here, and the switch of central monitoring.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Section, Time } from '../../components/text.tsx';
import { perform, toast } from '../../components/toast.tsx';
import { type Pipeline, type Sources, switchCentral } from '../sources.ts';
import { editPipeline, newPipeline, removePipeline } from './pipeline-form.tsx';
import { KeyButton, openPushHelp } from './push-help.tsx';

export interface PipelinesProps {
  sources: Sources;
  onChange(pipeline?: string): void; // there are other sources; with an id: look at that one
}

export function PipelinesSection({ sources, onChange }: PipelinesProps) {
  const { region, pipelines } = sources;
  return (
    <Section title="Pipelines" actions={<Button onPress={() => newPipeline(region, onChange)}>New pipeline</Button>}>
      {pipelines.length === 0 ? (
        <Empty text="There are no pipelines in this region yet." />
      ) : (
        <Table
          caption="Metric pipelines"
          rows={pipelines}
          keyOf={({ id }) => id}
          columns={[
            { title: 'Name', cell: (pipeline) => <Name pipeline={pipeline} all={pipelines} /> },
            { title: 'Status', cell: (pipeline) => <Status pipeline={pipeline} /> },
            { title: 'Kept', cell: ({ properties }) => retentionText(properties.retentionInDays) },
            { title: 'Endpoint', look: 'code', cell: ({ metadata }) => metadata.httpEndpoint },
            { title: 'Created', cell: ({ metadata: { createdDate: iso } }) => iso && <Time iso={iso} /> },
            {
              title: 'Actions',
              look: 'buttons',
              cell: (pipeline) => <PipelineActions region={region} pipeline={pipeline} onChange={onChange} />,
            },
          ]}
        />
      )}
      <CentralSwitch sources={sources} onChange={onChange} />
    </Section>
  );
}

const Status = ({ pipeline: { metadata } }: { pipeline: Pipeline }) => (
  <>
    {metadata.status}
    {metadata.statusMessage !== undefined && <small>{metadata.statusMessage}</small>}
  </>
);

// Pipelines may have the same name; then the id tells them apart.
const Name = ({ pipeline: { id, properties }, all }: { pipeline: Pipeline; all: readonly Pipeline[] }) => (
  <>
    {properties.name}
    {all.some((other) => other.id !== id && other.properties.name === properties.name) && <small>{id}</small>}
  </>
);

const retentionText = (days: number | undefined): string =>
  days === 1 ? 'a day' : days === undefined ? '' : `${days} days`;

interface ActionsProps extends Omit<PipelinesProps, 'sources'> {
  region: string;
  pipeline: Pipeline;
}

function PipelineActions({ region, pipeline, onChange }: ActionsProps) {
  const { id, properties } = pipeline;
  const edit = (): void =>
    editPipeline(region, pipeline, () => {
      toast('The pipeline was changed.');
      onChange(id);
    });
  const remove = async (): Promise<void> => {
    if (!(await removePipeline(region, pipeline))) return;
    toast('The pipeline was deleted.');
    onChange();
  };
  const { name } = properties;
  return (
    <span class="actions">
      <Button look="plain" label={`How to push to ${name}`} onPress={() => openPushHelp(region, pipeline)}>
        How to push
      </Button>
      <KeyButton region={region} pipeline={pipeline} />
      <Button look="plain" label={`Edit ${name}`} onPress={edit}>
        Edit
      </Button>
      <Button look="plain" label={`Delete ${name}`} onPress={() => perform(remove)}>
        Delete
      </Button>
    </span>
  );
}

function CentralSwitch({ sources: { region, central }, onChange }: PipelinesProps) {
  const id = useId();
  const isOn = useSignal(central.properties.enabled);
  const change = async (wanted: boolean): Promise<void> => {
    isOn.value = wanted;
    try {
      await switchCentral(region, central, wanted);
    } catch (error) {
      isOn.value = !wanted;
      throw error;
    }
    toast(wanted ? 'Central monitoring is on.' : 'Central monitoring is off.');
    onChange();
  };
  const products = (central.metadata.products ?? []).join(', ');
  return (
    <div class="field flag central">
      <input
        id={id}
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has its state already
        role="switch"
        checked={isOn.value}
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => perform(() => change(currentTarget.checked))}
      />
      <label for={id}>Central monitoring</label>
      <p class="hint" id={`${id}-hint`}>
        The platform's own products push their metrics of this contract{products && `: ${products}`}.
      </p>
    </div>
  );
}
