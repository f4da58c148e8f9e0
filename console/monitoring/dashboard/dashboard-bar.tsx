// The bar of the dashboard: choose, create, rename, delete, export and import.
import { useId, useRef } from 'preact/hooks';
import { Actions } from '../../components/button.tsx';
import { downloadText } from '../../components/clipboard.ts';
import { confirm } from '../../components/confirm.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Choice } from '../../components/field.tsx';
import { Form, type Schema } from '../../components/form.tsx';
import { Menu, type MenuEntry } from '../../components/menu.tsx';
import { perform, toast } from '../../components/toast.tsx';
import { dashboardRefusal, refusalIn } from '../refusal.ts';
import type { Sources } from '../sources.ts';
import { openVariables } from '../variables/variables-dialog.tsx';
import type { DashboardModel } from './dashboard-model.ts';
import { contentOf, type Template } from './templates/template.ts';
import { templates } from './templates/templates.ts';

export interface DashboardBarProps {
  model: DashboardModel;
  sources: Sources;
  chosen: string; // the source for imported panels whose own source is missing
}

export function DashboardBar(props: DashboardBarProps) {
  const { model } = props;
  const shown = model.shown.value;
  const file = useRef<HTMLInputElement>(null);
  return (
    <Actions>
      {model.all.value.length > 1 && (
        <Choice
          label="Dashboard"
          value={shown?.id ?? ''}
          options={model.all.value.map(({ id, properties }) => [id, properties.name] as const)}
          onChange={(id) => model.show(id)}
        />
      )}
      <Menu title="New dashboard" entries={newEntries(props)} />
      <Menu title="Dashboard" entries={ownEntries(props, () => file.current?.click())} />
      <FileInput {...props} inputRef={file} />
    </Actions>
  );
}

// An empty dashboard shows the templates without a menu.
export const TemplateChoice = (props: DashboardBarProps) => (
  <ul class="template-choice" aria-label="Templates">
    {templateEntries(props).map(({ key, title, note, obstacle, act }) => (
      <li key={key}>
        <button
          type="button"
          class="plain"
          aria-disabled={obstacle !== undefined || undefined}
          onClick={obstacle === undefined ? act : undefined}
        >
          {title}
          <small>{obstacle ?? note}</small>
        </button>
      </li>
    ))}
  </ul>
);

const newEntries = (props: DashboardBarProps): MenuEntry[] => [
  {
    key: 'empty',
    title: 'Empty',
    obstacle: refusalIn(props.sources.region, 'POST', '/dashboards'),
    act: () => askName('New dashboard', '', 'Create', (text) => props.model.create(text)),
  },
  ...templateEntries(props),
];

function templateEntries({ model, sources, chosen }: DashboardBarProps) {
  const create = async (template: Template): Promise<void> => {
    const source = template.isCentral ? sources.central.id : chosen;
    await model.create(template.name, contentOf(template, source));
    toast(`${template.name} created.`);
  };
  const isOff = !sources.central.properties.enabled;
  const refusal = refusalIn(sources.region, 'POST', '/dashboards');
  return templates.map((template) => {
    const { key, name, note, isCentral } = template;
    const obstacle = refusal ?? (isCentral && isOff ? 'Switch on central monitoring first' : undefined);
    return { key, title: name, note, obstacle, act: () => perform(() => create(template)) };
  });
}

function ownEntries({ model, sources }: DashboardBarProps, openFile: () => void): MenuEntry[] {
  const name = model.shown.value?.properties.name;
  const changing = dashboardRefusal(sources, model);
  const entry = (key: string, title: string, act: () => void, obstacle?: string): MenuEntry => ({
    key,
    title,
    act,
    obstacle,
  });
  const save = (): void => downloadText(`cumulet-dashboard-${sources.region}.json`, model.text);
  const load = {
    key: 'import',
    title: 'Import',
    note: 'A file of this console or of Grafana',
    obstacle: changing,
    act: openFile,
  };
  if (name === undefined) return [load];
  return [
    entry(
      'variables',
      'Variables',
      () => openVariables({ variables: model.listedVariables, save: (variables) => model.replaceVariables(variables) }),
      changing,
    ),
    entry('rename', 'Rename', () => askName(`Rename ${name}`, name, 'Rename', (text) => model.rename(text)), changing),
    load,
    ...(model.panels.value.length > 0 ? [entry('export', 'Export', save)] : []),
    entry('delete', 'Delete', () => remove(model, name), dashboardRefusal(sources, model, 'DELETE')),
  ];
}

const schema: Schema = { properties: { name: { type: 'string', title: 'Name', maxLength: 200 } }, required: ['name'] };

function askName(title: string, name: string, submit: string, act: (name: string) => Promise<void>): void {
  openDialog((close) => (
    <Dialog title={title} close={close}>
      <Form
        schema={schema}
        values={{ name }}
        submit={submit}
        cancel={close}
        send={async (values) => {
          await act(String(values.name));
          close();
        }}
      />
    </Dialog>
  ));
}

const remove = (model: DashboardModel, name: string): void =>
  confirm({
    title: `Delete ${name}?`,
    text: 'Its panels are deleted. Their metrics stay.',
    action: 'Delete',
    act: () => model.delete(),
    onDone: () => toast(`${name} deleted.`),
  });

interface FileInputProps extends DashboardBarProps {
  inputRef: preact.RefObject<HTMLInputElement | null>;
}

function FileInput({ model, sources, chosen, inputRef }: FileInputProps) {
  const id = useId();
  const load = async (from: File | undefined): Promise<void> => {
    const isKnown = (source: string): boolean => sources.all.some((one) => one.id === source);
    if (from) toast(await model.importText(await from.text(), isKnown, chosen));
  };
  return (
    <>
      <label class="unseen" for={id}>
        Dashboard file
      </label>
      <input
        id={id}
        ref={inputRef}
        class="unseen"
        type="file"
        accept=".json,application/json"
        tabIndex={-1}
        onChange={({ currentTarget }) => {
          const [chosenFile] = currentTarget.files ?? [];
          perform(() => load(chosenFile));
          currentTarget.value = '';
        }}
      />
    </>
  );
}
