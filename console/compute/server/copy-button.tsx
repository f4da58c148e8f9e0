// A small button that copies a short text, such as an address.
import { useSignal } from '@preact/signals';
import { copyPlain } from '../../components/clipboard.ts';
import { Icon } from '../../components/icon.tsx';
import { perform } from '../../components/toast.tsx';

const shownMs = 2000;

export function CopyButton({ text }: { text: string }) {
  const isCopied = useSignal(false);
  const copy = async (): Promise<void> => {
    await copyPlain(text);
    isCopied.value = true;
    setTimeout(() => {
      isCopied.value = false;
    }, shownMs);
  };
  return (
    <button type="button" class="copy-button" title={isCopied.value ? 'Copied' : 'Copy'} onClick={() => perform(copy)}>
      <Icon name={isCopied.value ? 'check' : 'copy'} />
      <span class="unseen" aria-live="polite">
        {isCopied.value ? 'Copied' : `Copy ${text}`}
      </span>
    </button>
  );
}
