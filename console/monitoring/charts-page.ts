// The page that a pipeline's grafanaEndpoint opens: charts of what was pushed, kept as panels or explored at hand.
import { loaded } from '../parts/states.ts';
import { perform } from '../parts/toast.ts';
import type { Visit } from '../router.ts';
import { firstMeasured } from './asking.ts';
import { ChartsView } from './charts-view.ts';
import { regionFrame } from './region-frame.ts';
import { sourcesOf } from './sources.ts';

export const chartsPage = (visit: Visit): Promise<Node> =>
  regionFrame(visit, '', (region) => {
    const { signal, session } = visit;
    let shown = new AbortController();
    const again = (pipeline?: string): void => {
      if (pipeline !== undefined) history.replaceState(history.state, '', `${location.pathname}?pipeline=${pipeline}`);
      perform(reload);
    };
    const { view, reload } = loaded({
      what: 'the pipelines',
      signal,
      async fetch() {
        const sources = await sourcesOf(region, signal);
        const asked = new URLSearchParams(location.search).get('pipeline');
        const named = sources.all.find(({ id }) => id === asked);
        return { sources, first: named ?? (await firstMeasured(sources.all, signal)) };
      },
      draw({ sources, first }) {
        shown.abort();
        shown = new AbortController();
        const owned = { user: session.user.id, contract: session.contract, region };
        const lasting = AbortSignal.any([signal, shown.signal]);
        return new ChartsView({ sources, first, owned, signal: lasting, reload: again }).view;
      },
    });
    return view;
  });
