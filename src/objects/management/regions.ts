// The storage regions and where their S3 interface is: on this machine, the one listener serves them all.
import { Fault } from '../../base/fault.ts';
import type { Values } from '../../base/json.ts';
import { demandPrivilege } from '../../core/access.ts';
import { namedId } from '../../core/regional.ts';
import { always, textSchema } from '../../surface/docs/openapi.ts';
import { type Exchange, json, type Route } from '../../surface/http/exchange.ts';
import { storageRegions } from '../service/host.ts';

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
  website: string; // of a bucket, with its name in front of the host
}

export function regionRoutes(endpoints: () => StorageEndpoints): Route[] {
  const shown = (x: Exchange, id: string): Values => ({
    id,
    type: 'region',
    href: `${x.base}/regions/${id}`,
    metadata: {},
    properties: {
      version: 2,
      endpoint: endpoints().s3,
      website: endpoints().website,
      capability: { iam: false, s3select: false },
      storageClasses: ['STANDARD'],
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
        if (!id) throw new Fault('missing', 'Resource does not exist');
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
