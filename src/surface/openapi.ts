// OpenAPI 3.1 from the same declarations that validate requests and make the routes.
import type { Json, Values } from '../base/json.ts';
import type { Resource } from '../core/resource.ts';
import type { Properties, Property, Way } from '../core/schema.ts';
import type { Parameter, Route, Service } from './exchange.ts';

export function openapi(service: Service, server: string): Values {
  const paths: { [path: string]: Values } = {};
  for (const route of service.routes) {
    const path = route.path || '/';
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(service, route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: service.title, description: service.description, version: service.version ?? '1.0' },
    servers: [{ url: server + (service.prefixes[0] ?? '') }],
    paths,
    components: {
      schemas: { Error: errorSchema },
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        ...(service.takesBasic && { basic: { type: 'http', scheme: 'basic' } }),
      },
    },
  };
}

function operationOf(service: Service, route: Route): Values {
  const parameters = [...pathParameters(route), ...(route.parameters ?? []), ...(route.open ? [] : [contractHeader])];
  const security: Json[] = route.open ? [] : [{ bearer: [] }, ...(service.takesBasic ? [{ basic: [] }] : [])];
  const failed = {
    description: 'A failure',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
  return {
    operationId: route.operation,
    summary: route.summary,
    tags: [route.operation.split('_')[0] ?? ''],
    security,
    ...(parameters.length && { parameters: parameters.map(parameterOf) }),
    ...(route.bodySchema !== undefined && {
      requestBody: { required: true, content: { 'application/json': { schema: route.bodySchema } } },
    }),
    responses: { [String(route.replyStatus ?? 200)]: replyOf(route), default: failed },
  };
}

function replyOf(route: Route): Values {
  const description =
    route.replyStatus === 202 ? 'Accepted; the Location header tells where to ask for the outcome' : 'Success';
  const location = { Location: { description: 'The status of the request', schema: { type: 'string' } } };
  return {
    description,
    ...(route.replyStatus === 202 && { headers: location }),
    content: { 'application/json': { schema: route.replySchema ?? {} } },
  };
}

const contractHeader: Parameter = {
  name: 'X-Contract-Number',
  in: 'header',
  description: 'Which contract is meant, for users of several',
  schema: { type: 'integer' },
};

const parameterOf = ({ name, in: where, description, schema, required }: Parameter): Json => ({
  name,
  in: where,
  description,
  schema,
  ...(required && { required }),
});

const pathParameters = (route: Route): Parameter[] =>
  [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name: name ?? '',
    in: 'path',
    description: `The id: ${name}`,
    schema: { type: 'string' },
    required: true,
  }));

const errorSchema: Values = {
  type: 'object',
  required: ['httpStatus', 'messages'],
  properties: {
    httpStatus: { type: 'integer' },
    messages: {
      type: 'array',
      items: {
        type: 'object',
        required: ['errorCode', 'message'],
        properties: { errorCode: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
};

export function bodySchema(resource: Resource, way: Way): Values {
  const properties = propertiesSchema(resource.properties, way);
  if (way === 'change') return properties;
  const required = Array.isArray(properties.required) ? ['properties'] : [];
  const entities = {
    type: ['object', 'null'],
    description: 'What is created inside it, as { <collection>: { items: […] } }',
  };
  const inside = resource.verbs.includes('create') ? { entities } : {};
  return { type: 'object', properties: { properties, ...inside }, ...(required.length && { required }) };
}

export const resourceSchema = (resource: Resource): Values => ({
  type: 'object',
  required: ['id', 'type', 'href'],
  properties: {
    id: { type: 'string' },
    type: { const: resource.type },
    href: { type: 'string' },
    metadata: { type: 'object' },
    properties: propertiesSchema(resource.properties, 'read'),
    entities: { type: 'object' },
  },
});

export const collectionSchema = (resource: Resource): Values => ({
  type: 'object',
  required: ['id', 'type', 'href', 'items'],
  properties: {
    id: { type: 'string' },
    type: { const: 'collection' },
    href: { type: 'string' },
    items: { type: 'array', items: resourceSchema(resource) },
    offset: { type: 'integer' },
    limit: { type: 'integer' },
    _links: { type: 'object' },
  },
});

export function propertiesSchema(properties: Properties, way: Way | 'read'): Values {
  const shown: Values = {};
  const required: string[] = [];
  for (const [name, property] of Object.entries(properties)) {
    if ((property.serverFilled || property.derived) && way !== 'read' && way !== 'replace') continue;
    shown[name] = schemaOf(property, way);
    if (property.required && way === 'create') required.push(name);
  }
  return {
    type: 'object',
    properties: shown,
    ...(required.length && { required }),
    ...(way !== 'read' && { additionalProperties: false }),
  };
}

function schemaOf(property: Property, way: Way | 'read'): Values {
  const nullable = !property.required || way === 'read';
  const words = typeof property.oneOf === 'function' ? property.oneOf() : property.oneOf;
  const bounds: Values = {};
  const [low, high] = { string: ['minLength', 'maxLength'], array: ['minItems', 'maxItems'] }[
    property.type as string
  ] ?? ['minimum', 'maximum'];
  if (property.min !== undefined && low) bounds[low] = property.min;
  if (property.max !== undefined && high) bounds[high] = property.max;
  return {
    type: nullable ? [property.type, 'null'] : property.type,
    ...(property.description && { description: property.description }),
    ...(words && !property.anyCase && { enum: nullable ? [...words, null] : [...words] }),
    ...(words ? {} : bounds),
    ...(property.step !== undefined && { multipleOf: property.step }),
    ...(property.pattern && { pattern: property.pattern.source }),
    ...((property.serverFilled || property.derived) && { readOnly: true }),
    ...(property.writeOnly && { writeOnly: true }),
    ...(property.default !== undefined && { default: property.default }),
    ...(property.example !== undefined && { examples: [property.example] }),
    ...(property.items && { items: schemaOf({ ...property.items, required: true }, way) }),
    ...(property.properties && propertiesInside(property.properties, way)),
  };
}

function propertiesInside(properties: Properties, way: Way | 'read'): Values {
  const { type: _, ...rest } = propertiesSchema(properties, way === 'read' ? 'read' : 'create');
  return rest;
}
