// Which running servers count as idle, and the notes about parts that can't be read.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json, Values } from '../../base/json.ts';
import { Failure } from '../client/failure.ts';
import type { Query } from '../client/platform-api.ts';
import type { ToolContext } from '../tool.ts';
import { findUnused } from './unused.ts';

const measured: Record<string, { average: number; hours: number }> = {
  new: { average: 0, hours: 1 },
  young: { average: 1, hours: 30 },
  old: { average: 1, hours: 168 },
  busy: { average: 50, hours: 168 },
};

const answers: Record<string, Json> = {
  '/datacenters': { items: [{ id: 'dc', properties: { name: 'dc' } }] },
  '/datacenters/dc': { id: 'dc', properties: { name: 'dc' } },
  '/datacenters/dc/servers': {
    items: [...Object.keys(measured), 'never'].map((id) => ({ id, properties: { name: id, vmState: 'RUNNING' } })),
  },
  '/central': { items: [{ id: 'own', properties: { enabled: true } }] },
};

const vector = (query: string): Json => ({
  data: {
    resultType: 'vector',
    result: Object.entries(measured).map(([id, { average, hours }]) => ({
      metric: { instance_id: id },
      value: [0, String(query.includes('/') ? average : hours)],
    })),
  },
});

const context = {
  now: () => 0,
  api: {
    object: async (service: string, path: string, query: Query = {}) => {
      if (service === 'billing') throw new Failure('403: no prices');
      return path.endsWith('/query') ? vector(String(query.query)) : (answers[path] ?? {});
    },
    json: async () => {
      throw new Failure('403: no prices');
    },
  },
  storage: {
    get: async () => {
      throw new Failure('403: SignatureDoesNotMatch');
    },
  },
} as unknown as ToolContext;

test('[TOOLS-02] a server is idle by at least a day of samples, and a wrong S3 key loses no other finding', async () => {
  const { found, notes } = (await findUnused.read({}, context)) as unknown as { found: Values[]; notes: string[] };
  assert.deepEqual(
    found.map(({ id, why }) => [id, why]),
    [
      ['young', 'It used 1.00 % of its CPU on average over the 30 hours of the last 7 days in which it was measured.'],
      ['old', 'It used 1.00 % of its CPU on average over the last 7 days.'],
    ],
  );
  assert.ok(notes.some((note) => /Running servers measured for less than a day, which may be idle: 2\./.test(note)));
  assert.ok(notes.some((note) => note === 'Buckets were not checked: 403: SignatureDoesNotMatch'));
});

test('[TOOLS-02] a volume of the 1,001st server is attached to it', async () => {
  const ids = Array.from({ length: 1500 }, (_, at) => `${at}`);
  const properties = { name: 'x', vmState: 'RUNNING' };
  const all: Record<string, Values[]> = {
    '/datacenters': [{ id: 'dc', properties }],
    '/datacenters/dc/servers': ids.map((id) => ({ id, properties, entities: { volumes: { items: [{ id }] } } })),
    '/datacenters/dc/volumes': ids.map((id) => ({ id, properties })),
  };
  const usual = 1000; // of the core API
  const api = {
    ...context.api,
    object: async (_: string, path: string, { limit = usual }: Query = {}) =>
      path === '/datacenters/dc' ? { id: 'dc', properties } : { items: (all[path] ?? []).slice(0, Number(limit)) },
  };
  const { found } = (await findUnused.read({}, { ...context, api } as unknown as ToolContext)) as unknown as {
    found: Values[];
  };
  assert.deepEqual(found, []);
});
