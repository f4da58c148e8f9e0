// Monitoring in the console: its pages, for the list in main.ts. Everything of it is in this folder; what it needs of
// the rest are the parts, the calls and the visit.
import { element, link } from '../dom.ts';
import { type Page, root, type Visit } from '../router.ts';
import { alertsPage } from './alerts-page.ts';
import { chartsPage } from './charts-page.ts';

export const monitoringPages: readonly Page[] = [
  { path: '/monitoring', title: 'Monitoring', show: regions },
  { path: '/monitoring/{region}', title: ({ region }) => `Monitoring ${region}`, show: chartsPage },
  { path: '/monitoring/{region}/alerts', title: ({ region }) => `Alerts ${region}`, show: alertsPage },
];

function regions({ facts }: Visit): Node {
  return element(
    'div',
    {},
    element('h1', { tabindex: -1 }, 'Monitoring'),
    element('p', { class: 'lead' }, 'Metric pipelines belong to a region.'),
    element(
      'ul',
      { class: 'chips' },
      facts.regions.map((region) => element('li', {}, link(`${root}/monitoring/${region}`, region))),
    ),
  );
}
