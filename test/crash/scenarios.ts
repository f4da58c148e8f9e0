// How the operations of each declared resource are tried: by the samples of the declarations, and here by what they
// can't say: composite bodies, variants, what else an operation does, and actions. An action needs an entry here.
import assert from 'node:assert/strict';
import type { Values } from '../../src/testing/black-box/declarations.ts';
import { settled } from '../certificates/certificates.ts';
import { addDatacenter, addServer, disk, done, imageId, small } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import type { Region } from '../harness/region.ts';
import { declared, makeSample, propertiesOf, type Stand, standOf } from '../harness/samples.ts';
import { serverScenarios } from './scenarios-servers.ts';

export type Call = [method: string, path: string, body?: object];

export interface Scenario {
  stand(region: Region): Promise<Stand>;
  stands?: Record<string, (region: Region) => Promise<Stand>>; // of other kinds of it
  fill?(region: Region, path: string): Promise<unknown>; // creates resources in it or next to it, once it exists
  change: Values; // what PATCH sends, or the properties of a PUT
  parts?: Record<string, string[]>; // what else its operations do: `volume create` is a part of `create`
  touches?: string[]; // the side effects of other kinds
  acts?: Record<string, ActScenario>;
}

export interface ActScenario {
  stand?(region: Region): Promise<Stand>; // of one that this can be done with
  call(region: Region, path: string): Promise<Call>; // makes it ready for it
  shows: object; // properties that it shows afterwards
}

// Its sample with samples of others inside.
async function withInside(region: Region, kind: string, inside: Record<string, string[]>): Promise<Stand> {
  const stand = await standOf(region, kind);
  const above = new Map([['parent', { id: '', properties: stand.body.properties ?? {} }]]);
  const entities: Record<string, object> = {};
  for (const [name, kinds] of Object.entries(inside)) {
    const items = [];
    for (const one of kinds) {
      const near = new Map(above);
      for (const [role, needed] of Object.entries(declared(one).sample?.needs ?? {})) {
        const { id, properties } = (await region.call('GET', await makeSample(region, needed))).body;
        near.set(role, { id, properties: properties as Values });
      }
      items.push({ properties: propertiesOf(declared(one), near) });
    }
    entities[name] = { items };
  }
  return { ...stand, body: { ...stand.body, entities } };
}

const inside = (kind: string, entities: Record<string, string[]>) => (region: Region) =>
  withInside(region, kind, entities);

const scenarios: Record<string, Partial<Scenario>> = {
  ...serverScenarios,
  datacenter: {
    stand: inside('datacenter', { lans: ['lan'] }),
    stands: {
      whole: async () => {
        const lans = { items: [{ properties: { name: 'inside', public: true } }] };
        const nics = { items: [{ properties: { lan: 1 } }, { properties: { lan: 9 } }] };
        const volumes = { items: [{ properties: disk }] };
        const servers = { items: [{ properties: small, entities: { volumes, nics } }] };
        const properties = { name: 'before', location: 'de/txl' };
        return { at: `${core}/datacenters`, body: { properties, entities: { lans, servers } } };
      },
    },
    touches: ['server create', 'volume create', 'nic create'],
    fill: async (region, path) =>
      addServer(region, path, {}, { nics: { items: [{ properties: { lan: 1 } }, { properties: { lan: 9 } }] } }),
    parts: { create: ['lan create'] },
  },
  lan: {
    stand: async (region) => ({
      at: `${await addDatacenter(region)}/lans`,
      body: { properties: { name: 'before', public: true } },
    }),
    change: { name: 'after', public: false },
  },
  securitygroup: {
    stand: inside('securitygroup', { rules: ['securitygrouprule', 'securitygrouprule'] }),
    fill: async (region, path) => {
      const datacenter = path.slice(0, path.indexOf('/securitygroups'));
      const nics = { items: [{ properties: { lan: 1 } }] };
      const server = await addServer(region, datacenter, {}, { nics });
      const id = path.split('/').at(-1);
      await done(region, 'PUT', `${server}/securitygroups`, { ids: [id] });
    },
    parts: { create: ['securitygrouprule create'], remove: ['server change'] },
  },
  networkloadbalancer: {
    stand: inside('networkloadbalancer', { forwardingrules: ['networkforwardingrule'] }),
    parts: { create: ['networkforwardingrule create'] },
  },
  applicationloadbalancer: {
    stand: inside('applicationloadbalancer', { forwardingrules: ['applicationforwardingrule'] }),
    parts: { create: ['applicationforwardingrule create'] },
  },
  natgateway: {
    stand: inside('natgateway', { rules: ['natgatewayrule'] }),
    parts: { create: ['natgatewayrule create'] },
  },
  autocertificate: { fill: async (region, path) => settled(region, path.slice(path.lastIndexOf('/') + 1)) },
  loadbalancer: {
    stand: async (region) => {
      const datacenter = await addDatacenter(region);
      const nics = { items: [{ properties: { lan: 1 } }, { properties: { lan: 1 } }] };
      const server = await addServer(region, datacenter, {}, { nics });
      const { items } = (await region.call('GET', `${server}/nics`)).body;
      const balancednics = { items: items.map(({ id }) => ({ id })) };
      return {
        at: `${datacenter}/loadbalancers`,
        body: { properties: { name: 'before' }, entities: { balancednics } },
      };
    },
    parts: { create: ['nic balance'], remove: ['nic unbalance'] },
  },
  cdrom: {
    stand: async (region) => ({
      at: `${await addServer(region, await addDatacenter(region))}/cdroms`,
      body: { id: await imageId(region, 'CDROM') },
    }),
  },
};

export const scenarioOf = (kind: string): Scenario => ({
  stand: (region) => standOf(region, kind),
  change: declared(kind).sample?.change ?? {},
  ...scenarios[kind],
});

export function actOf(kind: string, act: string): ActScenario {
  const scenario = scenarioOf(kind).acts?.[act];
  assert.ok(scenario, `${kind} ${act} has no scenario in test/crash/scenarios.ts`);
  return scenario;
}
