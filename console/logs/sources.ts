// Where the lines of a region are: the contract's log pipelines, and its central logging.
import { call } from '../api.ts';

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
  pipeline?: LogPipeline; // none: central logging
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
  const pipelines = listed.items
    .filter(({ metadata }) => metadata.state !== 'DESTROYING')
    .map((pipeline) => ({
      id: pipeline.id,
      name: pipeline.properties.name,
      path: `${root}/pipelines/${pipeline.id}`,
      pipeline,
    }));
  const own = { id: central.id, name: 'Central logging', path: `${root}/central/${central.id}` };
  return { region, central, all: [...pipelines, own] };
}

export const switchCentral = (region: string, { id }: Central, enabled: boolean): Promise<Central> =>
  call<Central>('PUT', `${rootOf(region)}/central/${id}`, { body: { properties: { enabled } } });
