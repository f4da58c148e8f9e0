// A balancer gets no address by itself in a public LAN, so its form asks for a reserved one.
import { ApiError, call } from '../../api.ts';
import type { Item } from '../../resources/model.ts';
import { nameOf } from '../../resources/place.ts';

export async function checkListener(
  { listenerLan, ips }: Item['properties'],
  { datacenterId }: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const hasAddress = Array.isArray(ips) && ips.some((ip) => ip !== '');
  if (hasAddress || typeof listenerLan !== 'number') return {};
  try {
    const lan = await call<Item>('GET', `/cloudapi/v6/datacenters/${datacenterId}/lans/${listenerLan}?depth=1`, {
      signal,
    });
    if (lan.properties.public !== true) return {};
    const problem = `The LAN ${nameOf(lan)} is public, so the balancer needs a reserved address. Select or reserve one.`;
    return { 'properties.ips.0': problem };
  } catch (error) {
    if (error instanceof ApiError) return {}; // the platform refuses an unknown LAN
    throw error;
  }
}
