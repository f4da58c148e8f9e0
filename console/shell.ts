// What stands around every page of those who are signed in: who they are, the contract, and the way to each part.
import { button, byId, element, fill, freshId, link } from './dom.ts';
import { root } from './router.ts';
import type { Facts, Session } from './session.ts';

export interface Part {
  title: string;
  path: string; // below the root; it stands for all pages that begin with it
}

export const parts: readonly Part[] = [
  { title: 'Overview', path: '' },
  { title: 'Tokens', path: '/tokens' },
  { title: 'Monitoring', path: '/monitoring' },
];

export interface ShellOptions {
  session: Session;
  facts: Facts;
  onContract(contract: number): void;
  onSignOut(): void;
}

export interface Shell {
  main: HTMLElement;
  mark(): void; // shows which part the address is in
}

export function openShell({ session, facts, onContract, onSignOut }: ShellOptions): Shell {
  const main = element('main', { class: 'main', id: 'main', tabindex: -1 });
  const links = parts.map(({ title, path }) => link(root + path, title));
  fill(topBar(), homeLink(facts.version), contractOf(session, onContract), whoOf(session, onSignOut));
  fill(
    byId('console'),
    element(
      'div',
      { class: 'frame' },
      element(
        'nav',
        { class: 'side', 'aria-label': 'Console' },
        links,
        link('/docs', 'API pages', { class: 'beside' }),
      ),
      main,
    ),
  );
  const mark = (): void => {
    for (const [at, anchor] of links.entries())
      if (isWithin(parts[at]?.path ?? '')) anchor.setAttribute('aria-current', 'page');
      else anchor.removeAttribute('aria-current');
  };
  return { main, mark };
}

export const topBar = (): HTMLElement => byId('top');

export const homeLink = (version: string): HTMLElement =>
  element('a', { class: 'home', href: root }, 'Cumulet ', element('small', {}, version));

const isWithin = (path: string): boolean => {
  const here = location.pathname.slice(root.length).replace(/\/$/, '');
  return path === '' ? here === '' : here === path || here.startsWith(`${path}/`);
};

// Who has one contract has nothing to choose.
function contractOf({ contract, contracts }: Session, onContract: (contract: number) => void): HTMLElement {
  if (contracts.length < 2) return element('p', { class: 'contract' }, `Contract ${contract}`);
  const id = freshId('contract');
  const choice = element(
    'select',
    { id, change: () => onContract(Number(choice.value)) },
    contracts.map((one) => element('option', { value: one, selected: one === contract }, one)),
  );
  return element('p', { class: 'contract' }, element('label', { for: id }, 'Contract'), choice);
}

function whoOf({ user }: Session, onSignOut: () => void): HTMLElement {
  return element(
    'p',
    { class: 'who' },
    element('span', {}, user.email),
    button('Sign out', onSignOut, { look: 'plain' }),
  );
}
