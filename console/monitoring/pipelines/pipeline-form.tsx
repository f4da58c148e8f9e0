// The dialogs that make, change and delete a pipeline.
import { confirm } from '../../components/confirm.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Form, type FormValues, type Schema } from '../../components/form.tsx';
import { changePipeline, createPipeline, deletePipeline, type Pipeline } from '../sources.ts';
import { showKey } from './push-help.tsx';

const schemaOf = (description: string): Schema => ({
  properties: {
    name: { type: 'string', title: 'Name', maxLength: 200 },
    retentionInDays: {
      type: 'integer',
      title: 'Days that metrics are kept',
      description,
      minimum: 1,
      maximum: 365,
      default: 30,
    },
  },
  required: ['name', 'retentionInDays'],
});

const propertiesOf = ({ name, retentionInDays }: FormValues): Pipeline['properties'] => ({
  name: String(name),
  retentionInDays: Number(retentionInDays),
});

export function newPipeline(region: string, onMade: (pipeline: string) => void): void {
  openDialog((close) => (
    <Dialog title="New pipeline" close={close}>
      <Form
        schema={schemaOf('It can be changed later.')}
        submit="Make pipeline"
        cancel={close}
        send={async (values) => {
          const { id, metadata, properties } = await createPipeline(region, propertiesOf(values));
          close();
          showKey(properties.name, metadata.key ?? '', metadata.httpEndpoint ?? '', () => onMade(id));
        }}
      />
    </Dialog>
  ));
}

export function editPipeline(region: string, { id, properties }: Pipeline, onChanged: () => void): void {
  const { name, retentionInDays } = properties;
  openDialog((close) => (
    <Dialog title={`Change ${name}`} close={close}>
      <Form
        schema={schemaOf('Fewer than before: older metrics are deleted within a day or two.')}
        values={{ name, ...(retentionInDays !== undefined && { retentionInDays }) }}
        submit="Change pipeline"
        cancel={close}
        send={async (values) => {
          await changePipeline(region, id, propertiesOf(values));
          close();
          onChanged();
        }}
      />
    </Dialog>
  ));
}

export const removePipeline = (region: string, { id, properties }: Pipeline, onDone: () => void): void =>
  confirm({
    title: `Delete ${properties.name}?`,
    text: 'Its metrics are deleted with it, and nothing brings them back. What pushes to it is refused.',
    action: 'Delete',
    act: () => deletePipeline(region, id),
    onDone,
  });
