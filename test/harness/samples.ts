// Creates one of any declared resource in a region, by the samples of the declarations, with its parents and the
// resources that it needs.
import assert from 'node:assert/strict';
import {
  resources as all,
  type Neighbour,
  type Resource,
  sampleProperties,
  type Values,
} from '../../src/testing/black-box/declarations.ts';
import { provideBuckets } from './objects.ts';
import { core } from './people.ts';
import { type Answer, type Region, waitRequest } from './region.ts';

export { all };

export const declared = (kind: string): Resource => {
  const found = all.find(({ name }) => name === kind);
  assert.ok(found, `${kind} is not declared`);
  return found;
};

export const isRegional = (kind: string): boolean => declared(kind).dialect.name.startsWith('regional');

export const isScaling = (kind: string): boolean => declared(kind).dialect.name === 'autoscaling';

// The place of a creation, when the needed resources exist.
export interface Stand {
  at: string; // where it is listed and read
  body: { properties?: Values; [name: string]: unknown };
  post?: string; // the path of the POST, if it differs
}

let count = 0;

// `made`: the paths of existing resources, by the name of the resource; new ones are added.
export async function standOf(region: Region, kind: string, made = new Map<string, string>()): Promise<Stand> {
  const at = await placeOf(region, declared(kind), made);
  return { at, body: await bodyFor(region, kind, at, made) };
}

// A body that can be posted to a place of its kind.
export async function bodyFor(region: Region, kind: string, at: string, made: Map<string, string>) {
  const resource = declared(kind);
  const near = new Map<string, Neighbour>();
  if (resource.parents.length > 0) near.set('parent', await shown(region, at.slice(0, at.lastIndexOf('/'))));
  for (const [role, needed] of Object.entries(resource.sample?.needs ?? {}))
    near.set(role, await shown(region, await makeSample(region, needed, made)));
  const properties = propertiesOf(resource, near);
  return { properties: typeof properties.bucket === 'string' ? await withBucket(region, properties) : properties };
}

// A bucket belongs to one contract, and its name is taken for all of them.
async function withBucket(region: Region, properties: Values): Promise<Values> {
  const bucket = `${properties.bucket}-${region.contract}`;
  await provideBuckets(region, bucket);
  return { ...properties, bucket };
}

export function propertiesOf(resource: Resource, near: ReadonlyMap<string, Neighbour> = new Map()): Values {
  const neighbour = (role: string): Neighbour => {
    const found = near.get(role);
    assert.ok(found, `the sample of ${resource.name} asks for ${role}, which its needs do not name`);
    return found;
  };
  return sampleProperties(resource, neighbour, `sample${++count}`);
}

export async function makeSample(region: Region, kind: string, made = new Map<string, string>()): Promise<string> {
  const path = await make(region, await standOf(region, kind, made));
  if (!made.has(kind)) made.set(kind, path);
  return path;
}

async function placeOf(region: Region, { name, parents, plural }: Resource, made: Map<string, string>) {
  const [parent] = parents;
  if (parent) return `${made.get(parent.name) ?? (await makeSample(region, parent.name, made))}/${plural}`;
  collections ??= collectionsOf(region);
  const found = (await collections).get(name);
  assert.ok(found, `no service lists ${name}: add routesOf to its routes`);
  return found;
}

// The paths of the lists of all resources without a parent, as the console finds them.
let collections: Promise<ReadonlyMap<string, string>> | undefined;

async function collectionsOf(region: Region): Promise<ReadonlyMap<string, string>> {
  const { body } = await region.call<{ resources: ListedModel[] }>('GET', '/console/model');
  const tops = body.resources.filter(({ parent }) => parent === undefined);
  return new Map(
    tops.map(({ name, isRegional, prefix, collection }) => [
      name,
      `${isRegional ? '/de-fra' : ''}${prefix}${collection}`,
    ]),
  );
}

interface ListedModel {
  name: string;
  parent?: string;
  isRegional: boolean;
  prefix: string; // of the service: /cloudapi/v6
  collection: string; // below it: /datacenters
}

async function shown(region: Region, path: string): Promise<Neighbour> {
  const { status, body } = await region.call('GET', path);
  assert.equal(status, 200, `${path}: ${JSON.stringify(body)}`);
  return { id: body.id, properties: body.properties as Values };
}

// Creates one, without children and entities, and returns its path.
export async function make(region: Region, { at, post = at, body }: Stand): Promise<string> {
  const answer = await region.call('POST', post, body);
  assert.ok(answer.status < 300, `POST ${post}: ${JSON.stringify(answer.body)}`);
  const { metadata } = await waitRequest(region, requestOf(answer));
  assert.equal(metadata.status, 'DONE', String(metadata.message));
  return `${at}/${answer.body.id}`;
}

// Regional services send no Location, but the id of a request is enough to follow it.
export const requestOf = ({ headers }: Answer): string =>
  headers.location ?? `${core}/requests/${headers['x-request-id']}/status`;
