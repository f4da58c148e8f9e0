// The dialog that saves the lines of the search as a file.
import { useSignal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import { Actions, Button } from '../../components/button.tsx';
import { downloadText } from '../../components/clipboard.ts';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { Select } from '../../components/field.tsx';
import { useAbortSignal } from '../../components/resource.ts';
import { Failure } from '../../components/states.tsx';
import { toast } from '../../components/toast.tsx';
import type { SubmittedSearch } from '../submitted-search.ts';
import { type FileForm, mostSaved, savedLines } from './save.ts';

const forms: readonly [FileForm, string][] = [
  ['ndjson', 'JSON, one object per line'],
  ['text', 'Text, with the time first'],
];

export function openSave(submitted: SubmittedSearch, count: number | undefined): void {
  openDialog((close) => (
    <Dialog title="Save lines" close={close}>
      <Save submitted={submitted} count={count} close={close} />
    </Dialog>
  ));
}

function Save({ submitted, count, close }: { submitted: SubmittedSearch; count: number | undefined; close(): void }) {
  const gone = useAbortSignal();
  const form = useSignal<FileForm>('ndjson');
  const progress = useSignal<number | undefined>(undefined);
  const failure = useSignal<unknown>(undefined);
  const total = useMemo(() => Math.min(mostSaved, count ?? mostSaved), []);
  const save = async (): Promise<void> => {
    progress.value = 0;
    failure.value = undefined;
    try {
      const { parts, ...saved } = await savedLines(submitted, form.value, gone, (done) => {
        progress.value = done;
      });
      downloadText(`${submitted.source.name}.${form.value === 'ndjson' ? 'ndjson' : 'log'}`, parts);
      toast(`${saved.count.toLocaleString()} lines saved${saved.isCut ? ', the newest ones' : ''}.`);
      close();
    } catch (error) {
      if (!gone.aborted) failure.value = error;
      progress.value = undefined;
    }
  };
  const isBusy = progress.value !== undefined;
  const limit = (count ?? 0) > mostSaved ? `, at most ${mostSaved.toLocaleString()}` : '';
  const about = `All lines of the search, newest first${limit}.`;
  return (
    <>
      <Select title="Format" value={form.value} options={forms} onChange={(one) => (form.value = one as FileForm)} />
      <p class="logs-note" role="status">
        {isBusy ? `${progress.value?.toLocaleString()} of ${total.toLocaleString()} lines` : about}
      </p>
      {failure.value !== undefined && <Failure error={failure.value} />}
      <Actions>
        <Button text="Save" disabled={isBusy} onPress={() => void save()} />
        <Button text="Cancel" look="plain" onPress={close} />
      </Actions>
    </>
  );
}
