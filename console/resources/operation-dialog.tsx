// Starts an operation. A dialog asks for the body and the query parameters. Operations without input start at once.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Actions, Button } from '../components/button.tsx';
import { confirm } from '../components/confirm.tsx';
import { Dialog, openDialog } from '../components/dialog.tsx';
import { Draft } from '../components/drafts.ts';
import { Failure } from '../components/states.tsx';
import { perform as performing } from '../components/toast.tsx';
import { showAnswerSecret } from './answer-secret.ts';
import { openCreation } from './form/creation-dialog.tsx';
import { type FieldSchema, type OperationModel, type ResourceModel, resourceModels } from './model.ts';
import { follow, perform } from './operations.ts';
import { CreationOpener } from './schema-form/creation-opener.ts';
import { FormValue, type Json } from './schema-form/form-value.ts';
import { Fields } from './schema-form/schema-field.tsx';
import { choicesFor } from './schema-form/sources.ts';

export interface OperationProps {
  model: ResourceModel;
  operation: OperationModel;
  params: Readonly<Record<string, string>>;
  subject: string; // the name of the resource
  onDone(): void;
}

export function openOperation(props: OperationProps): void {
  const { operation, subject } = props;
  const asks = operation.body !== undefined || operation.query.length > 0 || operation.method === 'DELETE';
  if (asks)
    performing(async () => {
      const models = await resourceModels();
      openDialog((close) => <OperationDialog {...props} models={models} close={close} />);
    });
  else if (isDisruptive(operation))
    confirm({
      title: `${operation.title}: ${subject}?`,
      text: `${operation.summary}.`,
      action: operation.title,
      act: () => performAtOnce(props),
      onDone: () => undefined,
    });
  else performing(() => performAtOnce(props));
}

async function performAtOnce({ model, operation, params, subject, onDone }: OperationProps): Promise<void> {
  const changed = await perform(model, operation, { params });
  onDone();
  showAnswerSecret(`${operation.title}: ${subject}`, changed.value);
  performing(async () => {
    await follow(`${operation.title} ${subject}`, changed);
    onDone();
  });
}

// These operations stop or delete something, so they need a confirmation.
export const isDisruptive = ({ title }: OperationModel): boolean =>
  /^(?:Replace|Renew|Stop|Reboot|Suspend)\b/.test(title);

type OperationDialogProps = OperationProps & { models: readonly ResourceModel[]; close(): void };

function OperationDialog({ models, model, operation, params, subject, onDone, close }: OperationDialogProps) {
  const form = useMemo(() => new FormValue({}), []);
  const query = useMemo(() => new FormValue({}), []);
  const isBusy = useSignal(false);
  const choices = useMemo(() => choicesFor(models, model, params), []);
  const schema = operation.body ?? {};
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    if (isBusy.value || !form.isReady(schema)) return;
    isBusy.value = true;
    try {
      const body = operation.body === undefined ? {} : { body: form.value.value };
      const changed = await perform(model, operation, { params, query: textsOf(query.value.value), ...body });
      close();
      onDone();
      showAnswerSecret(`${operation.title}: ${subject}`, changed.value);
      performing(async () => {
        await follow(`${operation.title} ${subject}`, changed);
        onDone();
      });
    } catch (error) {
      form.take(error, schema);
    }
    isBusy.value = false;
  };
  return (
    <Dialog title={`${operation.title}: ${subject}`} close={close}>
      <p>{operation.summary}.</p>
      <form class="form" noValidate onSubmit={(event) => void send(event)}>
        <Draft isUnsaved={() => form.isChanged || query.isChanged} />
        <CreationOpener.Provider value={openCreation}>
          {operation.body && <Fields form={form} schema={schema} place={[]} locked={[]} choices={choices} />}
        </CreationOpener.Provider>
        {operation.query.length > 0 && (
          <Fields form={query} schema={querySchema(operation)} place={[]} locked={[]} choices={choices} />
        )}
        <Actions>
          <button
            type="submit"
            class={operation.method === 'DELETE' ? 'danger' : undefined}
            aria-disabled={isBusy.value}
          >
            {operation.title}
          </button>
          <Button text="Cancel" look="plain" onPress={close} />
        </Actions>
        <div class="problems">{form.others.value !== undefined && <Failure error={form.others.value} />}</div>
      </form>
    </Dialog>
  );
}

export const querySchema = ({ query }: OperationModel): FieldSchema => ({
  type: 'object',
  properties: Object.fromEntries(query.map(({ name, description, schema }) => [name, { ...schema, description }])),
});

export const textsOf = (value: Json): Record<string, string> =>
  Object.fromEntries(Object.entries(value as Record<string, Json>).map(([name, one]) => [name, String(one)]));
