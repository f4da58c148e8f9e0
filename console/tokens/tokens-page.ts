// The Token Manager: what tokens there are, how long each lives, and the ways to make and delete them.
import { button, type Child, element } from '../dom.ts';
import { confirmed } from '../parts/confirm.ts';
import { empty, loaded } from '../parts/states.ts';
import { table } from '../parts/table.ts';
import { perform, toast } from '../parts/toast.ts';
import type { Page, Visit } from '../router.ts';
import { currentSession } from '../session.ts';
import { distance, timeElement } from '../times.ts';
import { newToken } from './new-token.ts';
import { deleteToken, deleteTokens, listTokens, type Token } from './token-calls.ts';

export const tokensPage: Page = { path: '/tokens', title: 'Tokens', show: tokens };

function tokens(visit: Visit): Node {
  const { session, facts, signal } = visit;
  const isCurrent = ({ id }: Token): boolean => id === session.tokenId;

  // The lab can move the platform's clock at any time, so it is asked for with the tokens.
  const fetch = async (): Promise<[Token[], now: number]> => {
    const [all, current] = await Promise.all([listTokens(signal), currentSession()]);
    return [all, Date.parse((current ?? session).now)];
  };
  const list = loaded({ what: 'the tokens', signal, fetch, draw: ([all, now]) => draw(all, now) });
  const changed = (text: string): void => {
    toast(text);
    perform(list.reload);
  };

  const make = button('New token', () => newToken(facts.lifetimes, () => changed('The token was made.')));

  const removeOne = async (token: Token): Promise<void> => {
    const done = await confirmed({
      title: 'Delete this token?',
      text: `What uses ${token.id} stops working at once.${isCurrent(token) ? ' You signed in with it, so you are signed out.' : ''}`,
      action: 'Delete',
      act: () => deleteToken(token.id),
    });
    if (!done) return;
    changed('The token was deleted.');
    make.focus(); // the button that was pressed goes with its row
  };

  const removeMany = async (criteria: 'EXPIRED' | 'ALL', count: number): Promise<void> => {
    const all = criteria === 'ALL';
    const signedOut = session.tokenId === null ? '' : ' You signed in with one of them, so you are signed out.';
    const done = await confirmed({
      title: all ? `Delete all ${counted(count)}?` : `Delete ${counted(count)} that expired?`,
      text: all ? `What uses any of them stops working at once.${signedOut}` : 'They do not work any more.',
      action: all ? 'Delete all' : 'Delete expired',
      act: () => deleteTokens(criteria),
    });
    if (!done) return;
    changed(all ? 'All tokens were deleted.' : 'The expired tokens were deleted.');
    make.focus();
  };

  function draw(all: readonly Token[], now: number): Child {
    if (all.length === 0) return empty('There are no tokens yet.');
    const isExpired = ({ expirationDate }: Token): boolean => Date.parse(expirationDate) <= now;
    const expired = all.filter(isExpired).length;
    return [
      element(
        'div',
        { class: 'bar' },
        element(
          'p',
          {},
          `${all.length - expired} of ${facts.mostTokens} in use${expired ? `, ${expired} expired` : ''}`,
        ),
        button('Delete expired', () => perform(() => removeMany('EXPIRED', expired)), {
          look: 'plain',
          disabled: expired === 0,
        }),
        button('Delete all', () => perform(() => removeMany('ALL', all.length)), { look: 'plain' }),
      ),
      table({
        caption: 'Your tokens',
        rows: all,
        columns: [
          { title: 'Id', look: 'code', cell: ({ id }) => id },
          { title: 'Created', cell: ({ createdDate }) => timeElement(createdDate) },
          {
            title: 'Expires',
            cell: ({ expirationDate: date }) => [timeElement(date), ' ', element('small', {}, distance(date, now))],
          },
          { title: 'State', cell: (token) => stateOf(isExpired(token), isCurrent(token)) },
          {
            title: 'Actions',
            look: 'buttons',
            cell: (token) =>
              button('Delete', () => perform(() => removeOne(token)), {
                look: 'plain',
                label: `Delete token ${token.id}`,
              }),
          },
        ],
      }),
    ];
  }

  return element(
    'div',
    {},
    element(
      'div',
      { class: 'head' },
      element('h1', { tabindex: -1 }, 'Tokens'),
      element(
        'p',
        { class: 'lead' },
        'What programs sign in with, on every address of the platform, as you and with your rights.',
      ),
      make,
    ),
    list.view,
  );
}

function stateOf(isExpired: boolean, isCurrent: boolean): Child {
  if (isExpired) return badge('Expired', 'old');
  return isCurrent ? badge('Current', 'here') : badge('Valid', 'good');
}

const badge = (text: string, look: string): HTMLElement => element('span', { class: `badge ${look}` }, text);

const counted = (count: number): string => (count === 1 ? '1 token' : `${count} tokens`);
