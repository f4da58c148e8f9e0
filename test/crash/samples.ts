// A sample of each declared resource: how one comes to be, is changed, and what else can be done with it. A resource
// or an act without a sample fails the tests until it has one.
import assert from 'node:assert/strict';
import { computeResources } from '../../src/compute/index.ts';
import { regional } from '../../src/core/dialect.ts';
import type { Resource } from '../../src/core/resource.ts';
import { identityResources, keyResources } from '../../src/identity/index.ts';
import { monitoringResources } from '../../src/monitoring/index.ts';
import { addDatacenter, addServer, disk, done, imageId, nicIn, small } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region } from '../harness/region.ts';
import { balancerSamples } from './samples-balancers.ts';
import { serverSamples } from './samples-servers.ts';

// Where one is made, when what it needs is there.
export interface Stand {
  at: string; // where it is listed and read
  body: object;
  post?: string; // where it is asked for, if that is elsewhere
}

export type Call = [method: string, path: string, body?: object];

export interface Sample {
  stand(region: Region): Promise<Stand>;
  stands?: Record<string, (region: Region) => Promise<Stand>>; // of other kinds of it
  fill?(region: Region, path: string): Promise<unknown>; // what is put in or beside it, once it is there
  change?: object; // what PATCH sends, or the properties of a PUT
  parts?: Record<string, string[]>; // what else its operations do: `volume create` is a part of `create`
  touches?: string[]; // what those of other kinds do besides
  acts?: Record<string, ActSample>;
}

export interface ActSample {
  stand?(region: Region): Promise<Stand>; // of one that this can be done with
  call(region: Region, path: string): Promise<Call>; // makes it ready for it
  shows: object; // properties that it shows afterwards
}

let count = 0;

const rule = { name: 'before', protocol: 'TCP', portRangeStart: 22, portRangeEnd: 22 };
const flowlog = { name: 'before', action: 'ALL', direction: 'BIDIRECTIONAL', bucket: 'flow-logs' };

const samples: Record<string, Sample> = {
  ...serverSamples,
  ...balancerSamples,
  datacenter: {
    stand: async () => ({
      at: `${core}/datacenters`,
      body: {
        properties: { name: 'before', location: 'de/txl' },
        entities: { lans: { items: [{ properties: { name: 'inside' } }] } },
      },
    }),
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
    change: { name: 'after', description: 'changed' },
    parts: { create: ['lan create'] },
  },
  lan: {
    stand: async (region) => ({
      at: `${await addDatacenter(region)}/lans`,
      body: { properties: { name: 'before', public: true } },
    }),
    change: { name: 'after', public: false },
  },
  ipblock: {
    stand: async () => ({
      at: `${core}/ipblocks`,
      body: { properties: { name: 'before', location: 'de/txl', size: 3 } },
    }),
    change: { name: 'after' },
  },
  user: {
    stand: async () => {
      const email = `sample${++count}@example.com`;
      const properties = { firstname: 'A', lastname: 'B', email, password: 'Sample-Password-1' };
      return { at: `${core}/um/users`, body: { properties } };
    },
    change: {},
  },
  group: {
    stand: async () => ({ at: `${core}/um/groups`, body: { properties: { name: 'before', reserveIp: true } } }),
    change: { name: 'after' },
  },
  firewallrule: {
    stand: async (region) => ({ at: `${await nicIn(region)}/firewallrules`, body: { properties: rule } }),
    change: { name: 'after', portRangeEnd: 23 },
  },
  flowlog: {
    stand: async (region) => ({ at: `${await nicIn(region)}/flowlogs`, body: { properties: flowlog } }),
    change: { name: 'after' },
  },
  securitygroup: {
    stand: async (region) => ({
      at: `${await addDatacenter(region)}/securitygroups`,
      body: {
        properties: { name: 'before', description: 'd' },
        entities: { rules: { items: [{ properties: rule }, { properties: { ...rule, name: 'other' } }] } },
      },
    }),
    fill: async (region, path) => {
      const datacenter = path.slice(0, path.indexOf('/securitygroups'));
      const nics = { items: [{ properties: { lan: 1 } }] };
      const server = await addServer(region, datacenter, {}, { nics });
      const id = path.split('/').at(-1);
      await done(region, 'PUT', `${server}/securitygroups`, { ids: [id] });
    },
    change: { name: 'after' },
    parts: { create: ['securitygrouprule create'], remove: ['server change'] },
  },
  securitygrouprule: {
    stand: async (region) => {
      const groups = `${await addDatacenter(region)}/securitygroups`;
      const { id } = await createDone(region, groups, { properties: { name: 'above' } });
      return { at: `${groups}/${id}/rules`, body: { properties: rule } };
    },
    change: { name: 'after', portRangeEnd: 23 },
  },
  pcc: {
    stand: async () => ({ at: `${core}/pccs`, body: { properties: { name: 'before' } } }),
    change: { name: 'after', description: 'changed' },
  },
  backupunit: {
    stand: async () => ({
      at: `${core}/backupunits`,
      body: { properties: { name: `sample${++count}`, password: 'Sample-Password-1', email: 'before@example.com' } },
    }),
    change: { email: 'after@example.com' },
  },
  metricpipeline: {
    stand: async () => ({ at: '/de-fra/monitoring/pipelines', body: { properties: { name: 'before' } } }),
  },
  cdrom: {
    stand: async (region) => ({
      at: `${await addServer(region, await addDatacenter(region))}/cdroms`,
      body: { id: await imageId(region, 'CDROM') },
    }),
  },
};

export const all: readonly Resource[] = [
  ...identityResources,
  ...keyResources,
  ...computeResources,
  ...monitoringResources,
] as Resource[];

export const isRegional = (kind: string): boolean => declared(kind).dialect === regional;

export const declared = (kind: string): Resource => {
  const found = all.find(({ name }) => name === kind);
  assert.ok(found, `${kind} is not declared`);
  return found;
};

export function sampleOf(kind: string): Sample {
  const sample = samples[kind];
  assert.ok(sample, `there is no sample of ${kind} in test/crash/samples.ts`);
  return sample;
}

export function actOf(kind: string, act: string): ActSample {
  const sample = sampleOf(kind).acts?.[act];
  assert.ok(sample, `there is no sample of ${kind} ${act} in test/crash/samples.ts`);
  return sample;
}
