// The management API of the object storage: access keys and regions.
import { idClaim } from '../../core/regional.ts';
import type { Resource } from '../../core/resource.ts';
import type { Service } from '../../surface/http/exchange.ts';
import type { Machinery } from '../../surface/machinery.ts';
import { renderRegionalFault } from '../../surface/regional-dialect/body.ts';
import { routesOf } from '../../surface/resource-routes.ts';
import { type AccessKeyTools, accessKey, renewRoute } from './access-key.ts';
import { regionRoutes, type StorageEndpoints } from './regions.ts';

export function managementService(
  machinery: Machinery,
  tools: AccessKeyTools,
  endpoints: () => StorageEndpoints,
): Service {
  return {
    name: 'objectstorage',
    title: 'Object storage management',
    description: 'Access keys and regions of the object storage, which itself is used through S3.',
    prefixes: ['/objectstorage-management'],
    hosts: ['s3'],
    restApiPage: 'object-storage-management',
    takesBasic: true,
    routes: [...routesOf(machinery, [accessKey as Resource]), renewRoute(machinery, tools), ...regionRoutes(endpoints)],
    atRoot: {
      parts: ['accesskeys', 'regions'],
      agent: 'sdk-go-object-storage-management',
      has: async ({ who: { contract } }, id) =>
        (await machinery.store.claimed(idClaim(accessKey, id)))?.contract === contract,
    },
    renderFault: renderRegionalFault,
  };
}
