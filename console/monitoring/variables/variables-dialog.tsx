// The dialog that adds, changes and removes the variables of a dashboard.
import type { ReadonlySignal } from '@preact/signals';
import { Actions, Button, RowActions } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Form, type Schema } from '../../components/form.tsx';
import { perform } from '../../components/toast.tsx';
import { type Variable, valuesOf, variableOf } from './variable.ts';

export interface VariablesDialogProps {
  variables: ReadonlySignal<readonly Variable[]>;
  save(variables: readonly Variable[]): Promise<void>;
}

export const openVariables = (props: VariablesDialogProps): void =>
  openDialog((close) => (
    <Dialog title="Variables" close={close}>
      <Variables {...props} />
      <Actions>
        <Button text="Add variable" onPress={() => openVariable(props)} />
        <Button text="Close" look="plain" onPress={close} />
      </Actions>
    </Dialog>
  ));

function Variables(props: VariablesDialogProps) {
  const { variables, save } = props;
  if (variables.value.length === 0)
    return <p>A variable is a select above the panels. Queries, legends and titles use its value as $name.</p>;
  return (
    <ul class="variable-list">
      {variables.value.map((one) => (
        <li key={one.name}>
          <span>
            <strong>${one.name}</strong> <code>{one.query}</code>
          </span>
          <RowActions
            of={one.name}
            actions={[
              ['Edit', () => openVariable(props, one)],
              ['Remove', () => perform(() => save(variables.value.filter(({ name }) => name !== one.name)))],
            ]}
          />
        </li>
      ))}
    </ul>
  );
}

const schema: Schema = {
  properties: {
    name: { type: 'string', title: 'Name', maxLength: 100, pattern: '[A-Za-z_]\\w*' },
    label: { type: 'string', title: 'Label', maxLength: 200 },
    kind: {
      type: 'string',
      title: 'Kind',
      oneOf: [
        { const: 'query', title: 'Query' },
        { const: 'custom', title: 'Custom values' },
        { const: 'constant', title: 'Constant' },
        { const: 'interval', title: 'Interval' },
        { const: 'text', title: 'Text' },
      ],
    },
    query: {
      type: 'string',
      title: 'Query or values',
      maxLength: 8192,
      description: 'For example label_values(up, job), or values with commas: 1m, 5m, 1h',
    },
    pattern: { type: 'string', title: 'Pattern', maxLength: 8192, description: 'Selects values: /host="([^"]*)/' },
    isMulti: { type: 'boolean', title: 'Several values' },
    hasAll: { type: 'boolean', title: 'All' },
  },
  required: ['name', 'kind', 'query'],
};

const openVariable = ({ variables, save }: VariablesDialogProps, edited?: Variable): void =>
  openDialog((close) => (
    <Dialog title={edited ? `Edit ${edited.name}` : 'Add variable'} close={close}>
      <Form
        schema={schema}
        values={edited ? { pattern: '', label: '', ...valuesOf(edited) } : { kind: 'query' }}
        submit={edited ? 'Save' : 'Add'}
        cancel={close}
        send={async (values) => {
          const variable = variableOf(values, edited);
          const others = variables.value.filter(({ name }) => name !== edited?.name);
          if (others.some(({ name }) => name === variable.name))
            throw new Error(`A variable named ${variable.name} exists already.`);
          await save(edited ? variables.value.map((one) => (one === edited ? variable : one)) : [...others, variable]);
          close();
        }}
      />
    </Dialog>
  ));
