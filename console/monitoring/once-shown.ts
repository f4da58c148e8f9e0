// A secret that is shown this once, in a dialog that nothing else keeps; and texts to copy.
import { button, type Child, element, freshId } from '../dom.ts';
import { copyText } from '../parts/copy.ts';
import { type Dialog, openDialog } from '../parts/dialog.ts';
import { perform } from '../parts/toast.ts';

export interface Secret {
  title: string; // of the dialog
  name: string; // of the secret
  value: string;
  about: string;
}

export function showOnce(secret: Secret, onClose: () => void = () => undefined, ...more: Child[]): void {
  showSecret(openDialog(onClose), secret, ...more);
}

// In a dialog that is open already.
export function showSecret(dialog: Dialog, { title, name, value, about }: Secret, ...more: Child[]): void {
  dialog.show(
    title,
    element('p', {}, `This is the only time that it is shown. ${about}`),
    copyable(name, value, true),
    more,
    element(
      'div',
      { class: 'actions' },
      button('Done', () => dialog.close(), { look: 'plain' }),
    ),
  );
}

export function copyable(title: string, text: string, isFirst = false): HTMLElement {
  const id = freshId('text');
  const rows = text.split('\n').length + 1; // and the bar for lines that are longer
  const field = element('textarea', { id, class: 'code', readonly: true, rows, spellcheck: 'false' }, text);
  const told = element('span', { class: 'told', role: 'status' });
  const copy = async (): Promise<void> => {
    told.textContent = (await copyText(field)) ? 'Copied.' : 'The browser did not allow it: copy the selected text.';
  };
  const press = button('Copy', () => perform(copy), { look: 'plain', label: `Copy: ${title}` });
  if (isFirst) press.setAttribute('autofocus', '');
  return element(
    'div',
    { class: 'copyable' },
    element('label', { for: id }, title),
    field,
    element('div', { class: 'actions' }, press, told),
  );
}
