// The OpenAPI 3.1 document of a service: each route with its parameters, bodies, answers and all statuses of failures.
// test/clients/schemathesis.test.ts finds a status that is used and not documented.
import type { FaultKind } from '../../base/fault.ts';
import { isObject, type Json, type Values } from '../../base/json.ts';
import type { MediaTypes, Parameter, Route, Service } from '../http/exchange.ts';
import { statusOf } from '../http/payload.ts';
import { formType } from './openapi.ts';
import { exampleOf } from './openapi-example.ts';

export function openapi(service: Service, origin: string): Values {
  const paths: { [path: string]: Values } = {};
  for (const route of service.routes) {
    const path = route.path.replace('*}', '}') || '/'; // OpenAPI knows no wildcards
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(service, route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: service.title, description: service.description, version: service.version ?? '1.0' },
    servers: [{ url: origin + (service.prefixes[0] ?? ''), description: 'This region' }],
    tags: groupsOf(service).map(([name]) => ({ name })),
    paths,
    components: {
      ...(!service.failures && { schemas: { Error: errorSchema } }),
      responses: Object.fromEntries(
        [...new Set(service.routes.flatMap(faultsOf))].map((kind) => [capital(kind), failureOf(service, kind)]),
      ),
      ...(isGuarded(service) && { securitySchemes: schemesOf(service) }),
    },
  };
}

export const isGuarded = (service: Service): boolean => service.routes.some(({ open }) => !open);

const schemesOf = ({ takesBasic, authentication }: Service): Values =>
  authentication?.schemes ?? {
    bearer: {
      type: 'http',
      scheme: 'bearer',
      bearerFormat: 'JWT',
      description: 'A token of this region: `./cumulet token generate` prints one.',
    },
    ...(takesBasic && {
      basic: { type: 'http', scheme: 'basic', description: 'E-mail address and password of a user without 2FA.' },
    }),
  };

const tagOf = (route: Route): string => route.operation.split('_')[0] ?? '';

// The operations by group, in the order of the service; other groups follow in the order of its routes.
export function groupsOf({ routes, groups = [] }: Service): [tag: string, routes: Route[]][] {
  const placeOf = (tag: string): number => (groups.includes(tag) ? groups.indexOf(tag) : groups.length);
  return [...Map.groupBy(routes, tagOf)].sort(([a], [b]) => placeOf(a) - placeOf(b));
}

function operationOf(service: Service, route: Route): Values {
  const isUsual = !route.open && !service.authentication;
  const parameters = [...parametersOf(route), ...(isUsual ? [contractHeader] : [])];
  const security: Json[] = route.open ? [] : Object.keys(schemesOf(service)).map((name) => ({ [name]: [] }));
  const failures = faultsOf(route).map((kind): [string, Json] => [
    String(service.statuses?.[kind] ?? statusOf[kind]),
    { $ref: `#/components/responses/${capital(kind)}` },
  ]);
  return {
    operationId: route.operation,
    summary: route.summary,
    tags: [tagOf(route)],
    security,
    ...(parameters.length && { parameters: parameters.map(parameterOf) }),
    ...requestBodyOf(route),
    responses: { ...repliesOf(route), ...Object.fromEntries(failures), ...otherFailures(service, route) },
  };
}

// A body other than JSON has an example if its schema has one. A form may be empty: the query has the same parameters.
function requestBodyOf({ bodySchema, bodyTypes = {} }: Route): Values {
  const content: { [type: string]: Values } = {};
  if (bodySchema !== undefined) content[usualType] = { schema: bodySchema, example: exampleOf(bodySchema) };
  for (const [type, schema] of Object.entries(bodyTypes)) {
    const hasExample = isObject(schema) && schema.examples !== undefined;
    content[type] = { schema, ...(hasExample && { example: exampleOf(schema) }) };
  }
  const [first] = Object.keys(content);
  return first === undefined ? {} : { requestBody: { required: first !== formType, content } };
}

function repliesOf(route: Route): Values {
  if (route.upgrade) return { 101: { description: 'The connection is a WebSocket from now on' } };
  return {
    [String(route.replyStatus ?? 200)]: replyOf(route, route.replyStatus),
    ...(route.otherStatus !== undefined && { [String(route.otherStatus)]: replyOf(route, route.otherStatus) }),
  };
}

function replyOf(route: Route, status: number | undefined): Values {
  const { replySchema, replyTypes = [usualType], otherReplies = {} } = route;
  const accepted = route.isPolled
    ? 'Accepted; read the resource again to see the outcome'
    : 'Accepted; the Location header is the URL of the request status';
  const location = { Location: { description: 'The status of the request', schema: { type: 'string' } } };
  return {
    description: status === 202 ? accepted : 'Success',
    ...(status === 202 && !route.isPolled && { headers: location }),
    ...(replySchema !== undefined && {
      content: {
        ...Object.fromEntries(replyTypes.map((type) => [type, { schema: replySchema }])),
        ...contentOf(otherReplies),
      },
    }),
  };
}

const words: Partial<Record<FaultKind, string>> = {
  refused: 'The request is not valid: each message names the place and the problem',
  unauthenticated: 'The credentials are missing, wrong, expired or revoked',
  forbidden: 'The caller may not do this, or the contract is not theirs',
  missing: 'It does not exist, is not ready yet, or is not visible to the caller',
  conflict: 'Another resource has its name, or another operation on it is pending',
  oversized: 'The body is too large',
  throttled: 'Too many calls; Retry-After is the number of seconds to wait',
  unavailable: 'Not possible now; nothing was changed, and the same call may work later',
};

// How a call can fail, in the order of the stages.
function faultsOf(route: Route): FaultKind[] {
  const sends = [route.takesBody, route.takesBytes, route.takesStream].includes(true);
  const asks = route.method !== 'GET' || parametersOf(route).some((one) => one.in === 'query');
  const names = route.path.includes('{');
  const all: [FaultKind, boolean][] = [
    ['refused', asks || route.mayRefuse === true],
    ['unauthenticated', !route.open],
    ['forbidden', !route.open],
    ['missing', names],
    ['conflict', route.mayConflict === true],
    ['oversized', sends],
    ['throttled', true],
    ['unavailable', true],
  ];
  return all.filter(([, happens]) => happens).map(([kind]) => kind);
}

// In the service's own payload, where it fails before the call, or in the route's.
function otherFailures({ failures = usualFailures }: Service, { failsAlso }: Route): Values {
  if (!failsAlso) return {};
  const types: { [type: string]: Json } = { ...failures };
  for (const [type, schema] of Object.entries(failsAlso.types)) {
    const own = types[type];
    types[type] = own === undefined || own === schema ? schema : { anyOf: [own, schema] };
  }
  const failure = { description: 'The request failed', content: contentOf(types) };
  return Object.fromEntries(failsAlso.statuses.map((status) => [String(status), failure]));
}

const contentOf = (types: MediaTypes): Values =>
  Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]));

function failureOf({ failures = usualFailures }: Service, kind: FaultKind): Values {
  const waits = kind === 'throttled' || kind === 'unavailable';
  const after = { 'Retry-After': { description: 'Seconds to wait', schema: { type: 'integer' } } };
  return {
    description: words[kind] ?? kind,
    ...(waits && { headers: after }),
    content: contentOf(failures),
  };
}

const usualType = 'application/json';
const usualFailures: MediaTypes = { [usualType]: { $ref: '#/components/schemas/Error' } };

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

const contractHeader: Parameter = {
  name: 'X-Contract-Number',
  in: 'header',
  description: 'The contract of the call, for users of several contracts',
  schema: { type: 'integer' },
};

const parametersOf = (route: Route): Parameter[] => {
  const declared = route.parameters ?? [];
  const named = pathParameters(route).filter(({ name }) => !declared.some((one) => one.name === name));
  return [...named, ...declared];
};

const parameterOf = ({ name, in: where, description, schema, required }: Parameter): Json => ({
  name,
  in: where,
  description,
  schema,
  ...(required && { required }),
});

const pathParameters = (route: Route): Parameter[] =>
  [...route.path.matchAll(/\{(\w+)\*?\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    description: name.endsWith('Id') ? `The id of the ${name.slice(0, -2)}` : `The ${spaced(name)}`,
    schema: { type: 'string', minLength: 1 },
    required: true,
  }));

const spaced = (name: string): string => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const errorSchema: Values = {
  type: 'object',
  description: 'The body of every error',
  required: ['httpStatus', 'messages'],
  properties: {
    httpStatus: { type: 'integer', examples: [422] },
    messages: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['errorCode', 'message'],
        properties: {
          errorCode: { type: 'string', examples: ['100'] },
          message: { type: 'string', minLength: 1, examples: ['[(root).properties.name] Attribute is required'] },
        },
      },
    },
  },
};
