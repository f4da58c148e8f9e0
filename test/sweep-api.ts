// All operations of a region as its own OpenAPI documents tell them, and a small world of real resources to put
// into their paths. A path parameter nobody knows fails the sweep until it is known here.
import assert from 'node:assert/strict';
import { addGroup, addPerson, core, type PersonOfTest, tokenOf } from './people.ts';
import { cumulet } from './process.ts';
import { type Answer, type CallOptions, createDone, type Owner, type Region, type Shown } from './region.ts';

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
  isOpen: boolean;
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
  requestBody?: { content: Record<string, { schema: Schema }> };
}

export async function operationsOf(region: Region): Promise<Operation[]> {
  const { body } = await region.call<{ services: { name: string; openapi: string }[] }>('GET', '/');
  const all: Operation[] = [];
  for (const { name, openapi } of body.services) {
    const { body: document } = await region.call<Document>('GET', new URL(openapi).pathname);
    const base = new URL(document.servers[0]?.url ?? '').pathname.replace(/\/$/, '');
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, described] of Object.entries(methods)) {
        all.push(operation(name, method.toUpperCase(), base + path, described));
      }
    }
  }
  assert.ok(all.length > 60, `only ${all.length} operations are told`);
  return all;
}

const operation = (service: string, method: string, path: string, described: Described): Operation => ({
  service,
  id: described.operationId,
  method,
  path,
  isOpen: described.security.length === 0,
  takesBasic: described.security.some((one) => 'basic' in one),
  query: (described.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name),
  body: described.requestBody?.content['application/json']?.schema,
});

export interface World {
  ids: Record<string, string>;
  user: PersonOfTest; // of the same contract, without any privilege
  other: { contract: number; basic: Owner; token: string }; // the owner of another contract
}

// Real things for every parameter. The user whose id is used is not the one whose token is.
export async function worldOf(region: Region): Promise<World> {
  const properties = { name: 'swept', location: 'de/txl' };
  const datacenter = await createDone(region, `${core}/datacenters`, { properties });
  const lan = await createDone(region, `${core}/datacenters/${datacenter.id}/lans`, { properties: { name: 'swept' } });
  const ipblock = await createDone(region, `${core}/ipblocks`, { properties: { ...properties, size: 1 } });
  for (const place of [`datacenters/${datacenter.id}`, `ipblocks/${ipblock.id}`]) {
    await createDone(region, `${core}/${place}/labels`, { properties: { key: 'swept', value: 'x' } });
  }
  const person = await addPerson(region);
  const group = await addGroup(region, ['createDataCenter', 's3Privilege'], [person.user]);
  const key = await createDone(region, `${core}/um/users/${person.user.id}/s3keys`, { properties: {} });
  await expect(region.call('POST', `${core}/um/groups/${group.id}/shares/${datacenter.id}`, { properties: {} }), 202);
  const request = (await region.call('GET', `${core}/requests?limit=1`)).body.items[0] as Shown;
  const tokens = await region.call<{ tokens: { id: string }[] }>('GET', '/auth/v1/tokens');
  const ids = {
    datacenterId: datacenter.id,
    lanId: lan.id,
    ipblockId: ipblock.id,
    labelId: 'swept',
    labelUrn: `urn:label:datacenter:${datacenter.id}:swept`,
    userId: person.user.id,
    groupId: group.id,
    s3keyId: key.id,
    resourceType: 'datacenter',
    resourceId: datacenter.id,
    requestId: request.id,
    tokenId: tokens.body.tokens[0]?.id ?? '',
    contractNumber: String(region.contract),
    regionId: 'de',
    locationId: 'fra',
    siteId: '2',
    document: 'cloudapi.json',
    asset: 'page.css',
  };
  return { ids, user: await addPerson(region), other: await secondContract(region) };
}

export async function secondContract(region: Region): Promise<World['other']> {
  const args = ['contract', 'add', '--owner', 'other@example.com', '--number', '31000002', '--json'];
  const { code, stdout, stderr } = await cumulet([...args, '--data', region.data]);
  assert.equal(code, 0, stderr);
  const added = JSON.parse(stdout) as { contract: number; email: string; password: string };
  const basic = { email: added.email, password: added.password };
  return { contract: added.contract, basic, token: await tokenOf(region, basic) };
}

export function fill({ path }: Pick<Operation, 'path'>, ids: Record<string, string>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const id = ids[name];
    assert.ok(id, `nobody knows a ${name} for ${path}: put one into sweep-api.ts`);
    return encodeURIComponent(id);
  });
}

export const namesIn = ({ path }: Operation): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');

// The platform's payload of a failure, of that status, as JSON.
export function assertPayload(
  { status, headers, body }: Answer<unknown>,
  statuses: number | number[],
  what: string,
): void {
  const told = `${what}: ${status} ${JSON.stringify(body)?.slice(0, 300)}`;
  assert.ok([statuses].flat().includes(status), `${told}, not ${statuses}`);
  assert.match(String(headers['content-type']), /^application\/json/, told);
  const { httpStatus, messages } = body as { httpStatus?: unknown; messages?: unknown };
  assert.equal(httpStatus, status, told);
  assert.ok(Array.isArray(messages) && messages.length > 0, told);
  for (const { errorCode, message } of messages as Record<string, unknown>[]) {
    assert.equal(typeof errorCode, 'string', told);
    assert.ok(typeof message === 'string' && message.length > 0, told);
  }
}

export async function expect(call: Promise<Answer>, status: number): Promise<Answer> {
  const answer = await call;
  assert.equal(answer.status, status, JSON.stringify(answer.body));
  return answer;
}

// Everything that exists, to see that refused calls made nothing.
export async function inventory(region: Region, options: CallOptions = {}): Promise<string[]> {
  const places = [
    '/datacenters?depth=3',
    '/ipblocks?depth=1',
    '/labels',
    '/um/users',
    '/um/groups?depth=3',
    '/requests',
  ];
  const ids: string[] = [];
  const gather = (one: Shown): void => {
    if (one.type !== 'collection') ids.push(`${one.type} ${one.id} ${String(one.properties?.name ?? '')}`);
    for (const item of one.items ?? []) gather(item);
    for (const entity of Object.values(one.entities ?? {})) gather(entity);
  };
  for (const place of places) gather((await region.call('GET', `${core}${place}`, undefined, options)).body);
  return ids.sort();
}
