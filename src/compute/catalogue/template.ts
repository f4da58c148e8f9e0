// Templates: the sizes of Cubes and GPU servers, read-only entries of the catalogue.

import { depthParameter } from '../../surface/core-dialect/query.ts';
import { always, collectionOf, metadataSchema, shownAs, textSchema } from '../../surface/docs/openapi.ts';
import type { Route } from '../../surface/http/exchange.ts';
import { factOf, factReply, factsParameters, factsReply, missingFact, ofCatalogue } from './fact-replies.ts';

export function templateRoutes(): Route[] {
  return [
    {
      method: 'GET',
      path: '/templates',
      operation: 'template_list',
      summary: 'List templates',
      parameters: factsParameters,
      replySchema: collectionOf(templateSchema, false),
      call: (x) => factsReply(x, [...templates().values()], '/templates'),
    },
    {
      method: 'GET',
      path: '/templates/{templateId}',
      operation: 'template_get',
      summary: 'Get a template',
      parameters: [depthParameter],
      replySchema: templateSchema,
      call: (x) => factReply(x, templates().get(x.params[0] ?? '') ?? missingFact('template', x.params[0])),
    },
  ];
}

const templates = ofCatalogue(
  (from) =>
    new Map(
      from.templates.map(({ id, ...properties }) => [
        id,
        factOf('template', `/templates/${id}`, id, '[UNKNOWN]', properties),
      ]),
    ),
);

const templateSchema = shownAs('template', {
  metadata: metadataSchema(true),
  properties: always({
    name: textSchema,
    cores: { type: 'number' },
    ram: { type: 'number', description: 'Memory in MB', 'x-unit': 'MB' },
    storageSize: { type: 'number', description: 'Storage in GB', 'x-unit': 'GB' },
    storageType: textSchema,
    category: textSchema,
    gpus: {
      type: 'array',
      items: always({ vendor: textSchema, model: textSchema, type: textSchema, count: { type: 'integer' } }),
      description: 'GPU cards of a GPU server; absent for Cubes',
    },
  }),
});
