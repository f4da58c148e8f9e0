// Sample bodies of forms, generated from the schemas of operations.

import type { Call } from '../../../console/resources/client-commands/call.ts';
import type { FieldSchema } from '../../../console/resources/model.ts';

type Extent = 'everything' | 'needed';

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  readOnly?: boolean;
  items?: Schema;
}

export const sampleOf = (schema: FieldSchema | undefined, extent: Extent): unknown =>
  schema && sampleValue(schema as Schema, extent);

const sampleId = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

// Values that schemas do not contain, by name or path of the property.
const usual: Readonly<Record<string, unknown>> = {
  id: sampleId,
  datacenterId: sampleId,
  image: sampleId,
  serverCertificates: [sampleId],
  sourceIp: '10.0.0.1',
  targetIp: '10.0.0.2',
  sourceMac: '02:01:00:00:00:01',
  protocol: 'TCP',
  'properties.logs.protocol': 'tcp',
  'properties.lans.id': 1,
  condition: 'EXISTS',
  statusCode: 301,
  retries: 1,
};

// Forms show only `properties`.
const around = new Set(['entities', 'metadata']);

function sampleValue(schema: Schema, extent: Extent, path = ''): unknown {
  const example = schema.examples?.[0] ?? schema.enum?.[0] ?? usual[path] ?? usual[path.split('.').at(-1) ?? ''];
  if (example !== undefined) return example;
  if (schema.items) return [sampleValue(schema.items, extent, path)];
  if (!schema.properties) return schema.default ?? plainOf(schema);
  const named = Object.entries(schema.properties).filter(([name, { readOnly }]) => !readOnly && !around.has(name));
  return Object.fromEntries(
    named
      .filter(([name]) => name === 'properties' || extent === 'everything' || schema.required?.includes(name))
      .map(([name, one]) => [name, sampleValue(one, extent, path === '' ? name : `${path}.${name}`)]),
  );
}

function plainOf({ type, minimum }: Schema): unknown {
  const kind = [type].flat()[0];
  if (kind === 'integer' || kind === 'number') return minimum ?? 1;
  return kind === 'boolean' ? true : 'example';
}

// The paths of all writable values: `healthCheck.retries`, in lists without index.
export function pathsIn(schema: FieldSchema | undefined, path = ''): string[] {
  const { properties, items } = (schema ?? {}) as Schema;
  const inner = properties ?? items?.properties ?? {};
  return Object.entries(inner).flatMap(([name, one]) => [
    path + name,
    ...pathsIn(one as FieldSchema, `${path}${name}.`),
  ]);
}

// The schema of `properties`.
export const ownSchema = (schema: FieldSchema | undefined): FieldSchema | undefined =>
  ((schema as Schema | undefined)?.properties?.properties as FieldSchema | undefined) ?? schema;

export const paramsOf = (path: string): Record<string, string> =>
  Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => [name ?? '', sampleId]));

// The calls of the form for the first server of a datacenter: a preceding call for the LAN, and a server with boot
// volume and NIC.
export function firstServer(datacenterId: string): Call {
  const params = { datacenterId };
  const of = (operation: string, collection: string, body: unknown): Call => ({
    operation: { operation, method: 'POST', path: `/datacenters/{datacenterId}/${collection}` },
    url: `/cloudapi/v6/datacenters/${datacenterId}/${collection}`,
    params,
    body,
  });
  const disk = { name: 'boot', type: 'HDD', size: 10, imageAlias: 'ubuntu:latest', imagePassword: 'hidden' };
  const entities = {
    volumes: { items: [{ properties: disk }] },
    nics: { items: [{ properties: { dhcp: true } }] },
  };
  const lan = of('lan_create', 'lans', { properties: { public: true } });
  const idAt = ['entities', 'nics', 'items', '0', 'properties', 'lan'];
  return {
    ...of('server_create', 'servers', { properties: { name: 'web', cores: 1, ram: 2048 }, entities }),
    before: [{ name: 'lan', idAt, call: lan }],
  };
}
