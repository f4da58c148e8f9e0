// Locations: read-only entries of the catalogue. An id contains slashes (de/fra/2), which most clients encode.
import type { Json } from '../../base/json.ts';
import { depthParameter } from '../../surface/core-dialect/query.ts';
import {
  always,
  collectionOf,
  metadataSchema,
  pathParameter,
  shownAs,
  textSchema,
} from '../../surface/docs/openapi.ts';
import type { Exchange, Reply, Route } from '../../surface/http/exchange.ts';
import { imageAliasesAt, type Location, offeredAt } from './catalogue.ts';
import { factOf, factReply, factsParameters, factsReply, missingFact, ofCatalogue } from './fact-replies.ts';

export function locationRoutes(): Route[] {
  const collection = collectionOf(locationSchema, false);
  const region = pathParameter('regionId', 'The first part of the id', 'de');
  const place = pathParameter('locationId', 'The rest of the id, with %2F for a slash in it', 'txl');
  const city = pathParameter('locationId', 'The second part of the id', 'fra');
  const site = pathParameter('siteId', 'The third part of the id', '2');
  return [
    {
      method: 'GET',
      path: '/locations',
      parameters: factsParameters,
      operation: 'location_list',
      summary: 'List locations',
      replySchema: collection,
      call: (x) => factsReply(x, locations(), '/locations'),
    },
    {
      method: 'GET',
      path: '/locations/{regionId}',
      parameters: [region, ...factsParameters],
      operation: 'location_listByRegion',
      summary: 'List the locations of a region',
      replySchema: collection,
      call: (x) => {
        const found = locations().filter(({ id }) => id.startsWith(`${x.params[0]}/`));
        return found.length === 0
          ? missingFact('location', x.params[0])
          : factsReply(x, found, `/locations/${x.params[0]}`);
      },
    },
    {
      ...single,
      path: '/locations/{regionId}/{locationId}',
      parameters: [region, place, depthParameter],
      operation: 'location_get',
      summary: 'Get a location',
    },
    {
      ...single,
      path: '/locations/{regionId}/{locationId}/{siteId}',
      parameters: [region, city, site, depthParameter],
      operation: 'location_getSite',
      summary: 'Get a location whose ID has a second slash, for clients that do not encode it',
    },
  ];
}

const texts: Json = { type: 'array', items: textSchema };
const objects: Json = { type: 'array', items: { type: 'object' } };
const locationSchema = shownAs('location', {
  metadata: metadataSchema(true),
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
  method: 'GET',
  replySchema: locationSchema,
  call: (x: Exchange): Reply =>
    factReply(
      x,
      locations().find(({ id }) => id === x.params.join('/')) ?? missingFact('location', x.params.join('/')),
    ),
};

const locations = ofCatalogue((from) => from.locations.map(shown));

function shown({ id, name, metroRegion }: Location) {
  const [region = '', ...rest] = id.split('/');
  const path = `/locations/${region}/${encodeURIComponent(rest.join('/'))}`;
  const properties = { name, metroRegion, imageAliases: imageAliasesAt(id), ...offeredAt(id) };
  return factOf('location', path, id, 'System', properties);
}
