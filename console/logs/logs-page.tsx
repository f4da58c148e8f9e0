// The page behind a log pipeline's grafanaAddress: search and follow its lines.
import { useResource } from '../components/resource.ts';
import { Skeleton } from '../components/skeleton.tsx';
import { Loaded } from '../components/states.tsx';
import { RegionPage } from '../region-page.tsx';
import type { PageProps } from '../router.ts';
import { logsUrl } from '../urls.ts';
import { LogsView } from './logs-view.tsx';
import { firstWithLines } from './loki.ts';
import { type LogSource, logSourcesOf } from './sources.ts';

export const LogsPage = (props: PageProps) => (
  <RegionPage {...props} title="Logs" look="logs" url={logsUrl}>
    {(region) => <Logs {...props} region={region} />}
  </RegionPage>
);

let loads = 0;

function Logs({ region, session, facts }: PageProps & { region: string }) {
  const list = useResource(async (signal) => {
    const sources = await logSourcesOf(region, signal);
    const requestedId = new URLSearchParams(location.search).get('pipeline');
    const named = sources.all.find(({ id }) => id === requestedId);
    const nowS = Date.parse(facts.clock.now) / 1000;
    const first = named ?? (await firstWithLines(sources.all, nowS, signal)) ?? (sources.all[0] as LogSource);
    return { sources, first, load: ++loads };
  });
  if (!list.answer.value) return <Skeleton rows={12} what="the pipelines" />;
  return (
    <Loaded resource={list} what="the pipelines">
      {({ load, ...found }) => (
        <LogsView key={load} {...found} contract={session.contract} onChange={() => void list.reload()} />
      )}
    </Loaded>
  );
}
