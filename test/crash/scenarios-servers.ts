// The scenarios for operations of servers, and of the resources in and around them.

import {
  addDatacenter,
  addServer,
  addVolume,
  das,
  disk,
  done,
  imageId,
  publicLan,
  small,
  templateId,
} from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region } from '../harness/region.ts';
import type { Stand } from '../harness/samples.ts';
import type { Scenario } from './scenarios.ts';

const rule = { name: 'ssh', protocol: 'TCP', portRangeStart: 22, portRangeEnd: 22 };
const two = { items: [{ properties: disk }, { properties: { ...disk, name: 'other', type: 'SSD' } }] };
// On LANs that are not there yet.
const nics = {
  items: [
    {
      properties: { lan: 21, name: 'first', firewallActive: true },
      entities: { firewallrules: { items: [{ properties: rule }] } },
    },
    { properties: { lan: 22, name: 'second' } },
  ],
};

const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const datacenterOf = (path: string): string => path.split('/').slice(0, 5).join('/');

// With an address that is lent only while it runs.
async function online(region: Region): Promise<Stand> {
  const datacenter = await addDatacenter(region);
  const lan = await publicLan(region, datacenter);
  const entities = { volumes: { items: [{ properties: disk }] }, nics: { items: [{ properties: { lan } }] } };
  return { at: `${datacenter}/servers`, body: { properties: small, entities } };
}

async function cube(region: Region): Promise<Stand> {
  const properties = { name: 'before', type: 'CUBE', templateUuid: await templateId(region) };
  const entities = { volumes: das, nics: { items: [{ properties: { lan: 1 } }] } };
  return { at: `${await addDatacenter(region)}/servers`, body: { properties, entities } };
}

const plainly = (verb: string, shows: object) => ({
  stand: online,
  call: async (_: Region, path: string): Promise<['POST', string]> => ['POST', `${path}/${verb}`],
  shows,
});

export const serverScenarios: Record<string, Partial<Scenario>> = {
  server: {
    stand: async (region) => ({
      at: `${await addDatacenter(region)}/servers`,
      body: { properties: { ...small, name: 'before', cores: 2 }, entities: { volumes: two, nics } },
    }),
    stands: {
      CUBE: cube,
      booting: async (region) => {
        const datacenter = await addDatacenter(region);
        const bootVolume = { id: await addVolume(region, datacenter) };
        return { at: `${datacenter}/servers`, body: { properties: { ...small, bootVolume } } };
      },
      VCPU: async (region) => {
        const { at, body } = await online(region);
        return { at, body: { ...body, properties: { ...small, type: 'VCPU' } } };
      },
    },
    parts: {
      create: ['volume create', 'nic create', 'firewallrule create', 'lan create'],
      remove: ['volume detach'],
      start: ['nic change'],
      stop: ['nic change'],
    },
    touches: ['volume remove', 'volume attach'],
    acts: {
      start: {
        stand: online,
        call: async (region, path) => {
          await done(region, 'POST', `${path}/stop`);
          return ['POST', `${path}/start`];
        },
        shows: { vmState: 'RUNNING' },
      },
      stop: plainly('stop', { vmState: 'SHUTOFF' }),
      reboot: plainly('reboot', { vmState: 'RUNNING' }),
      upgrade: plainly('upgrade', { vmState: 'RUNNING' }),
      suspend: { ...plainly('suspend', { vmState: 'SUSPENDED' }), stand: cube },
      resume: {
        stand: cube,
        call: async (region, path) => {
          await done(region, 'POST', `${path}/suspend`);
          return ['POST', `${path}/resume`];
        },
        shows: { vmState: 'RUNNING' },
      },
    },
  },
  volume: {
    stand: async (region) => ({
      at: `${await addDatacenter(region)}/volumes`,
      body: { properties: { ...disk, name: 'before' } },
    }),
    stands: {
      attached: async (region) => {
        const datacenter = await addDatacenter(region);
        const post = `${await addServer(region, datacenter)}/volumes`;
        return { at: `${datacenter}/volumes`, post, body: { properties: { ...disk, name: 'before' } } };
      },
    },
    acts: {
      attach: {
        call: async (region, path) => {
          const server = await addServer(region, datacenterOf(path));
          return ['POST', `${server}/volumes`, { id: idOf(path) }];
        },
        shows: { deviceNumber: 1, pciSlot: 5 },
      },
      detach: {
        call: async (region, path) => {
          const server = await addServer(region, datacenterOf(path), {}, { volumes: two });
          await done(region, 'POST', `${server}/volumes`, { id: idOf(path) });
          return ['DELETE', `${server}/volumes/${idOf(path)}`];
        },
        shows: { deviceNumber: null, pciSlot: null },
      },
      restore: {
        call: async (region, path) => {
          const { body } = await done(region, 'POST', `${path}/create-snapshot`);
          return ['POST', `${path}/restore-snapshot`, { properties: { snapshotId: body.id } }];
        },
        shows: { name: 'before' },
      },
    },
  },
  nic: {
    stand: async (region) => ({
      at: `${await addServer(region, await addDatacenter(region))}/nics`,
      body: {
        properties: { name: 'before', lan: 21 },
        entities: { firewallrules: { items: [{ properties: rule }] } },
      },
    }),
    stands: {
      public: async (region) => {
        const datacenter = await addDatacenter(region);
        const lan = await publicLan(region, datacenter);
        const block = await createDone(region, `${core}/ipblocks`, { properties: { location: 'de/txl', size: 1 } });
        const properties = { name: 'before', lan, ips: block.properties.ips as string[] };
        return { at: `${await addServer(region, datacenter)}/nics`, body: { properties } };
      },
    },
    parts: { create: ['firewallrule create', 'lan create'], change: ['lan create'] },
    acts: {
      move: {
        call: async (region, path) => {
          const lan = await publicLan(region, datacenterOf(path));
          return ['POST', `${datacenterOf(path)}/lans/${lan}/nics`, { id: idOf(path) }];
        },
        shows: { lan: 22 },
      },
    },
  },
  snapshot: {
    stand: async (region) => {
      const datacenter = await addDatacenter(region);
      const id = await addVolume(region, datacenter, { image: await imageId(region, 'HDD'), licenceType: undefined });
      const post = `${datacenter}/volumes/${id}/create-snapshot`;
      return { at: `${core}/snapshots`, post, body: { properties: { name: 'before', description: 'd' } } };
    },
  },
};
