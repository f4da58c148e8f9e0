// The pages of log search.
import { useResource } from '../components/resource.ts';
import { Skeleton } from '../components/skeleton.tsx';
import { Failure } from '../components/states.tsx';
import { lazyView } from '../lazy.tsx';
import { openInstead, type Page, type PageProps } from '../router.ts';
import { logsUrl } from '../urls.ts';
import { firstWithLines } from './loki.ts';
import { allPipelines, logSourcesOf, regionOfSource } from './sources.ts';

export const logsPages: readonly Page[] = [
  { path: '/logging', title: 'Logs', view: AnyRegion },
  {
    path: '/logging/{region}',
    title: ({ region }) => `Logs ${region}`,
    view: lazyView(() => import('./logs-page.tsx').then((module) => module.LogsPage)),
  },
];

// Opens a region with lines, or otherwise one with a pipeline.
function AnyRegion({ facts }: PageProps) {
  const found = useResource(async (signal) => {
    const region = await regionWithLines(facts, signal).catch(() => undefined); // its page shows the failure
    if (!signal.aborted) openInstead(logsUrl(region ?? facts.home));
  });
  const answer = found.answer.value;
  return (
    <div>
      <h1 tabIndex={-1}>Logs</h1>
      {answer && 'error' in answer ? <Failure error={answer.error} /> : <Skeleton rows={12} what="the pipelines" />}
    </div>
  );
}

// One call returns the pipelines of all regions. Only if none has lines, each region's central logging is checked.
async function regionWithLines(
  { regions, clock }: PageProps['facts'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const nowS = Date.parse(clock.now) / 1000;
  const known = await allPipelines(signal);
  const filled = await firstWithLines(known, nowS, signal);
  if (filled) return regionOfSource(filled);
  const everywhere = await Promise.all(regions.map((region) => logSourcesOf(region, signal)));
  const lines = await Promise.all(everywhere.map(({ all }) => firstWithLines(all, nowS, signal)));
  const [first] = known;
  return everywhere.find((_, at) => lines[at] !== undefined)?.region ?? (first && regionOfSource(first));
}
