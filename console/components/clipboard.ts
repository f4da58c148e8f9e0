// Takes a text out of the page: into the clipboard, or as a file.

// The clipboard is for pages of HTTPS and of this machine; elsewhere the old way still works.
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

// Long texts in parts: a browser keeps them out of the page's memory.
export function downloadText(name: string, text: string | string[]): void {
  const anchor = document.createElement('a');
  anchor.href = URL.createObjectURL(new Blob(typeof text === 'string' ? [text] : text, { type: 'text/plain' }));
  anchor.download = name;
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 60_000); // when the browser surely has it
}
