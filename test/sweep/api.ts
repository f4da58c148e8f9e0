// All operations of a region as its own OpenAPI documents tell them, and what their answers are held against.
import assert from 'node:assert/strict';
import { logging } from '../harness/logs.ts';
import { core } from '../harness/people.ts';
import { monitoring } from '../harness/pipelines.ts';
import type { Answer, CallOptions, Region, ResourceBody } from '../harness/region.ts';

export { secondContract, type World, worldOf } from './world.ts';

export interface Schema {
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: string[];
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  examples?: unknown[];
  additionalProperties?: boolean;
  readOnly?: boolean;
}

export interface Operation {
  service: string;
  id: string; // datacenter_create
  method: string;
  path: string; // the whole path, with {parameters}
  below: string; // the same without the prefix of the service
  isOpen: boolean;
  isKeyed: boolean; // it takes its own key instead of a token
  opensSocket: boolean; // a WebSocket
  takesBasic: boolean;
  query: string[];
  body: Schema | undefined;
}

interface Document {
  openapi: string;
  servers: { url: string }[];
  paths: Record<string, Record<string, Described>>;
}

interface Described {
  operationId: string;
  security: Record<string, unknown>[];
  parameters?: { name: string; in: string }[];
  responses: Record<string, unknown>;
  requestBody?: { content: Record<string, { schema: Schema }> };
}

// Operations with the key of a resource instead of a token are separate, because they use other protocols.
export async function operationsOf(region: Region, keyed = false): Promise<Operation[]> {
  const { body } = await region.call<{ services: { name: string; openapi: string }[] }>('GET', '/');
  const all: Operation[] = [];
  for (const { name, openapi } of body.services) {
    const { body: document } = await region.call<Document>('GET', new URL(openapi).pathname);
    const base = new URL(document.servers[0]?.url ?? '').pathname.replace(/\/$/, '');
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, described] of Object.entries(methods)) {
        all.push(operation(name, method.toUpperCase(), { base, path }, described));
      }
    }
  }
  assert.ok(all.length > 60, `only ${all.length} operations are documented`);
  return all.filter(({ isKeyed }) => isKeyed === keyed);
}

const operation = (
  service: string,
  method: string,
  { base, path }: { base: string; path: string },
  described: Described,
): Operation => ({
  service,
  id: described.operationId,
  method,
  path: base + path,
  below: path,
  isOpen: described.security.length === 0,
  isKeyed: described.security.some((one) => 'key' in one),
  opensSocket: '101' in described.responses,
  takesBasic: described.security.some((one) => 'basic' in one),
  query: (described.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name),
  body: described.requestBody?.content['application/json']?.schema,
});

// A resource with several parent types has a world id for each: `natgatewayId/flowlogId` if it follows that id.
export function idsIn({ path }: Pick<Operation, 'path'>, ids: Record<string, string>): Map<string, string> {
  const found = new Map<string, string>();
  let before = '';
  for (const [, name = ''] of path.matchAll(/\{(\w+)\}/g)) {
    const id = ids[`${before}/${name}`] ?? ids[name];
    assert.ok(id, `${name} of ${path} is unknown: add one to test/sweep/world.ts`);
    found.set(name, id);
    before = name;
  }
  return found;
}

export function fill(operation: Pick<Operation, 'path'>, ids: Record<string, string>): string {
  const found = idsIn(operation, ids);
  return operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(found.get(name) ?? ''));
}

export const namesIn = ({ path }: Operation): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

// The platform's payload of a failure, of that status, as JSON.
export function assertPayload(
  { status, headers, body }: Answer<unknown>,
  statuses: number | number[],
  what: string,
): void {
  const summary = `${what}: ${status} ${JSON.stringify(body)?.slice(0, 300)}`;
  assert.ok([statuses].flat().includes(status), `${summary}, not ${statuses}`);
  assert.match(String(headers['content-type']), /^application\/json/, summary);
  const { httpStatus, messages } = body as { httpStatus?: unknown; messages?: unknown };
  assert.equal(httpStatus, status, summary);
  assert.ok(Array.isArray(messages) && messages.length > 0, summary);
  for (const { errorCode, message } of messages as Record<string, unknown>[]) {
    assert.equal(typeof errorCode, 'string', summary);
    assert.ok(typeof message === 'string' && message.length > 0, summary);
  }
}

export async function expect(call: Promise<Answer>, status: number): Promise<Answer> {
  const answer = await call;
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer;
}

// All resources, to check that refused calls created and changed nothing.
export async function inventory(region: Region, options: CallOptions = {}): Promise<string[]> {
  const places =
    'datacenters?depth=8 ipblocks?depth=1 snapshots?depth=1 pccs?depth=1 targetgroups?depth=1 backupunits?depth=1 ' +
    'labels um/users um/groups?depth=3 requests';
  const found: string[] = [];
  const gather = (one: ResourceBody): void => {
    const { name = '', version = '' } = one.properties ?? {};
    const last = one.metadata?.etag ?? one.metadata?.lastModifiedDate ?? '';
    const etag = one.type === 'user' ? '' : last; // a user's tells when they came last
    if (one.type !== 'collection') found.push(`${one.type} ${one.id} ${name} ${version} ${etag}`);
    for (const item of one.items ?? []) gather(item);
    for (const entity of Object.values(one.entities ?? {})) gather(entity);
  };
  const look = async (path: string): Promise<ResourceBody> => (await region.call('GET', path, undefined, options)).body;
  for (const place of places.split(' ')) gather(await look(`${core}/${place}`));
  for (const product of [monitoring, logging])
    for (const place of ['pipelines?limit=1000', 'central']) gather(await look(`${product}/${place}`));
  gather(await look('/autoscaling/groups?depth=3'));
  for (const { id } of (await look(`${core}/datacenters`)).items)
    gather(await look(`${core}/datacenters/${id}/applicationloadbalancers?depth=3`)); // they are shown nowhere else
  return found.sort();
}

// Operations that answer as Prometheus and Loki do, errors of the question included; those of Loki are plain texts.
export const isPromql = ({ path }: Operation): boolean => path.includes('/api/v1/');

export function assertPromql({ status, body }: Answer, about: string): void {
  if (status === 200) return;
  assert.ok([400, 404, 422].includes(status), `${about}: ${status} ${JSON.stringify(body)}`);
  if (typeof body === 'string' && body !== '') return;
  const { errorType, error } = body as unknown as { errorType: string; error: string };
  assert.ok(body.messages ?? (errorType && error), `${about}: ${JSON.stringify(body)}`);
}
