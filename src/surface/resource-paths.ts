// The URL paths of declared resources.
import type { Resource } from '../core/resource.ts';

// `/datacenters/{datacenterId}/servers/{serverId}`
export const pathTo = (chain: readonly Resource[]): string =>
  chain.map((one) => `${collectionPath(one)}/{${one.name}Id}`).join('');

export const collectionPath = (resource: Resource): string => `/${resource.dialect.collection(resource)}`;
