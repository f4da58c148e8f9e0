// Reads the datacenters and servers of the overview.
import { call } from '../api.ts';
import { type ServerItem, type Site, type SiteItem, sitesOf } from './landscape-model.ts';

const mostSites = 12;
const mostServers = 200;

export interface Landscape {
  sites: readonly Site[];
  hasMoreSites: boolean;
  hasMoreServers: boolean;
}

export const landscapePaths = ['/cloudapi/v6/datacenters', '/cloudapi/v6/datacenters/-/servers'];

export async function readLandscape(signal: AbortSignal): Promise<Landscape> {
  const read = <Item>(path: string, most: number): Promise<{ items: Item[] }> =>
    call('GET', `${path}?depth=1&limit=${most + 1}`, { signal });
  const [{ items: datacenters }, { items: servers }] = await Promise.all([
    read<SiteItem>('/cloudapi/v6/datacenters', mostSites),
    read<ServerItem>('/console/across/datacenters/-/servers', mostServers),
  ]);
  return {
    sites: sitesOf(datacenters.slice(0, mostSites), servers.slice(0, mostServers)),
    hasMoreSites: datacenters.length > mostSites,
    hasMoreServers: servers.length > mostServers,
  };
}
