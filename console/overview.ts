// The first page: who is signed in, for which contract, and where to go from here.
import { type Child, element, link } from './dom.ts';
import { type Page, root, type Visit } from './router.ts';
import { timeElement } from './times.ts';

const roles = { owner: 'Owner', admin: 'Administrator', user: 'User, with the rights that groups give' };

export const overviewPage: Page = { path: '/', title: 'Overview', show: overview };

function overview({ session, facts }: Visit): Node {
  const { user, role, contract, expiresDate } = session;
  const name = `${user.firstname} ${user.lastname}`.trim();
  return element(
    'div',
    { class: 'overview' },
    element('h1', { tabindex: -1 }, 'Overview'),
    element(
      'section',
      { class: 'panel', 'aria-labelledby': 'who' },
      element('h2', { id: 'who' }, 'You'),
      pairs([
        ['Name', name],
        ['E-mail', user.email],
        ['Contract', String(contract)],
        ['Role', roles[role]],
        ['Signed in until', timeElement(expiresDate)],
      ]),
    ),
    element(
      'section',
      { class: 'panel', 'aria-labelledby': 'regions' },
      element('h2', { id: 'regions' }, 'Regions'),
      element(
        'ul',
        { class: 'chips' },
        facts.regions.map((region) => element('li', {}, link(`${root}/monitoring/${region}`, region))),
      ),
    ),
    element(
      'section',
      { class: 'panel', 'aria-labelledby': 'services' },
      element('h2', { id: 'services' }, 'API pages'),
      element(
        'ul',
        { class: 'services' },
        facts.services.map((one) =>
          element('li', {}, link(`/docs/${one.name}`, one.title), element('span', {}, one.description)),
        ),
      ),
    ),
  );
}

const pairs = (rows: [title: string, value: Child][]): HTMLElement =>
  element(
    'dl',
    {},
    rows.map(([title, value]) => [element('dt', {}, title), element('dd', {}, value)]),
  );
