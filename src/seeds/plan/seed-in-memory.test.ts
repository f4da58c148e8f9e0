// Places in a seed that is in no file, for messages.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Section } from '../../surface/docs/seed-sections.ts';
import { seedInMemory } from './seed-in-memory.ts';

const section = (name: string, plural: string, children: Section[] = []): Section =>
  ({ key: plural, resource: { name, plural, properties: { name: {} } }, children, entities: [] }) as unknown as Section;

test('a place is the name of a resource and of those that contain it', () => {
  const nic = section('nic', 'nics');
  const server = section('server', 'servers', [nic]);
  const volume = section('volume', 'volumes');
  const datacenter = section('datacenter', 'datacenters', [server, volume]);
  server.parent = datacenter;
  const web = { name: 'web', nics: [{ ips: ['10.0.0.1'] }], volumes: [{ name: 'disk' }] };
  const seed = { datacenters: [{ name: 'shop', servers: [web] }], buckets: [{ name: 'assets', policy: {} }] };
  const { placeOf } = seedInMemory(seed, new Map([['datacenters', datacenter]]));
  const places: [string, ...(string | number)[]][] = [
    ['server web of datacenter shop', 'datacenters', 0, 'servers', 0, 'cores'],
    ['nic 1 of server web of datacenter shop', 'datacenters', 0, 'servers', 0, 'nics', 0, 'ips', 0],
    ['volume disk of server web of datacenter shop', 'datacenters', 0, 'servers', 0, 'volumes', 0],
    ['bucket assets', 'buckets', 0, 'policy'],
  ];
  for (const [place, ...path] of places) assert.equal(placeOf(path), place);
});
