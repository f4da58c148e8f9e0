// A dialog with the response of a read-only operation.
import { useSignal } from '@preact/signals';
import { useLayoutEffect } from 'preact/hooks';
import { failureOf, jsonOf, send } from '../../api.ts';
import { Actions, Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Failure } from '../../components/states.tsx';
import { perform as performing } from '../../components/toast.tsx';
import type { OperationModel, ResourceModel } from '../model.ts';
import { addressOf } from '../operations.ts';
import { missingParams } from '../place.ts';

type Params = Readonly<Record<string, string>>;

export function openAnswer(model: ResourceModel, operation: OperationModel, params: Params): void {
  openDialog((close) => <AnswerDialog model={model} operation={operation} params={params} close={close} />);
}

interface AnswerDialogProps {
  model: ResourceModel;
  operation: OperationModel;
  params: Params;
  close(): void;
}

function AnswerDialog({ model, operation, params, close }: AnswerDialogProps) {
  const text = useSignal<string | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  useLayoutEffect(() => {
    if (missingParams(operation.path, params).length > 0) return;
    answerText(addressOf(model, operation, { params })).then(
      (answer) => {
        text.value = answer;
      },
      (error: unknown) => {
        failure.value = error;
      },
    );
  }, []);
  return (
    <Dialog title={operation.title} close={close}>
      <p>{operation.summary}.</p>
      {failure.value !== undefined && <Failure error={failure.value} />}
      {text.value !== undefined && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        <pre class="long-text" tabIndex={0}>
          {text.value}
        </pre>
      )}
      <Actions>
        {text.value !== undefined && navigator.clipboard && (
          <Button text="Copy" onPress={() => performing(() => navigator.clipboard.writeText(text.value ?? ''))} />
        )}
        <Button text="Close" look="plain" onPress={close} />
      </Actions>
    </Dialog>
  );
}

// Zone files and metrics are not JSON.
async function answerText(path: string): Promise<string> {
  const response = await send(path, { headers: { Accept: '*/*' } });
  if (!response.ok) throw failureOf(response, await jsonOf(response));
  const text = await response.text();
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
