// What stands around each page of a region's monitoring: its name, the other regions, and the ways between charts and
// alerts. An address that a pipeline tells names its contract: it is taken where it is one of the person's.
import { type Child, element, link } from '../dom.ts';
import { waiting } from '../parts/states.ts';
import { root, type Visit } from '../router.ts';
import { chooseContract, type Session } from '../session.ts';
import { styles } from './styles.ts';

const views = [
  { title: 'Charts', path: '' },
  { title: 'Alerts', path: '/alerts' },
];

export async function regionFrame(
  { params, facts, session }: Visit,
  path: string,
  draw: (region: string) => Child,
): Promise<Node> {
  const { region = '' } = params;
  const foreign = takeContract(session);
  if (foreign === 'another') return waiting('the contract');
  await styles();
  const isKnown = facts.regions.includes(region);
  return element(
    'div',
    { class: 'monitoring' },
    element('h1', { tabindex: -1 }, `Monitoring ${region}`),
    element(
      'p',
      { class: 'lead' },
      isKnown ? 'Charts, alerts and pipelines of this region.' : 'There is no such region.',
    ),
    element(
      'nav',
      { class: 'chips', 'aria-label': 'Regions' },
      facts.regions.map((one) =>
        link(`${root}/monitoring/${one}${path}`, one, { 'aria-current': one === region && 'page' }),
      ),
    ),
    typeof foreign === 'number' &&
      element(
        'p',
        { class: 'note' },
        `The address was for contract ${foreign}, which you do not belong to. This is contract ${session.contract}.`,
      ),
    isKnown && [
      element(
        'nav',
        { class: 'views', 'aria-label': 'Monitoring' },
        views.map((one) =>
          link(`${root}/monitoring/${region}${one.path}`, one.title, { 'aria-current': one.path === path && 'page' }),
        ),
      ),
      draw(region),
    ],
  );
}

// Once: afterwards the choice at the top counts. `another`: the page is loaded again with it. A number: that contract
// is not theirs.
function takeContract({ contract, contracts }: Session): 'this' | 'another' | number {
  const asked = new URLSearchParams(location.search);
  const wanted = Number(asked.get('contract') ?? contract);
  if (asked.has('contract')) {
    asked.delete('contract');
    const rest = asked.toString();
    history.replaceState(history.state, '', `${location.pathname}${rest === '' ? '' : `?${rest}`}`);
  }
  if (wanted === contract) return 'this';
  if (!contracts.includes(wanted)) return wanted;
  chooseContract(wanted);
  location.reload();
  return 'another';
}
