// Where a datacenter is: its location, and the region whose monitoring measures its servers.
import { call } from '../api.ts';
import type { Item } from '../resources/model.ts';

// `path`: of the datacenter or of something in it, in the API.
export async function regionOf(path: string, signal: AbortSignal): Promise<string> {
  const [, datacenter = path] = /^(.*\/datacenters\/[^/]+)/.exec(path) ?? [];
  const { properties } = await call<Item>('GET', `${datacenter}?depth=1`, { signal });
  return regionOfLocation(String(properties.location));
}

export const regionOfLocation = (location: string): string => location.replaceAll('/', '-'); // de/txl: de-txl
