// The pages of monitoring.
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { openInstead, type Page, type PageProps } from '../router.ts';
import { chartsUrl } from '../urls.ts';
import { AlertsPage } from './alerts/alerts-page.tsx';
import { ChartsPage } from './charts/charts-page.tsx';
import { firstMeasured } from './prometheus.ts';
import { centralOf, pipelinesEverywhere } from './sources.ts';

export const monitoringPages: readonly Page[] = [
  { path: '/monitoring', title: 'Monitoring', view: AnyRegion },
  { path: '/monitoring/{region}', title: ({ region }) => `Monitoring ${region}`, view: ChartsPage },
  { path: '/monitoring/{region}/alerts', title: ({ region }) => `Alerts ${region}`, view: AlertsPage },
];

// Opens a region with data.
function AnyRegion({ facts }: PageProps) {
  const found = useResource(async (signal) => {
    const region = await regionWithMetrics(facts.regions, signal).catch(() => undefined); // its page shows the failure
    if (!signal.aborted) openInstead(chartsUrl(region ?? facts.home));
  });
  return (
    <div>
      <h1 tabIndex={-1}>Monitoring</h1>
      <Loaded resource={found} what="the pipelines">
        {() => null}
      </Loaded>
    </div>
  );
}

// A region with metrics, or otherwise one with a pipeline.
async function regionWithMetrics(regions: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const pipelines = await pipelinesEverywhere(signal);
  const measured = await firstMeasured(pipelines, signal);
  if (measured) return pipelines.find(({ id }) => id === measured.id)?.region;
  const centrals = await Promise.all(regions.map((region) => centralOf(region, signal)));
  const on = centrals.filter(({ isOn }) => isOn);
  const ofProducts = await firstMeasured(on, signal);
  if (ofProducts) return regions[centrals.findIndex(({ id }) => id === ofProducts.id)];
  return pipelines[0]?.region;
}
