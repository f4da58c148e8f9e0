// The pipelines of the region, what can be done with them here, and the switch of central monitoring.
import { button, type Child, element, freshId } from '../dom.ts';
import { openDialog } from '../parts/dialog.ts';
import { form } from '../parts/form.ts';
import { empty } from '../parts/states.ts';
import { table } from '../parts/table.ts';
import { perform, toast } from '../parts/toast.ts';
import { timeElement } from '../times.ts';
import { keyButton, openPushHelp, showKey } from './push-help.ts';
import { createPipeline, type Pipeline, type Sources, switchCentral } from './sources.ts';

// `onChange`: there are other sources; with an id: look at that one.
export function pipelinesSection(sources: Sources, onChange: (pipeline?: string) => void): HTMLElement {
  const { region, pipelines } = sources;
  const id = freshId('pipelines');
  return element(
    'section',
    { class: 'part', 'aria-labelledby': id },
    element(
      'div',
      { class: 'head' },
      element('h2', { id }, 'Pipelines'),
      button('New pipeline', () => newPipeline(region, onChange)),
    ),
    pipelines.length === 0
      ? empty('There are no pipelines in this region yet.')
      : table({
          caption: 'Metric pipelines',
          rows: pipelines,
          columns: [
            { title: 'Name', cell: ({ properties }) => properties.name },
            { title: 'Status', cell: statusOf },
            { title: 'Endpoint', look: 'code', cell: ({ metadata }) => metadata.httpEndpoint ?? '' },
            { title: 'Created', cell: ({ metadata }) => metadata.createdDate && timeElement(metadata.createdDate) },
            { title: 'Actions', look: 'buttons', cell: (pipeline) => actionsOf(region, pipeline) },
          ],
        }),
    centralSwitch(sources, onChange),
  );
}

const statusOf = ({ metadata: { status, statusMessage } }: Pipeline): Child => [
  status,
  statusMessage !== undefined && element('small', {}, statusMessage),
];

const actionsOf = (region: string, pipeline: Pipeline): Child =>
  element(
    'span',
    { class: 'actions pair' },
    button('How to push', () => openPushHelp(region, pipeline), {
      look: 'plain',
      label: `How to push to ${pipeline.properties.name}`,
    }),
    keyButton(region, pipeline),
  );

export function newPipeline(region: string, onMade: (pipeline: string) => void): void {
  const dialog = openDialog();
  dialog.show(
    'New pipeline',
    form({
      schema: { properties: { name: { type: 'string', title: 'Name', maxLength: 200 } }, required: ['name'] },
      submit: 'Make pipeline',
      cancel: () => dialog.close(),
      async send({ name }) {
        const { id, metadata, properties } = await createPipeline(region, String(name));
        dialog.close();
        showKey(properties.name, metadata.key ?? '', metadata.httpEndpoint ?? '', () => onMade(id));
      },
    }),
  );
}

function centralSwitch({ region, central }: Sources, onChange: () => void): HTMLElement {
  const id = freshId('central');
  const change = async (): Promise<void> => {
    try {
      await switchCentral(region, central, control.checked);
      toast(control.checked ? 'Central monitoring is on.' : 'Central monitoring is off.');
      onChange();
    } catch (error) {
      control.checked = !control.checked;
      throw error;
    }
  };
  const control = element('input', {
    id,
    type: 'checkbox',
    role: 'switch',
    checked: central.properties.enabled,
    'aria-describedby': `${id}-hint`,
    change: () => perform(change),
  });
  const products = (central.metadata.products ?? []).join(', ');
  return element(
    'div',
    { class: 'field flag central' },
    control,
    element('label', { for: id }, 'Central monitoring'),
    element(
      'p',
      { class: 'hint', id: `${id}-hint` },
      `The platform's own products push their metrics of this contract${products && `: ${products}`}.`,
    ),
  );
}
