// The page behind a pipeline's grafanaEndpoint: dashboards and the explorer.
import { useResource } from '../../components/resource.ts';
import { Loaded } from '../../components/states.tsx';
import type { PageProps } from '../../router.ts';
import type { Session } from '../../session.ts';
import { chartsUrl } from '../../urls.ts';
import { takeOver } from '../dashboard/browser-dashboard.ts';
import { type Dashboard, dashboardApi } from '../dashboard/dashboard-api.ts';
import { firstMeasured } from '../prometheus.ts';
import { MonitoringPage } from '../region-page.tsx';
import { type Source, sourcesOf } from '../sources.ts';
import { ChartsView } from './charts-view.tsx';

export const ChartsPage = (props: PageProps) => (
  <MonitoringPage {...props} url={chartsUrl}>
    {(region) => <Charts {...props} region={region} />}
  </MonitoringPage>
);

let loads = 0;

function Charts({ region, session }: PageProps & { region: string }) {
  const list = useResource(async (signal) => {
    const [sources, dashboards] = await Promise.all([sourcesOf(region, signal), dashboardsOf(region, session)]);
    const requestedId = new URLSearchParams(location.search).get('pipeline');
    const named = sources.all.find(({ id }) => id === requestedId);
    const first = named ?? (await firstMeasured(sources.all, signal)) ?? (sources.all[0] as Source);
    return { sources, first, dashboards, load: ++loads };
  });
  const reload = (pipeline?: string): void => {
    if (pipeline !== undefined) history.replaceState(history.state, '', `${location.pathname}?pipeline=${pipeline}`);
    void list.reload();
  };
  return (
    <Loaded resource={list} what="the pipelines">
      {({ load, ...found }) => <ChartsView key={load} {...found} user={session.user.id} onChange={reload} />}
    </Loaded>
  );
}

async function dashboardsOf(region: string, { user, contract }: Session): Promise<Dashboard[]> {
  const api = dashboardApi(region);
  try {
    await takeOver(localStorage, { user: user.id, contract, region }, api);
  } catch {
    // It stays in the browser, so the next visit tries again.
  }
  return api.list();
}
