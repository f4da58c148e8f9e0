// The progress of a deletion, its failures, and the button to stop it.
import { Actions, Button } from '../../components/button.tsx';
import { Failure } from '../../components/states.tsx';
import { countText, visible } from '../keys.ts';
import type { Deletion } from './deletion.ts';

export interface DeletionProgressProps {
  deletion: Deletion;
  total: number; // 0: unknown
  of: string;
  close(): void;
}

export function DeletionProgress({ deletion, total, of, close }: DeletionProgressProps) {
  const { state, removed, aborted, failed, failures, error } = deletion;
  const isRunning = state.value === 'runs';
  return (
    <>
      <progress
        class="ob-progress"
        aria-label={`Deletion of ${of}`}
        {...(total > 0 ? { max: total, value: Math.min(removed.value + failures.value, total) } : {})}
        {...(!isRunning && total === 0 && { max: 1, value: 1 })}
      />
      <p role="status">
        {endings[state.value]} {countText(removed.value, 'version')} deleted
        {aborted.value > 0 && `, ${countText(aborted.value, 'upload')} aborted`}
        {failures.value > 0 && `, ${countText(failures.value, 'version')} could not be deleted`}.
      </p>
      {error.value !== undefined && <Failure error={error.value} />}
      {failed.value.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys must reach a box that scrolls
        <ul class="ob-failures" tabIndex={0} aria-label="Failures">
          {failed.value.map(({ key, versionId, message }) => (
            <li key={`${versionId} ${key}`}>
              <span class="ob-key">{visible(key)}</span> <small>{message}</small>
            </li>
          ))}
        </ul>
      )}
      <Actions>
        {isRunning ? (
          <Button text="Stop" look="plain" takesFocus onPress={() => deletion.cancel()} />
        ) : (
          <Button text="Close" look="plain" takesFocus onPress={close} />
        )}
      </Actions>
    </>
  );
}

const endings: Readonly<Record<Deletion['state']['value'], string>> = {
  asks: '',
  runs: 'Working:',
  done: 'Done:',
  cancelled: 'Stopped:',
  failed: 'Incomplete:',
};
