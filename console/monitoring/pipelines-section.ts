// The pipelines of the region, what can be done with them here, and the switch of central monitoring.
import { button, type Child, element, freshId } from '../dom.ts';
import { empty } from '../parts/states.ts';
import { table } from '../parts/table.ts';
import { perform, toast } from '../parts/toast.ts';
import { timeElement } from '../times.ts';
import { editPipeline, newPipeline, removePipeline } from './pipeline-form.ts';
import { keyButton, openPushHelp } from './push-help.ts';
import { type Pipeline, type Sources, switchCentral } from './sources.ts';

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
            { title: 'Name', cell: (pipeline) => nameOf(pipeline, pipelines) },
            { title: 'Status', cell: statusOf },
            { title: 'Kept', cell: ({ properties }) => keptOf(properties.retentionInDays) },
            { title: 'Endpoint', look: 'code', cell: ({ metadata }) => metadata.httpEndpoint ?? '' },
            { title: 'Created', cell: ({ metadata }) => metadata.createdDate && timeElement(metadata.createdDate) },
            { title: 'Actions', look: 'buttons', cell: (pipeline) => actionsOf(region, pipeline, onChange) },
          ],
        }),
    centralSwitch(sources, onChange),
  );
}

const statusOf = ({ metadata: { status, statusMessage } }: Pipeline): Child => [
  status,
  statusMessage !== undefined && element('small', {}, statusMessage),
];

// Names need not differ; then the id tells which is which.
const nameOf = ({ id, properties: { name } }: Pipeline, all: readonly Pipeline[]): Child => [
  name,
  all.some((other) => other.id !== id && other.properties.name === name) && element('small', {}, id),
];

const keptOf = (days: number | undefined): string => (days === 1 ? 'a day' : days === undefined ? '' : `${days} days`);

function actionsOf(region: string, pipeline: Pipeline, onChange: (pipeline?: string) => void): Child {
  const { id, properties } = pipeline;
  const change = (): void =>
    editPipeline(region, pipeline, () => {
      toast('The pipeline was changed.');
      onChange(id);
    });
  const remove = async (): Promise<void> => {
    if (!(await removePipeline(region, pipeline))) return;
    toast('The pipeline was deleted.');
    onChange();
  };
  const named = (text: string, label: string, press: () => void): HTMLElement =>
    button(text, press, { look: 'plain', label: `${label} ${properties.name}` });
  return element(
    'span',
    { class: 'actions' },
    named('How to push', 'How to push to', () => openPushHelp(region, pipeline)),
    keyButton(region, pipeline),
    named('Edit', 'Edit', change),
    named('Delete', 'Delete', () => perform(remove)),
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
