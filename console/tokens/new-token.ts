// The dialog that makes a token. Its value is in this dialog and nowhere else: nothing keeps it once it is closed.
import { button, element, freshId } from '../dom.ts';
import { copyText, downloadText } from '../parts/copy.ts';
import { type Dialog, openDialog } from '../parts/dialog.ts';
import { form } from '../parts/form.ts';
import { perform } from '../parts/toast.ts';
import type { Facts } from '../session.ts';
import { generateToken } from './token-calls.ts';

const usualS = 30 * 86_400;

export function newToken(lifetimes: Facts['lifetimes'], onMade: () => void): void {
  let isMade = false;
  const dialog = openDialog(() => {
    if (isMade) onMade();
  });
  const choice = form({
    schema: {
      properties: {
        ttl: {
          type: 'integer',
          title: 'Lifetime',
          description: 'The token stops working when it is over, or when you delete it.',
          oneOf: lifetimes.map(({ name, seconds }) => ({ const: seconds, title: name })),
          default: usualS,
        },
      },
      required: ['ttl'],
    },
    submit: 'Make token',
    cancel: () => dialog.close(),
    async send({ ttl }) {
      const token = await generateToken(Number(ttl));
      isMade = true;
      showToken(dialog, token);
    },
  });
  dialog.show('New token', choice);
}

function showToken(dialog: Dialog, token: string): void {
  const id = freshId('token');
  const field = element('textarea', { id, class: 'code', readonly: true, rows: 7, spellcheck: 'false' }, token);
  const told = element('p', { class: 'told', role: 'status' });
  const copy = async (): Promise<void> => {
    told.textContent = (await copyText(field)) ? 'Copied.' : 'The browser did not allow it: copy the selected text.';
  };
  const save = (): void => {
    downloadText(`cumulet-token-${tokenId(token)}.txt`, `${token}\n`);
    told.textContent = 'Saved as a file.';
  };
  const copier = button('Copy', () => perform(copy));
  copier.setAttribute('autofocus', '');
  dialog.show(
    'Your new token',
    element('p', {}, 'This is the only time that its value is shown. Keep it like a password.'),
    element('div', { class: 'field' }, element('label', { for: id }, 'Token'), field),
    told,
    element(
      'div',
      { class: 'actions' },
      copier,
      button('Download', save, { look: 'plain' }),
      button('Done', () => dialog.close(), { look: 'plain' }),
    ),
  );
}

// The header of a token names it.
function tokenId(token: string): string {
  const header = token.split('.')[0] ?? '';
  const { kid } = JSON.parse(atob(header.replaceAll('-', '+').replaceAll('_', '/'))) as { kid: string };
  return kid;
}
