// The frame of a region's monitoring pages, with links between charts and alerts.
import { RegionPage, type RegionPageProps } from '../region-page.tsx';
import { alertsUrl, chartsUrl } from '../urls.ts';

const views = [
  { title: 'Charts', url: chartsUrl },
  { title: 'Alerts', url: alertsUrl },
];

export const MonitoringPage = (props: Omit<RegionPageProps, 'title' | 'look' | 'views'>) => (
  <RegionPage {...props} title="Monitoring" look="monitoring" views={views} />
);
