// Monitoring in the console: its pages, for the list in main.tsx.
import { RegionList } from '../overview.tsx';
import type { Page, PageProps } from '../router.ts';
import { AlertsPage } from './alerts/alerts-page.tsx';
import { ChartsPage } from './charts/charts-page.tsx';

export const monitoringPages: readonly Page[] = [
  { path: '/monitoring', title: 'Monitoring', view: Regions },
  { path: '/monitoring/{region}', title: ({ region }) => `Monitoring ${region}`, view: ChartsPage },
  { path: '/monitoring/{region}/alerts', title: ({ region }) => `Alerts ${region}`, view: AlertsPage },
];

function Regions({ facts }: PageProps) {
  return (
    <div>
      <h1 tabIndex={-1}>Monitoring</h1>
      <p class="lead">Metric pipelines belong to a region.</p>
      <RegionList regions={facts.regions} />
    </div>
  );
}
