// The bar of the dashboard: choose, create, rename, delete, export and import.
import { useId, useRef } from 'preact/hooks';
import { Actions, Button } from '../../components/button.tsx';
import { downloadText } from '../../components/clipboard.ts';
import { confirm } from '../../components/confirm.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Choice } from '../../components/field.tsx';
import { Form, type Schema } from '../../components/form.tsx';
import { perform, toast } from '../../components/toast.tsx';
import type { Sources } from '../sources.ts';
import type { DashboardModel } from './dashboard-model.ts';

export interface DashboardBarProps {
  model: DashboardModel;
  sources: Sources;
  chosen: string; // the source for imported panels whose own source is missing
}

export function DashboardBar({ model, sources, chosen }: DashboardBarProps) {
  const shown = model.shown.value;
  const name = shown?.properties.name ?? '';
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
      {shown && (
        <>
          <Button
            text="Create"
            look="plain"
            label="Create dashboard"
            onPress={() => askName('Create dashboard', '', 'Create', (text) => model.create(text))}
          />
          <Button
            text="Rename"
            look="plain"
            label={`Rename ${name}`}
            onPress={() => askName(`Rename ${name}`, name, 'Rename', (text) => model.rename(text))}
          />
          <Button text="Delete" look="plain" label={`Delete ${name}`} onPress={() => remove(model, name)} />
        </>
      )}
      <Files model={model} sources={sources} chosen={chosen} />
    </Actions>
  );
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

function Files({ model, sources, chosen }: DashboardBarProps) {
  const id = useId();
  const file = useRef<HTMLInputElement>(null);
  const save = (): void => downloadText(`cumulet-dashboard-${sources.region}.json`, model.text);
  const load = async (from: File | undefined): Promise<void> => {
    const isKnown = (source: string): boolean => sources.all.some((one) => one.id === source);
    if (from) toast(await model.importText(await from.text(), isKnown, chosen));
  };
  return (
    <>
      <Button
        text="Export"
        look="plain"
        label="Export dashboard to a file"
        disabled={model.panels.value.length === 0}
        onPress={save}
      />
      <Button text="Import" look="plain" label="Import panels from a file" onPress={() => file.current?.click()} />
      <label class="unseen" for={id}>
        Dashboard file
      </label>
      <input
        id={id}
        ref={file}
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
