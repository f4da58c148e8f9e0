// Public images: read-only entries of the catalogue, one per location that offers it. No contract owns them.

import { Fault } from '../../base/fault.ts';
import type { Json, Values } from '../../base/json.ts';
import { missingResource } from '../../core/missing-resource.ts';
import { depthParameter } from '../../surface/core-dialect/query.ts';
import { always, collectionOf, metadataSchema, shownAs, textSchema } from '../../surface/docs/openapi.ts';
import { type Exchange, json, type Route } from '../../surface/http/exchange.ts';
import type { CatalogueImage } from './catalogue.ts';
import { type Fact, factOf, factReply, factsParameters, factsReply, missingFact, ofCatalogue } from './fact-replies.ts';

export function imageRoutes(): Route[] {
  return [
    {
      method: 'GET',
      path: '/images',
      operation: 'image_list',
      summary: 'List images',
      parameters: factsParameters,
      replySchema: collectionOf(imageSchema, false),
      call: (x) => factsReply(x, [...images().values()], '/images'),
    },
    {
      method: 'GET',
      path: '/images/{imageId}',
      operation: 'image_get',
      summary: 'Get an image',
      parameters: [depthParameter],
      replySchema: imageSchema,
      call: (x) => factReply(x, named(x)),
    },
    ownersOnly('PUT', 'image_replace', 'Replace'),
    ownersOnly('PATCH', 'image_change', 'Change'),
    ownersOnly('DELETE', 'image_remove', 'Delete'),
    ...labelRoutes(),
  ];
}

// Labels belong to the owner of an image, and public images have no owner.
function labelRoutes(): Route[] {
  const path = '/images/{imageId}/labels';
  const schema = shownAs('label', {});
  const refuse = (method: string, below: string, operation: string, verb: string): Route =>
    refusing((x) => (method === 'GET' ? missing(x) : notOwned(x, 'labelled')), {
      method,
      path: path + below,
      operation,
      summary: `${verb} a label of a private image. Public images have no labels`,
      replySchema: schema,
    });
  return [
    {
      method: 'GET',
      path,
      operation: 'image_labels_list',
      summary: 'List the labels of an image',
      parameters: factsParameters,
      replySchema: collectionOf(schema, false),
      call: (x) => {
        named(x);
        const at = `/images/${x.params[0]}/labels`;
        return json(200, { id: at.slice('/images/'.length), type: 'collection', href: x.base + at, items: [] });
      },
    },
    refuse('POST', '', 'image_labels_create', 'Create'),
    refuse('GET', '/{labelId}', 'image_labels_get', 'Read'),
    refuse('PUT', '/{labelId}', 'image_labels_replace', 'Replace'),
    refuse('DELETE', '/{labelId}', 'image_labels_remove', 'Delete'),
  ];
}

function missing(x: Exchange): Fault {
  named(x);
  return missingResource({ name: 'label' }, x.params[1] ?? '');
}

const notOwned = (x: Exchange, done: string): Fault =>
  new Fault('forbidden', `Image ${named(x).properties.name} is public. It can be used, but not ${done}.`);

const ownersOnly = (method: string, operation: string, verb: string): Route =>
  refusing((x) => notOwned(x, 'changed or deleted'), {
    method,
    path: '/images/{imageId}',
    operation,
    summary: `${verb} a private image. Public images can't be changed`,
    replySchema: imageSchema,
    replyStatus: 202,
  });

// Refuses before the body is read, like any missing right.
function refusing(fault: (x: Exchange) => Fault, route: Omit<Route, 'call' | 'resolve'>): Route {
  const refuse = (x: Exchange): never => {
    throw fault(x);
  };
  return { ...route, resolve: refuse, call: refuse };
}

const named = (x: Exchange): Fact => images().get(x.params[0] ?? '') ?? missingFact('image', x.params[0]);

const images = ofCatalogue((from) => new Map(from.images.map((one) => [one.id, shown(one)])));

function shown({ id, ...properties }: CatalogueImage): Fact {
  return factOf('image', `/images/${id}`, id, 'System', { ...properties, public: true, requiredFeatures: [] });
}

const texts: Json = { type: 'array', items: textSchema };
const flags = ['cpu', 'ram', 'nic', 'discVirtio', 'discScsi'].flatMap((part) => [`${part}HotPlug`, `${part}HotUnplug`]);
const flagSchemas: Values = Object.fromEntries(
  [...flags, 'exposeSerial', 'requireLegacyBios', 'public'].map((name) => [name, { type: 'boolean' }]),
);
const imageSchema = shownAs('image', {
  metadata: metadataSchema(true),
  properties: always({
    name: textSchema,
    description: { type: ['string', 'null'] },
    location: textSchema,
    size: { type: 'number', description: 'Size in GB', 'x-unit': 'GB' },
    imageType: { enum: ['HDD', 'CDROM'] },
    imageAliases: texts,
    cloudInit: { enum: ['V1', 'NONE'] },
    licenceType: textSchema,
    applicationType: textSchema,
    requiredFeatures: texts,
    ...flagSchemas,
  }),
});
