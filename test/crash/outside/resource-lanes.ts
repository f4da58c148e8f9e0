// Lanes of what the state keeps: resources of the products, and reads.
import assert from 'node:assert/strict';
import { sampleCertificate } from '../../../src/testing/black-box/certificates.ts';
import { simpleRules } from '../../harness/alerts.ts';
import { autoscaling, groupIn } from '../../harness/autoscaling.ts';
import { addDatacenter } from '../../harness/landscape.ts';
import { core } from '../../harness/people.ts';
import type { Region, ResourceBody } from '../../harness/region.ts';
import type { LaneWork } from './lane.ts';

interface Kind {
  name: string;
  place: string;
  everyMs: number;
  body(id: string): object;
  idOf?(resource: ResourceBody): string;
}

// A lane that creates resources with unique names.
function creating(region: Region, { name, place, everyMs, body, idOf }: Kind): LaneWork {
  const nameOf = idOf ?? (({ properties }) => String(properties.name));
  return {
    name,
    needs: [],
    everyMs,
    write: (id) => region.call('POST', place, { properties: body(id) }),
    stored: async () => (await allOf(region, place)).map(nameOf),
  };
}

const reading = (region: Region, name: string, path: string): LaneWork => ({
  name,
  needs: [],
  everyMs: 250,
  write: () => region.call('GET', path),
});

export async function resourceLanes(region: Region): Promise<LaneWork[]> {
  const datacenter = await addDatacenter(region);
  const scaled = await addDatacenter(region);
  const zone = await region.call('POST', '/dns/zones', { properties: { zoneName: 'outside.example.com' } });
  assert.ok(zone.status < 300, JSON.stringify(zone.body));
  const { certificate, certificateChain, privateKey } = sampleCertificate;
  const pem = { certificate, certificateChain, privateKey };
  const rule = { expression: 'vector(0)', comparison: '>', threshold: 1 };
  return [
    creating(region, {
      ...{ name: 'networks', place: `${datacenter}/lans`, everyMs: 300 },
      body: (name) => ({ name, public: false }),
    }),
    creating(region, { name: 'groups', place: `${core}/um/groups`, everyMs: 300, body: (name) => ({ name }) }),
    creating(region, {
      ...{ name: 'DNS records', place: `/dns/zones/${zone.body.id}/records`, everyMs: 300 },
      body: (name) => ({ name, type: 'A', content: '192.0.2.1', ttl: 300 }),
    }),
    creating(region, {
      ...{ name: 'certificates', place: '/certificate-manager/certificates', everyMs: 1500 },
      body: (name) => ({ name, ...pem }),
    }),
    creating(region, {
      ...{ name: 'scaling groups', place: `${autoscaling}/groups`, everyMs: 5000 },
      body: (name) => ({ ...groupIn(scaled), name, maxReplicaCount: 1 }),
    }),
    creating(region, {
      ...{ name: 'alert rules', place: simpleRules, everyMs: 2000 },
      body: (name) => ({ name, ...rule }),
    }),
    reading(region, 'activity log', `/activitylog/v1/contracts/${region.contract}?limit=10`),
    reading(region, 'billing', `/billing/${region.contract}/usage`),
  ];
}

const pageSize = 500;

export async function allOf(region: Region, place: string): Promise<ResourceBody[]> {
  const found: ResourceBody[] = [];
  // not a wait: it reads pages
  for (;;) {
    const { status, body } = await region.call('GET', `${place}?depth=1&limit=${pageSize}&offset=${found.length}`);
    assert.equal(status, 200, JSON.stringify(body));
    found.push(...body.items);
    if (body.items.length < pageSize) return found;
  }
}
