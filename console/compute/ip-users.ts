// The resource that uses each address of an IP block. The API names servers directly, but gateways and balancers only
// by their datacenter.

import type { Item } from '../resources/model.ts';
import { kindTitle } from '../sitemap.ts';

export interface IpUser {
  ip: string;
  name: string; // empty: the address is free
  path: string; // below the service
  datacenter: { id: string; name: string } | undefined;
}

interface Consumer {
  ip: string;
  nicId: string | null;
  serverId: string | null;
  serverName: string | null;
  datacenterId: string | null;
  datacenterName: string | null;
}

const consumersOf = ({ properties }: Item): readonly Consumer[] => (properties.ipConsumers ?? []) as Consumer[];

// The datacenters whose gateways and balancers have to be read.
export const unnamedIn = (block: Item): string[] => [
  ...new Set(consumersOf(block).flatMap(({ serverId, datacenterId }) => (serverId === null && datacenterId) || [])),
];

export interface Holder {
  collection: string; // natgateways
  datacenter: string;
  item: Item;
}

const addressesOf = ({ properties: { publicIps, ips } }: Item): unknown[] => [publicIps ?? [], ips ?? []].flat();

export function ipUsersOf(block: Item, holders: readonly Holder[]): IpUser[] {
  const byIp = new Map(consumersOf(block).map((one) => [one.ip, one]));
  return (block.properties.ips as string[]).map((ip): IpUser => {
    const found = byIp.get(ip);
    if (!found?.datacenterId) return { ip, name: found ? 'in use' : '', path: '', datacenter: undefined };
    const inside = `/datacenters/${found.datacenterId}`;
    const datacenter = { id: found.datacenterId, name: found.datacenterName ?? found.datacenterId };
    if (found.serverId !== null)
      return { ip, name: found.serverName ?? found.serverId, path: `${inside}/servers/${found.serverId}`, datacenter };
    const holder = holders.find(
      ({ datacenter: id, item }) => id === found.datacenterId && addressesOf(item).includes(ip),
    );
    if (!holder) return { ip, name: 'in use', path: '', datacenter };
    const { collection, item } = holder;
    return {
      ip,
      name: String(item.properties.name ?? item.id),
      path: `${inside}/${collection}/${item.id}`,
      datacenter,
    };
  });
}

// Each resource that uses an address, once: `NAT gateway out`.
export function holdersOf(users: readonly IpUser[]): { kind: string; name: string; path: string }[] {
  const byPath = new Map(users.filter(({ path }) => path !== '').map((one) => [one.path, one]));
  return [...byPath.values()].map(({ name, path }) => ({ kind: kindTitle(path.split('/').at(-2) ?? ''), name, path }));
}
