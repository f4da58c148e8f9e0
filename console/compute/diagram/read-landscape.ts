// Reads the content of a datacenter. If it has more servers than the diagram can show, only the number of servers in
// each LAN is read.
import { call } from '../../api.ts';
import type { Item } from '../../resources/model.ts';
import { type Crowd, crowdOf } from './crowd.ts';
import { type Landscape, landscapeOf } from './landscape.ts';

export const mostServers = 400;
const mostOthers = 1000;
const pageSize = 1000;

export type Found = { landscape: Landscape } | { crowd: Crowd };

interface Page {
  items: Item[];
  _links?: { next?: string };
}

// `path`: of the datacenter in the API, with the prefix of its service.
export async function readLandscape(path: string, signal: AbortSignal): Promise<Found> {
  const list = async (name: string, depth: number, limit = mostOthers): Promise<Item[]> =>
    (await call<Page>('GET', `${path}/${name}?depth=${depth}&limit=${limit}`, { signal })).items;
  const [lans, servers, natgateways, networkloadbalancers, applicationloadbalancers, loadbalancers] = await Promise.all(
    [
      list('lans', 1),
      list('servers', 4, mostServers + 1), // with properties of NICs and volumes, and the number of rules
      list('natgateways', 1),
      list('networkloadbalancers', 1),
      list('applicationloadbalancers', 1),
      list('loadbalancers', 3),
    ],
  );
  if (servers.length > mostServers) return { crowd: await readCrowd(path, signal) };
  const root = path.slice(0, path.lastIndexOf('/datacenters/'));
  const isConnected = lans.some(({ properties }) => typeof properties.pcc === 'string' && properties.pcc !== '');
  const [volumes, pccs] = await Promise.all([
    list('volumes', 1),
    isConnected ? call<Page>('GET', `${root}/pccs?depth=1`, { signal }).then(({ items }) => items) : [],
  ]);
  const balancers = { networkloadbalancers, applicationloadbalancers, loadbalancers };
  const own = path.slice(root.length);
  return { landscape: landscapeOf({ path: own, lans, servers, volumes, natgateways, ...balancers, pccs }) };
}

// Reads only references: those of a LAN's NICs contain the ids of their servers.
async function readCrowd(path: string, signal: AbortSignal): Promise<Crowd> {
  const all = async (query: string): Promise<string[]> => {
    const ids: string[] = [];
    for (let offset = 0; ; offset += pageSize) {
      const at = `${path}/servers?depth=0&limit=${pageSize}&offset=${offset}${query}`;
      const { items, _links } = await call<Page>('GET', at, { signal });
      ids.push(...items.map(({ id }) => id));
      if (_links?.next === undefined) return ids;
    }
  };
  const [{ items: lans }, servers, running] = await Promise.all([
    call<Page>('GET', `${path}/lans?depth=2&limit=${mostOthers}`, { signal }),
    all(''),
    all('&filter.vmState=RUNNING'),
  ]);
  return crowdOf(path.slice(path.lastIndexOf('/datacenters/')), lans, servers, running);
}
