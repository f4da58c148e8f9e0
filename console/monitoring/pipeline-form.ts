// The dialogs that make, change and delete a pipeline.
import { confirmed } from '../parts/confirm.ts';
import { openDialog } from '../parts/dialog.ts';
import { type FormValues, form, type Schema } from '../parts/form.ts';
import { showKey } from './push-help.ts';
import { changePipeline, createPipeline, deletePipeline, type Pipeline } from './sources.ts';

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
  const dialog = openDialog();
  dialog.show(
    'New pipeline',
    form({
      schema: schemaOf('It can be changed later.'),
      submit: 'Make pipeline',
      cancel: () => dialog.close(),
      async send(values) {
        const { id, metadata, properties } = await createPipeline(region, propertiesOf(values));
        dialog.close();
        showKey(properties.name, metadata.key ?? '', metadata.httpEndpoint ?? '', () => onMade(id));
      },
    }),
  );
}

export function editPipeline(region: string, { id, properties }: Pipeline, onChanged: () => void): void {
  const dialog = openDialog();
  const { name, retentionInDays } = properties;
  dialog.show(
    `Change ${name}`,
    form({
      schema: schemaOf('Fewer than before: what is older is deleted within a day or two.'),
      values: { name, ...(retentionInDays !== undefined && { retentionInDays }) },
      submit: 'Change pipeline',
      cancel: () => dialog.close(),
      async send(values) {
        await changePipeline(region, id, propertiesOf(values));
        dialog.close();
        onChanged();
      },
    }),
  );
}

export function removePipeline(region: string, { id, properties }: Pipeline): Promise<boolean> {
  return confirmed({
    title: `Delete ${properties.name}?`,
    text: 'Its metrics are deleted with it, and nothing brings them back. What pushes to it is refused.',
    action: 'Delete',
    act: () => deletePipeline(region, id),
  });
}
