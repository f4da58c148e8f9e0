// The dialog that confirms the deletion of objects, versions or folders, and shows its progress.
import { useSignal } from '@preact/signals';
import { Actions, Button } from '../../components/button.tsx';
import { Dialog, openDialog } from '../../components/dialog.tsx';
import { toast } from '../../components/toast.tsx';
import { countText, visible } from '../keys.ts';
import type { Deletion } from './deletion.ts';
import { DeletionProgress } from './deletion-progress.tsx';

const mostNamed = 5;

export function openDeletion(deletion: Deletion, onChanged: () => void): void {
  openDialog((close) => (
    <Dialog
      title="Delete?"
      close={close}
      onClosed={() => {
        deletion.cancel();
        if (deletion.state.value === 'asks') return;
        if (deletion.state.value === 'done') toast(`${countText(deletion.removed.value, 'object')} deleted.`);
        onChanged();
      }}
    >
      <Question deletion={deletion} close={close} />
    </Dialog>
  ));
}

function Question({ deletion, close }: { deletion: Deletion; close(): void }) {
  const { objects = [], folders = [], withVersions = false } = deletion.plan;
  const bypass = useSignal(false);
  if (deletion.state.value !== 'asks') {
    const total = folders.length > 0 ? 0 : objects.length;
    return <DeletionProgress deletion={deletion} total={total} close={close} of="the selection" />;
  }
  const names = [...folders, ...objects.map(({ key }) => key)];
  const isForGood = withVersions || objects.some(({ versionId }) => versionId !== undefined);
  const begin = (): void => void deletion.run(bypass.value).then(() => deletion.state.value === 'done' && close());
  return (
    <>
      <ul class="ob-named">
        {names.slice(0, mostNamed).map((name, at) => (
          <li key={`${at} ${name}`} class="ob-key">
            {visible(name)}
          </li>
        ))}
        {names.length > mostNamed && <li>{`and ${countText(names.length - mostNamed, 'more', 'more')}`}</li>}
      </ul>
      <p>
        {folders.length > 0 && 'Everything in the folders is deleted, too. '}
        {isForGood
          ? 'These versions are deleted permanently.'
          : 'If the bucket has versioning, older versions stay behind a delete marker. Otherwise, the deletion is permanent.'}
      </p>
      {isForGood && (
        <label class="ob-check">
          <input
            type="checkbox"
            checked={bypass.value}
            onChange={({ currentTarget }) => {
              bypass.value = currentTarget.checked;
            }}
          />
          Include versions under governance retention
        </label>
      )}
      <Actions>
        <Button text="Delete" look="danger" onPress={begin} />
        <Button text="Cancel" look="plain" takesFocus onPress={close} />
      </Actions>
    </>
  );
}
