// Lanes of what the state keeps: resources of the products, and reads.
import assert from 'node:assert/strict';
import { sampleCertificate } from '../../../src/testing/black-box/certificates.ts';
import { simpleRules } from '../../harness/alerts.ts';
import { autoscaling, groupIn } from '../../harness/autoscaling.ts';
import { addDatacenter } from '../../harness/landscape.ts';
import { addPerson, core, type PersonOfTest } from '../../harness/people.ts';
import type { Region, ResourceBody } from '../../harness/region.ts';
import { tokenId } from '../survey.ts';
import type { LaneWork } from './lane.ts';

interface Kind {
  name: string;
  place: string;
  everyMs: number;
  body(id: string): object;
  recorded?: LaneWork['recorded'];
}

// A lane that creates resources with unique names.
function creating(region: Region, { name, place, everyMs, body, recorded }: Kind): LaneWork {
  return {
    name,
    needs: [],
    everyMs,
    write: (id) => region.call('POST', place, { properties: body(id) }),
    stored: async (node = region) => (await allOf(node, place)).map(({ properties }) => String(properties.name)),
    ...(recorded && { recorded }),
  };
}

// A user has a hundred tokens at most.
async function tokenLane(region: Region, created: () => Promise<string[]>): Promise<LaneWork> {
  const people: PersonOfTest[] = [];
  for (let added = 0; added < 8; added++) people.push(await addPerson(region));
  const written = new Map<string, string>(); // a write by the id of its token
  let sent = 0;
  return {
    name: 'tokens',
    needs: [],
    everyMs: 3000,
    async write(id) {
      const { token = null } = people[sent++ % people.length] ?? {};
      const answer = await region.call('GET', '/auth/v1/tokens/generate', undefined, { token });
      if (answer.status === 200) written.set(tokenId(String(answer.body.token)), id);
      return answer;
    },
    async stored(node = region) {
      const found: string[] = [];
      for (const { token } of people) {
        const { body } = await node.call<{ tokens: { id: string }[] }>('GET', '/auth/v1/tokens', undefined, {
          token,
        });
        found.push(...body.tokens.map(({ id }) => id).filter((id) => id !== tokenId(token)));
      }
      assert.ok(found.length <= sent, `${sent} calls created ${found.length} tokens`);
      return found.map((id) => written.get(id) ?? id);
    },
    recorded: async () => (await created()).map((id) => written.get(id) ?? id),
  };
}

const reading = (region: Region, name: string, path: string): LaneWork => ({
  name,
  needs: [],
  everyMs: 250,
  write: (_, node = region) => node.call('GET', path),
});

// `secure`: the same region by HTTPS. `recorded`: see recordedIn.
export async function resourceLanes(
  region: Region,
  secure: Region,
  recorded: () => Promise<string[]>,
): Promise<LaneWork[]> {
  const datacenter = await addDatacenter(region);
  const scaled = await addDatacenter(region);
  const records = await addZone(region, 'outside.example.com');
  const secureRecords = await addZone(region, 'secure.example.com');
  const { certificate, certificateChain, privateKey } = sampleCertificate;
  const pem = { certificate, certificateChain, privateKey };
  const address = (name: string): object => ({ name, type: 'A', content: '192.0.2.1', ttl: 300 });
  const rule = { expression: 'vector(0)', comparison: '>', threshold: 1 };
  return [
    creating(region, {
      ...{ name: 'networks', place: `${datacenter}/lans`, everyMs: 300, recorded },
      body: (name) => ({ name, public: false }),
    }),
    creating(region, {
      ...{ name: 'groups', place: `${core}/um/groups`, everyMs: 300, recorded },
      body: (name) => ({ name }),
    }),
    creating(region, { name: 'DNS records', place: records, everyMs: 300, body: address, recorded }),
    creating(secure, { name: 'DNS records by HTTPS', place: secureRecords, everyMs: 300, body: address, recorded }),
    creating(region, {
      ...{ name: 'certificates', place: '/certificate-manager/certificates', everyMs: 1500, recorded },
      body: (name) => ({ name, ...pem }),
    }),
    creating(region, {
      ...{ name: 'scaling groups', place: `${autoscaling}/groups`, everyMs: 5000, recorded },
      body: (name) => ({ ...groupIn(scaled), name, maxReplicaCount: 1 }),
    }),
    // A contract may have 200. The entry of a rule names the group of all such rules.
    creating(region, {
      ...{ name: 'alert rules', place: simpleRules, everyMs: 4000 },
      body: (name) => ({ name, ...rule }),
    }),
    await tokenLane(region, recorded),
    reading(region, 'activity log', `/activitylog/v1/contracts/${region.contract}?limit=10`),
    reading(region, 'billing', `/billing/${region.contract}/usage`),
  ];
}

async function addZone(region: Region, zoneName: string): Promise<string> {
  const { status, body } = await region.call('POST', '/dns/zones', { properties: { zoneName } });
  assert.ok(status < 300, JSON.stringify(body));
  return `/dns/zones/${body.id}/records`;
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
