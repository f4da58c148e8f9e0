// The storage regions and the addresses of their S3 interface: on this machine, one listener serves them all. Calls to
// the platform's own host come through the proxy, which serves the platform's storage hosts too: they get those names.
import type { Values } from '../../base/json.ts';
import { demandPrivilege } from '../../core/access.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { namedId } from '../../core/regional.ts';
import { always, textSchema } from '../../surface/docs/openapi.ts';
import { type Exchange, json, type Route } from '../../surface/http/exchange.ts';
import { builtInDomain } from '../../surface/http/host-names.ts';
import { platformHosts, storageRegions } from '../service/host.ts';

const locations: Readonly<Record<string, string>> = {
  'eu-central-3': 'de',
  'eu-central-4': 'de',
  'us-central-1': 'us',
  de: 'de',
  'eu-central-2': 'de',
  'eu-south-2': 'es',
};

const demandStorage = ({ who }: Exchange): void => demandPrivilege(who, 's3Privilege');

export interface StorageEndpoints {
  s3: string;
  website: string; // websites have the bucket's name in front of this host
}

const platformHost = `s3.${builtInDomain}`;

export function regionRoutes(endpoints: () => StorageEndpoints): Route[] {
  const endpointsFor = (x: Exchange, id: string): StorageEndpoints =>
    x.host.replace(/:\d+$/, '').toLowerCase() === platformHost ? platformHosts(id) : endpoints();
  const shown = (x: Exchange, id: string): Values => ({
    id,
    type: 'region',
    href: `${x.base}/regions/${id}`,
    metadata: {},
    properties: {
      version: 2,
      endpoint: endpointsFor(x, id).s3,
      website: endpointsFor(x, id).website,
      capability: { iam: false, s3select: false },
      storageClasses: ['standard'],
      location: locations[id] ?? 'de',
    },
  });
  return [
    {
      method: 'GET',
      path: '/regions',
      operation: 'storageregion_list',
      summary: 'List the storage regions',
      resolve: demandStorage,
      replySchema: always({
        id: textSchema,
        type: textSchema,
        href: textSchema,
        items: { type: 'array', items: schema },
      }),
      call: (x) =>
        json(200, {
          id: namedId('collection', 'storageregion'),
          type: 'collection',
          href: `${x.base}/regions`,
          items: storageRegions.map((id) => shown(x, id)),
          offset: 0,
          limit: 100,
          _links: {},
        }),
    },
    {
      method: 'GET',
      path: '/regions/{regionId}',
      operation: 'storageregion_get',
      summary: 'Read a storage region',
      resolve: demandStorage,
      replySchema: schema,
      call(x) {
        const id = storageRegions.find((one) => one === x.params[0]);
        if (!id) throw missingResource({ name: 'storage region' }, x.params[0] ?? '');
        return json(200, shown(x, id));
      },
    },
  ];
}

const schema: Values = always({
  id: textSchema,
  type: { const: 'region' },
  href: textSchema,
  metadata: { type: 'object' },
  properties: always({
    version: { type: 'integer' },
    endpoint: textSchema,
    website: textSchema,
    capability: always({ iam: { type: 'boolean' }, s3select: { type: 'boolean' } }),
    storageClasses: { type: 'array', items: { type: 'string' } },
    location: textSchema,
  }),
});
