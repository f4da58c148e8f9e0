// The sources of log lines in a region: the contract's log pipelines and its central logging.
import { call } from '../api.ts';
import { regionOf } from '../resources/place.ts';

export interface LogPipeline {
  id: string;
  metadata: { state: string; resourceURN?: string };
  properties: {
    name: string;
    logs: { tag: string; source: string; protocol: string }[];
    tcpAddress: string;
    httpAddress: string;
  };
}

export interface Central {
  id: string;
  properties: { enabled: boolean };
}

export interface LogSource {
  id: string;
  name: string;
  path: string; // of its Loki interface
  pipeline?: LogPipeline; // undefined: central logging
}

export interface LogSources {
  region: string;
  central: Central;
  all: readonly LogSource[];
}

const rootOf = (region: string): string => `/${region}/logging`;

export async function logSourcesOf(region: string, signal: AbortSignal): Promise<LogSources> {
  const root = rootOf(region);
  const [listed, centrals] = await Promise.all([
    call<{ items: LogPipeline[] }>('GET', `${root}/pipelines?limit=1000&orderBy=name`, { signal }),
    call<{ items: [Central] }>('GET', `${root}/central`, { signal }),
  ]);
  const [central] = centrals.items;
  const pipelines = sourcesOf(listed.items, () => root);
  const own = { id: central.id, name: 'Central logging', path: `${root}/central/${central.id}` };
  return { region, central, all: [...pipelines, own] };
}

// The pipelines of all regions, by one call. Their URNs contain the region.
export async function allPipelines(signal: AbortSignal): Promise<LogSource[]> {
  const { items } = await call<{ items: LogPipeline[] }>('GET', '/logging/pipelines?limit=1000&orderBy=name', {
    signal,
  });
  return sourcesOf(items, (pipeline) => rootOf(regionOf(pipeline) ?? ''));
}

export const regionOfSource = ({ pipeline }: LogSource): string | undefined => pipeline && regionOf(pipeline);

const sourcesOf = (pipelines: readonly LogPipeline[], root: (of: LogPipeline) => string): LogSource[] =>
  pipelines
    .filter(({ metadata }) => metadata.state !== 'DESTROYING')
    .map((pipeline) => ({
      id: pipeline.id,
      name: pipeline.properties.name,
      path: `${root(pipeline)}/pipelines/${pipeline.id}`,
      pipeline,
    }));

export const switchCentral = (region: string, { id }: Central, enabled: boolean): Promise<Central> =>
  call<Central>('PUT', `${rootOf(region)}/central/${id}`, { body: { properties: { enabled } } });
