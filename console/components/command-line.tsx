// A shell command with a Copy button.
import { useSignal } from '@preact/signals';
import { Button } from './button.tsx';
import { perform } from './toast.tsx';

export function CommandLine({ text }: { text: string }) {
  const label = useSignal('Copy');
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(text);
    label.value = 'Copied';
  };
  return (
    <p class="command-line">
      <code>{text}</code>
      {navigator.clipboard && (
        <Button text={label.value} look="plain" label={`${label.value} the command`} onPress={() => perform(copy)} />
      )}
    </p>
  );
}
