// The pipelines of the region with their actions, and the switch of central monitoring.
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { type Action, Button, RowActions } from '../../components/button.tsx';
import { Empty } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Noted, Section, Time } from '../../components/text.tsx';
import { perform, toast } from '../../components/toast.tsx';
import { refusalIn } from '../refusal.ts';
import { type Pipeline, type Sources, switchCentral } from '../sources.ts';
import { editPipeline, newPipeline, removePipeline } from './pipeline-form.tsx';
import { openPushHelp, replaceKey } from './push-help.tsx';

export interface PipelinesProps {
  sources: Sources;
  onChange(pipeline?: string): void; // the sources changed; with an id: open this one
}

export function PipelinesSection({ sources, onChange }: PipelinesProps) {
  const { region, pipelines } = sources;
  return (
    <Section title="Pipelines" actions={<CreatePipeline region={region} onChange={onChange} />}>
      {pipelines.length === 0 ? (
        <Empty text="There are no pipelines in this region yet." />
      ) : (
        <Table
          caption="Metric pipelines"
          rows={pipelines}
          keyOf={({ id }) => id}
          columns={[
            {
              title: 'Name',
              cell: (one) => <Noted note={isAmbiguous(one, pipelines) && one.id}>{one.properties.name}</Noted>,
            },
            { title: 'Status', cell: ({ metadata }) => <Noted note={metadata.statusMessage}>{metadata.status}</Noted> },
            { title: 'Retention', cell: ({ properties }) => retentionText(properties.retentionInDays) },
            { title: 'Endpoint', look: 'code', cell: ({ metadata }) => metadata.httpEndpoint },
            { title: 'Created', cell: ({ metadata: { createdDate: iso } }) => iso && <Time iso={iso} /> },
            {
              title: 'Actions',
              look: 'buttons',
              cell: (one) => <RowActions of={one.properties.name} actions={actionsOf(region, one, onChange)} />,
            },
          ]}
        />
      )}
      <CentralSwitch sources={sources} onChange={onChange} />
    </Section>
  );
}

export const CreatePipeline = ({ region, onChange }: { region: string; onChange: PipelinesProps['onChange'] }) => (
  <Button
    text="Create pipeline"
    look="plain"
    obstacle={refusalIn(region, 'POST', '/pipelines')}
    onPress={() => newPipeline(region, onChange)}
  />
);

// Pipelines with the same name are distinguished by id.
const isAmbiguous = ({ id, properties: { name } }: Pipeline, all: readonly Pipeline[]): boolean =>
  all.some((other) => other.id !== id && other.properties.name === name);

const retentionText = (days: number | undefined): string =>
  days === 1 ? '1 day' : days === undefined ? '' : `${days} days`;

function actionsOf(region: string, pipeline: Pipeline, onChange: PipelinesProps['onChange']): readonly Action[] {
  const changed = (text: string, id?: string) => (): void => {
    toast(text);
    onChange(id);
  };
  const path = `/pipelines/${pipeline.id}`;
  const edit = (): void => editPipeline(region, pipeline, changed('Pipeline changed.', pipeline.id));
  const remove = (): void => removePipeline(region, pipeline, changed('Pipeline deleted.'));
  return [
    ['How to push', () => openPushHelp(region, pipeline), 'How to push to'],
    ['New key', () => replaceKey(region, pipeline), 'New key for', refusalIn(region, 'POST', `${path}/key`)],
    ['Edit', edit, 'Edit', refusalIn(region, 'PUT', path)],
    ['Delete', remove, 'Delete', refusalIn(region, 'DELETE', path)],
  ];
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
  const refusal = refusalIn(region, 'PUT', `/central/${central.id}`);
  return (
    <div class="field flag central">
      <input
        id={id}
        type="checkbox"
        // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox already has its state
        role="switch"
        checked={isOn.value}
        disabled={refusal !== undefined}
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => perform(() => change(currentTarget.checked))}
      />
      <label for={id}>Central monitoring</label>
      <p class="hint" id={`${id}-hint`}>
        Collects metrics of the platform’s products for this contract{products && `: ${products}`}. {refusal}
      </p>
    </div>
  );
}
