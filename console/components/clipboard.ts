// Copies text to the clipboard or downloads it as a file.

// The clipboard API needs HTTPS or localhost. On other pages `execCommand` still works.
export async function copyText(field: HTMLTextAreaElement): Promise<boolean> {
  if (navigator.clipboard) {
    const isDone = await navigator.clipboard.writeText(field.value).then(
      () => true,
      () => false,
    );
    if (isDone) return true;
  }
  field.focus();
  field.select();
  return document.execCommand('copy');
}

// Copies a text that is not in a field of the page.
export async function copyPlain(text: string): Promise<void> {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'unseen';
  const { activeElement } = document;
  (document.querySelector('dialog[open]') ?? document.body).append(field);
  const isDone = await copyText(field);
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus();
  if (!isDone) throw new Error('The browser did not allow copying.');
}

// Long texts come in parts, which the browser keeps outside of the page's memory.
export function downloadText(name: string, text: string | string[]): void {
  downloadBlob(name, new Blob(typeof text === 'string' ? [text] : text, { type: 'text/plain' }));
}

export function downloadBlob(name: string, blob: Blob): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(blob);
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000); // the download has started by then
}
