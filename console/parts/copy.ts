// Takes a text out of the page: into the clipboard, or as a file.
import { element } from '../dom.ts';

// The clipboard is for pages of HTTPS and of this machine; elsewhere the old way still works.
export async function copyText(field: HTMLTextAreaElement): Promise<boolean> {
  if (navigator.clipboard) {
    const done = await navigator.clipboard.writeText(field.value).then(
      () => true,
      () => false,
    );
    if (done) return true;
  }
  field.focus();
  field.select();
  return document.execCommand('copy');
}

export function downloadText(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const anchor = element('a', { href: address, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // when the browser surely has it
}
