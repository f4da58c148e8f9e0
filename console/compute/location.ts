// The location of a datacenter, and the region whose monitoring has the metrics of its servers.
import { call } from '../api.ts';
import type { Item } from '../resources/model.ts';

// `path`: the API path of the datacenter or of a resource in it.
export async function regionOf(path: string, signal: AbortSignal): Promise<string> {
  const [, datacenter = path] = /^(.*\/datacenters\/[^/]+)/.exec(path) ?? [];
  const { properties } = await call<Item>('GET', `${datacenter}?depth=1`, { signal });
  return regionOfLocation(String(properties.location));
}

export const regionOfLocation = (location: string): string => location.replaceAll('/', '-'); // de/txl: de-txl
