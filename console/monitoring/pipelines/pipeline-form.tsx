// The dialogs that create, change and delete a pipeline.
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
      title: 'Retention in days',
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
    <Dialog title="Create pipeline" close={close}>
      <Form
        schema={schemaOf('You can change it later.')}
        submit="Create"
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
        schema={schemaOf('With a shorter retention, older metrics are deleted within two days.')}
        values={{ name, ...(retentionInDays !== undefined && { retentionInDays }) }}
        submit="Save"
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
    text: 'Its metrics are deleted permanently. Clients that push to it get an error.',
    action: 'Delete',
    act: () => deletePipeline(region, id),
    onDone,
  });
