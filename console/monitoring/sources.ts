// The sources of metrics in a region: the contract's pipelines, and its central monitoring.
import { call } from '../api.ts';
import { regionOf } from '../resources/place.ts';

export interface Pipeline {
  id: string;
  metadata: {
    status: string;
    resourceURN: string;
    statusMessage?: string;
    createdDate?: string;
    httpEndpoint?: string;
    key?: string;
  };
  properties: { name: string; retentionInDays?: number };
}

export interface Central {
  id: string;
  metadata: { products?: string[] };
  properties: { enabled: boolean };
}

export interface Source {
  id: string;
  name: string;
  path: string; // of its Prometheus interface
  pipeline?: Pipeline; // undefined: central monitoring
}

export interface Sources {
  region: string;
  pipelines: readonly Pipeline[];
  central: Central;
  all: readonly Source[];
}

// The pipelines of all regions, with their regions.
export async function pipelinesEverywhere(signal: AbortSignal): Promise<(Source & { region: string })[]> {
  const { items } = await call<{ items: Pipeline[] }>('GET', '/monitoring/pipelines?limit=1000', { signal });
  return items.map((pipeline) => {
    const region = regionOf(pipeline) ?? '';
    return { ...sourceOf(region, pipeline), region };
  });
}

export async function centralOf(region: string, signal: AbortSignal): Promise<Source & { isOn: boolean }> {
  const { items } = await call<{ items: [Central] }>('GET', `${rootOf(region)}/central`, { signal });
  const [{ id, properties }] = items;
  return {
    id,
    name: 'Central monitoring',
    path: `${rootOf(region)}/central/${id}/prometheus`,
    isOn: properties.enabled,
  };
}

const sourceOf = (region: string, pipeline: Pipeline): Source => ({
  id: pipeline.id,
  name: pipeline.properties.name,
  path: `${rootOf(region)}/pipelines/${pipeline.id}/prometheus`,
  pipeline,
});

const rootOf = (region: string): string => `/${region}/monitoring`;

export async function sourcesOf(region: string, signal: AbortSignal): Promise<Sources> {
  const root = rootOf(region);
  const [listed, centrals] = await Promise.all([
    call<{ items: Pipeline[] }>('GET', `${root}/pipelines?limit=1000&orderBy=name`, { signal }),
    call<{ items: [Central] }>('GET', `${root}/central`, { signal }),
  ]);
  const pipelines = listed.items.filter(({ metadata }) => metadata.status !== 'DESTROYING');
  const [central] = centrals.items;
  const all = [
    ...pipelines.map((one) => sourceOf(region, one)),
    { id: central.id, name: 'Central monitoring', path: `${root}/central/${central.id}/prometheus` },
  ];
  return { region, pipelines, central, all };
}

export const createPipeline = (region: string, properties: Pipeline['properties']): Promise<Pipeline> =>
  call<Pipeline>('POST', `${rootOf(region)}/pipelines`, { body: { properties } });

export const changePipeline = (region: string, id: string, properties: Pipeline['properties']): Promise<Pipeline> =>
  call<Pipeline>('PUT', `${rootOf(region)}/pipelines/${id}`, { body: { properties } });

export const deletePipeline = (region: string, id: string): Promise<void> =>
  call('DELETE', `${rootOf(region)}/pipelines/${id}`);

export const newKey = async (region: string, id: string): Promise<string> =>
  (await call<{ key: string }>('POST', `${rootOf(region)}/pipelines/${id}/key`, { body: {} })).key;

export const switchCentral = (region: string, { id }: Pick<Central, 'id'>, enabled: boolean): Promise<Central> =>
  call<Central>('PUT', `${rootOf(region)}/central/${id}`, { body: { properties: { enabled } } });
