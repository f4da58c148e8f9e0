// Samples of balancers and gateways, and of their rules.

import { addBlock, addDatacenter, addServer } from '../harness/landscape.ts';
import { core } from '../harness/people.ts';
import { createDone, type Region } from '../harness/region.ts';
import type { Sample, Stand } from './samples.ts';

const listener = '10.200.0.5';
const target = { ip: '10.201.0.7', port: 80, weight: 1 };
const network = { name: 'before', algorithm: 'ROUND_ROBIN', protocol: 'TCP', listenerIp: listener, listenerPort: 80 };

// A datacenter with two private LANs.
async function between(region: Region): Promise<string> {
  const datacenter = await addDatacenter(region);
  for (const name of ['one', 'two']) await createDone(region, `${datacenter}/lans`, { properties: { name } });
  return datacenter;
}

const balancer = { name: 'before', listenerLan: 1, targetLan: 2, ips: [listener] };
const application = async (region: Region) => {
  const properties = { name: 'group', algorithm: 'RANDOM', protocol: 'HTTP' };
  const { id } = await createDone(region, `${core}/targetgroups`, { properties });
  const httpRules = [{ name: 'all', type: 'FORWARD', targetGroup: id }];
  return { name: 'before', protocol: 'HTTP', listenerIp: listener, listenerPort: 80, httpRules };
};

const gateway = async (region: Region): Promise<{ name: string; publicIps: string[]; lans: object[] }> => ({
  name: 'before',
  publicIps: await addBlock(region, 2),
  lans: [{ id: 1 }],
});
const translation = (publicIp: string | undefined) => ({ name: 'before', sourceSubnet: '10.1.2.0/24', publicIp });

const insideOf = async (region: Region, plural: string, above: object, rules: string, body: object): Promise<Stand> => {
  const place = `${await between(region)}/${plural}`;
  const { id } = await createDone(region, place, { properties: above });
  return { at: `${place}/${id}/${rules}`, body: { properties: body } };
};

export const balancerSamples: Record<string, Sample> = {
  networkloadbalancer: {
    stand: async (region) => ({
      at: `${await between(region)}/networkloadbalancers`,
      body: {
        properties: balancer,
        entities: { forwardingrules: { items: [{ properties: { ...network, targets: [target] } }] } },
      },
    }),
    change: { name: 'after', lbPrivateIps: ['10.202.0.3/24'] },
    parts: { create: ['networkforwardingrule create'] },
  },
  networkforwardingrule: {
    stand: (region) =>
      insideOf(region, 'networkloadbalancers', balancer, 'forwardingrules', { ...network, targets: [target] }),
    change: { name: 'after', listenerPort: 81 },
  },
  applicationloadbalancer: {
    stand: async (region) => ({
      at: `${await between(region)}/applicationloadbalancers`,
      body: {
        properties: balancer,
        entities: { forwardingrules: { items: [{ properties: await application(region) }] } },
      },
    }),
    change: { name: 'after', lbPrivateIps: ['10.202.0.3/24'] },
    parts: { create: ['applicationforwardingrule create'] },
  },
  applicationforwardingrule: {
    stand: async (region) =>
      insideOf(region, 'applicationloadbalancers', balancer, 'forwardingrules', await application(region)),
    change: { name: 'after', httpRules: [] },
  },
  targetgroup: {
    stand: async () => ({
      at: `${core}/targetgroups`,
      body: { properties: { name: 'before', algorithm: 'RANDOM', protocol: 'HTTP', targets: [target] } },
    }),
    change: { name: 'after', targets: [] },
  },
  natgateway: {
    stand: async (region) => {
      const properties = await gateway(region);
      const rules = { items: [{ properties: translation(properties.publicIps[0]) }] };
      return { at: `${await between(region)}/natgateways`, body: { properties, entities: { rules } } };
    },
    change: { name: 'after', lans: [{ id: 2, gatewayIps: ['10.202.0.3/24'] }] },
    parts: { create: ['natgatewayrule create'] },
  },
  natgatewayrule: {
    stand: async (region) => {
      const properties = await gateway(region);
      return insideOf(region, 'natgateways', properties, 'rules', translation(properties.publicIps[0]));
    },
    change: { name: 'after', sourceSubnet: '10.1.3.0/24' },
  },
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
    change: { name: 'after' },
    parts: { create: ['nic balance'], remove: ['nic unbalance'] },
  },
};
