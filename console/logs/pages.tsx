// Log search in the console: its pages.
import { useResource } from '../components/resource.ts';
import { Loaded } from '../components/states.tsx';
import { lazyView } from '../lazy.tsx';
import { openInstead, type Page, type PageProps } from '../router.ts';
import { logsUrl } from '../urls.ts';
import { firstWithLines } from './loki.ts';
import { logSourcesOf } from './sources.ts';

export const logsPages: readonly Page[] = [
  { path: '/logging', title: 'Logs', view: AnyRegion },
  {
    path: '/logging/{region}',
    title: ({ region }) => `Logs ${region}`,
    view: lazyView(() => import('./logs-page.tsx').then((module) => module.LogsPage)),
  },
];

// Leads to the region that has lines; otherwise to one with a pipeline.
function AnyRegion({ facts }: PageProps) {
  const found = useResource(async (signal) => {
    const region = await regionWithLines(facts, signal).catch(() => undefined); // its page tells why
    if (!signal.aborted) openInstead(logsUrl(region ?? facts.home));
  });
  return (
    <div>
      <h1 tabIndex={-1}>Logs</h1>
      <Loaded resource={found} what="the pipelines">
        {() => null}
      </Loaded>
    </div>
  );
}

async function regionWithLines(
  { regions, clock }: PageProps['facts'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const nowS = Date.parse(clock.now) / 1000;
  const sources = await Promise.all(regions.map((region) => logSourcesOf(region, signal)));
  const filled = await Promise.all(sources.map(({ all }) => firstWithLines(all, nowS, signal)));
  const at = filled.findIndex((source) => source !== undefined);
  const known = at >= 0 ? sources[at] : sources.find(({ all }) => all.length > 1);
  return known?.region;
}
