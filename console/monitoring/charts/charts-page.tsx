// The page that a pipeline's grafanaEndpoint opens: charts of what was pushed, as panels of a dashboard or explored.
import { useResource } from '../../components/resource.ts';
import { Loaded } from '../../components/states.tsx';
import type { PageProps } from '../../router.ts';
import { chartsUrl } from '../../urls.ts';
import { firstMeasured } from '../prometheus.ts';
import { RegionPage } from '../region-page.tsx';
import { sourcesOf } from '../sources.ts';
import { ChartsView } from './charts-view.tsx';

export const ChartsPage = (props: PageProps) => (
  <RegionPage {...props} url={chartsUrl}>
    {(region) => <Charts {...props} region={region} />}
  </RegionPage>
);

let loads = 0;

function Charts({ region, session }: PageProps & { region: string }) {
  const list = useResource(async (signal) => {
    const sources = await sourcesOf(region, signal);
    const asked = new URLSearchParams(location.search).get('pipeline');
    const named = sources.all.find(({ id }) => id === asked);
    return { sources, first: named ?? (await firstMeasured(sources.all, signal)), load: ++loads };
  });
  const reload = (pipeline?: string): void => {
    if (pipeline !== undefined) history.replaceState(history.state, '', `${location.pathname}?pipeline=${pipeline}`);
    void list.reload();
  };
  const owned = { user: session.user.id, contract: session.contract, region };
  return (
    <Loaded resource={list} what="the pipelines">
      {({ load, ...found }) => <ChartsView key={load} {...found} owned={owned} onChange={reload} />}
    </Loaded>
  );
}
