// Asks before something is done that can't be undone. The focus is on the way out.
import { button, element, fill } from '../dom.ts';
import { openDialog } from './dialog.ts';
import { failure } from './states.ts';

export interface Question {
  title: string;
  text: string;
  action: string; // what the button says: `Delete`
  act(): Promise<void>;
}

// Resolves when the dialog is closed: true where it was done.
export function confirmed({ title, text, action, act }: Question): Promise<boolean> {
  return new Promise((resolve) => {
    let isDone = false;
    const dialog = openDialog(() => resolve(isDone));
    const failed = element('div', { class: 'problems' });
    const no = button('Cancel', () => dialog.close(), { look: 'plain' });
    no.setAttribute('autofocus', '');
    const yes = button(action, () => void perform(), { look: 'danger' });
    const perform = async (): Promise<void> => {
      yes.disabled = true;
      try {
        await act();
        isDone = true;
        dialog.close();
      } catch (error) {
        yes.disabled = false;
        fill(failed, failure('', error));
      }
    };
    dialog.show(title, element('p', {}, text), element('div', { class: 'actions' }, yes, no), failed);
  });
}
