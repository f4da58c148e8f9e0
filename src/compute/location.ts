// Locations: read-only facts of the catalogue. An id may hold a slash of its own (de/fra/2), which most clients encode.
import { Fault } from '../base/fault.ts';
import type { Json } from '../base/json.ts';
import { entityTag } from '../surface/entity-tag.ts';
import { type Exchange, json, type Reply, type Route } from '../surface/exchange.ts';
import { always, collectionOf, pathParameter, shownAs, textSchema } from '../surface/openapi.ts';
import { depthOf, depthParameter, listQuery, matches } from '../surface/query.ts';
import { catalogue, type Location, offered } from './catalogue.ts';

export function locationRoutes(): Route[] {
  const collection = collectionOf(locationSchema, false);
  const common = { method: 'GET', parameters: [depthParameter] };
  const region = pathParameter('regionId', 'The first part of the id', 'de');
  const place = pathParameter('locationId', 'The rest of the id, with %2F for a slash in it', 'txl');
  const city = pathParameter('locationId', 'The second part of the id', 'fra');
  const site = pathParameter('siteId', 'The third part of the id', '2');
  return [
    {
      ...common,
      path: '/locations',
      operation: 'location_list',
      summary: 'All locations',
      replySchema: collection,
      call: (x) => json(200, listed(x, catalogue.locations, '/locations')),
    },
    {
      ...common,
      path: '/locations/{regionId}',
      parameters: [region, depthParameter],
      operation: 'location_listByRegion',
      summary: 'The locations of a region',
      replySchema: collection,
      call: (x) => {
        const found = catalogue.locations.filter(({ id }) => id.startsWith(`${x.params[0]}/`));
        if (found.length === 0) throw new Fault('missing', 'Resource does not exist');
        return json(200, listed(x, found, `/locations/${x.params[0]}`));
      },
    },
    {
      ...common,
      ...single,
      path: '/locations/{regionId}/{locationId}',
      parameters: [region, place, depthParameter],
      operation: 'location_get',
      summary: 'One location',
    },
    {
      ...common,
      ...single,
      path: '/locations/{regionId}/{locationId}/{siteId}',
      parameters: [region, city, site, depthParameter],
      operation: 'location_getSite',
      summary: 'One location whose id has a slash of its own, as clients that do not encode it ask for it',
    },
  ];
}

const texts: Json = { type: 'array', items: textSchema };
const objects: Json = { type: 'array', items: { type: 'object' } };
const locationSchema = shownAs('location', {
  metadata: { type: 'object' },
  properties: always({
    name: textSchema,
    metroRegion: textSchema,
    imageAliases: texts,
    features: texts,
    cpuArchitecture: objects,
    gpuArchitecture: objects,
  }),
});

const single = {
  replySchema: locationSchema,
  call: (x: Exchange): Reply => {
    const found = catalogue.locations.find(({ id }) => id === x.params.join('/'));
    if (!found) throw new Fault('missing', 'Resource does not exist');
    const text = JSON.stringify(shown(x, found, 0));
    return json(200, text, entityTag(x, text));
  },
};

function listed(x: Exchange, locations: Location[], path: string): object {
  const { filters } = listQuery(x);
  const depth = depthOf(x);
  const items = locations.filter((one) => matches({ properties: propertiesOf(one), metadata: {} }, filters));
  return {
    id: path.slice(1),
    type: 'collection',
    href: x.base + path,
    items: items.map((one) => shown(x, one, depth - 1)),
  };
}

const propertiesOf = ({ name, metroRegion }: Location) => ({
  name,
  metroRegion,
  imageAliases: catalogue.imageAliases,
  ...offered,
});

function shown(x: Exchange, location: Location, depth: number): object {
  const [region = '', ...rest] = location.id.split('/');
  const href = `${x.base}/locations/${region}/${encodeURIComponent(rest.join('/'))}`;
  const head = { id: location.id, type: 'location', href };
  if (depth < 0) return head;
  const metadata = {
    state: 'AVAILABLE',
    createdDate: '2026-01-01T00:00:00Z',
    createdBy: 'System',
    etag: '0'.repeat(32),
  };
  return { ...head, metadata, properties: propertiesOf(location) };
}
