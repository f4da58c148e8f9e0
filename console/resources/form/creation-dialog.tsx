// A dialog that creates a resource for a form which needs it, such as the LAN of a NIC. It stays open until the
// resource exists, because the form selects it next.
import { useSignal } from '@preact/signals';
import { useMemo, useRef } from 'preact/hooks';
import { Actions, Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Draft } from '../../components/drafts.ts';
import { Failure } from '../../components/states.tsx';
import { perform as performing } from '../../components/toast.tsx';
import { showAnswerSecret } from '../answer-secret.ts';
import type { OperationModel } from '../model.ts';
import { perform, untilDone } from '../operations.ts';
import type { CreatedKind } from '../schema-form/choice-source.ts';
import { CreationOpener, type OpenCreation } from '../schema-form/creation-opener.ts';
import { FormValue, withValue } from '../schema-form/form-value.ts';
import { choicesFor } from '../schema-form/sources.ts';
import { bodyOf, firstValue, schemaFor } from './body.ts';
import { CostLine } from './cost-line.tsx';
import { FormFields } from './fields.tsx';
import { startOf } from './nested-resources.tsx';
import { showProblems } from './shown-problems.ts';
import { useSuggestions } from './suggestions.ts';

interface CreationProps extends CreatedKind {
  title: string;
  onCreated(): Promise<void>;
}

export const openCreation: OpenCreation = ({ title, of }, onCreated) => {
  if (of === 'bucket') openBucket(onCreated);
  else {
    const { create } = of.model;
    if (create)
      openDialog((close) => <Creation {...of} title={title} onCreated={onCreated} operation={create} close={close} />);
  }
};

// Loaded on demand, because the code of the object storage is large.
const openBucket = (onCreated: () => Promise<void>): void =>
  performing(async () => {
    const { openNewBucket } = await import('../../objects/buckets/new-bucket.tsx');
    openNewBucket(() => performing(onCreated));
  });

type DialogProps = CreationProps & { operation: OperationModel; close(): void };

function Creation({ models, model, title, params, onCreated, operation, close }: DialogProps) {
  const schema = useMemo(() => schemaFor(operation), []);
  const form = useMemo(() => {
    const empty = firstValue(schema, undefined);
    const start = startOf(model);
    return new FormValue(start ? (withValue(empty, ['properties'], start.properties) ?? empty) : empty);
  }, []);
  const choices = useMemo(() => choicesFor(models, model, params, (at) => form.at(at)), []);
  const isBusy = useSignal(false);
  const isSaved = useRef(false);
  const box = useRef<HTMLFormElement>(null);
  useSuggestions(form, model, params, true);
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    const body = bodyOf(operation, form.value.value, undefined);
    if (isBusy.value) return;
    if (!form.isReady(schema, body)) return showProblems(box.current, form);
    isBusy.value = true;
    try {
      const changed = await perform(model, operation, { params, body });
      await untilDone(changed);
      isSaved.current = true;
      showAnswerSecret(operation.title, changed.value);
      await onCreated();
      close();
    } catch (error) {
      form.take(error, schema);
      showProblems(box.current, form);
    }
    isBusy.value = false;
  };
  return (
    <Dialog title={title} close={close}>
      <form ref={box} class="form" noValidate onSubmit={(event) => void send(event)}>
        <Draft isUnsaved={() => !isSaved.current && form.isChanged} />
        <CreationOpener.Provider value={openCreation}>
          <FormFields
            form={form}
            schema={schema}
            usual={model.columns}
            subject={model.title}
            item={undefined}
            locked={[]}
            choices={choices}
          />
        </CreationOpener.Provider>
        <CostLine model={model} form={form} />
        <Actions>
          <button type="submit" aria-disabled={isBusy.value || undefined}>
            {isBusy.value ? 'Creating …' : 'Create'}
          </button>
          <Button text="Cancel" look="plain" onPress={close} />
        </Actions>
        <div class="problems">{form.others.value !== undefined && <Failure error={form.others.value} />}</div>
      </form>
    </Dialog>
  );
}
