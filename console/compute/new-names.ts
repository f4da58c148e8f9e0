// Initial values of forms: names for new LANs, NICs and volumes, a small volume, and the location of new addresses.
import { call } from '../api.ts';
import { unusedName } from '../resources/form/unused-name.ts';
import type { Item } from '../resources/model.ts';
import { nameOf } from '../resources/place.ts';
import type { Json } from '../resources/schema-form/form-value.ts';

type Suggested = Promise<Readonly<Record<string, Json>>>;
type Params = Readonly<Record<string, string>>;
type Lan = Pick<Item, 'id'>;

const core = '/cloudapi/v6';
const across = '/console/across';
const most = 10_000;

const listOf = async (address: string, signal: AbortSignal): Promise<readonly Item[]> =>
  (await call<{ items: Item[] }>('GET', address, { signal })).items;

// The region numbers LANs: `lan-3` is the one after 2.
export const nextLanName = (lans: readonly Lan[]): string =>
  `lan-${Math.max(0, ...lans.map(({ id }) => Number(id) || 0)) + 1}`;

export const suggestLan = async ({ datacenterId }: Params, signal: AbortSignal): Suggested => ({
  name: nextLanName(await listOf(`${core}/datacenters/${datacenterId}/lans?limit=${most}`, signal)),
});

export async function suggestNic({ datacenterId, serverId }: Params, signal: AbortSignal): Suggested {
  const server = `datacenters/${datacenterId}/servers/${serverId}`;
  const [item, nics] = await Promise.all([
    call<Item>('GET', `${core}/${server}`, { signal }),
    listOf(`${across}/${server}/nics?show=name&limit=${most}`, signal),
  ]);
  return { name: unusedName(`${nameOf(item)}-nic`, nics.map(nameOf)) };
}

export async function suggestVolume({ datacenterId }: Params, signal: AbortSignal): Suggested {
  const volumes = await listOf(`${across}/datacenters/${datacenterId}/volumes?show=name&limit=${most}`, signal);
  return { name: unusedName('disk', volumes.map(nameOf)), type: 'HDD', size: 10 };
}

// Addresses are reserved where the form that needs them is.
export async function suggestAddresses({ datacenterId }: Params, signal: AbortSignal): Suggested {
  if (datacenterId === undefined) return {};
  const { properties } = await call<Item>('GET', `${core}/datacenters/${datacenterId}?depth=1`, { signal });
  return { location: String(properties.location) };
}
