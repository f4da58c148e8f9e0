// Reads the resources that use the addresses of an IP block.
import { call } from '../api.ts';
import type { Dependent } from '../resources/dependent.ts';
import type { Item } from '../resources/model.ts';
import { resourceUrl } from '../urls.ts';
import { type Holder, holdersOf, type IpUser, ipUsersOf, unnamedIn } from './ip-users.ts';

const collections = ['natgateways', 'networkloadbalancers', 'applicationloadbalancers'];

async function holdersIn(datacenter: string, signal: AbortSignal): Promise<Holder[]> {
  const found = collections.map(async (collection): Promise<Holder[]> => {
    const path = `/cloudapi/v6/datacenters/${datacenter}/${collection}?depth=1&limit=1000`;
    const { items } = await call<{ items: Item[] }>('GET', path, { signal });
    return items.map((item) => ({ collection, datacenter, item }));
  });
  return (await Promise.all(found)).flat();
}

export async function readIpUsers(block: Item, signal: AbortSignal): Promise<IpUser[]> {
  const holders = await Promise.all(unnamedIn(block).map((id) => holdersIn(id, signal)));
  return ipUsersOf(block, holders.flat());
}

// These must release its addresses before it can be deleted.
export const holdersOfBlock = async (block: Item, signal: AbortSignal): Promise<Dependent[]> =>
  holdersOf(await readIpUsers(block, signal)).map(({ kind, name, path }) => ({
    kind,
    name,
    url: resourceUrl('cloudapi', path),
  }));
