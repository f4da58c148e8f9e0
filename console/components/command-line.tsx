// The same by the command line, beside what a page offers.
import { useSignal } from '@preact/signals';
import { Button } from './button.tsx';
import { perform } from './toast.tsx';

export function CommandLine({ text }: { text: string }) {
  const told = useSignal('Copy');
  const copy = async (): Promise<void> => {
    await navigator.clipboard?.writeText(text);
    told.value = 'Copied';
  };
  return (
    <p class="command-line">
      <code>{text}</code>
      {navigator.clipboard && (
        <Button text={told.value} look="plain" label={`${told.value} the command`} onPress={() => perform(copy)} />
      )}
    </p>
  );
}
