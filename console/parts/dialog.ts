// A dialog above the page. The browser keeps the focus in it, closes it with Escape and gives the focus back.
import { type Child, element, fill, freshId } from '../dom.ts';

export interface Dialog {
  show(title: string, ...content: Child[]): void; // also in place of what it showed
  close(): void;
}

export function openDialog(onClose: () => void = () => undefined): Dialog {
  const id = freshId('dialog');
  const heading = element('h2', { id, tabindex: -1 });
  const content = element('div', { class: 'content' });
  const view = element('dialog', { 'aria-labelledby': id }, heading, content);
  const opener = document.activeElement;
  view.addEventListener('close', () => {
    view.remove();
    // The browser does it too, but not where the page was drawn anew meanwhile.
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
    onClose();
  });
  document.body.append(view);
  return {
    show(title, ...children) {
      heading.textContent = title;
      fill(content, ...children);
      if (!view.open) view.showModal();
      const wished = content.querySelector<HTMLElement>('[autofocus]');
      const first = content.querySelector<HTMLElement>('input, select, textarea');
      (wished ?? first ?? heading).focus();
    },
    close: () => view.close(),
  };
}
